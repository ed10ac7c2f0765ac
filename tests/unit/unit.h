/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_TESTS_UNIT_UNIT_H
#define WEIR_TESTS_UNIT_UNIT_H

/* cmocka wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
