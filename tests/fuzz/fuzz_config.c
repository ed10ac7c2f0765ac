/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration file of anything: taken, or refused with its place. What was taken prints as something that
 * is taken. */
#include "config/config.h"
#include "config/print.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *user, const char *problem)
{
    assert(strncmp(problem, "f:", 2) == 0);
    (*(int *)user)++;
}

static void print_and_read_again(const struct weir_config *config)
{
    struct weir_config again;
    struct weir_buf text = {0};
    if (weir_config_init(&again) != 0)
        abort();
    weir_config_print(config, &text);
    if (text.failed || weir_config_parse(&again, text.data, text.size, "printed", NULL, NULL, NULL) != 0)
        abort();
    weir_config_fini(&again);
    weir_buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_config config;
    struct weir_error err = {0};
    int problems = 0;
    if (weir_config_init(&config) != 0)
        abort();
    if (weir_config_parse(&config, (const char *)data, size, "f", count, &problems, &err) != 0) {
        assert(err.code < 0 && err.text[0] != '\0');
    } else {
        (void)weir_config_check(&config, &err);
        print_and_read_again(&config);
    }
    weir_config_fini(&config);
    return 0;
}
