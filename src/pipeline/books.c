/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/books.h"

static uint64_t sum(const uint64_t counts[WEIR_REASON_COUNT])
{
    uint64_t total = 0;
    for (int i = 0; i < WEIR_REASON_COUNT; i++)
        total += counts[i];
    return total;
}

uint64_t weir_books_dropped(const struct weir_books *books)
{
    return sum(books->dropped);
}

uint64_t weir_books_failed(const struct weir_books *books)
{
    return sum(books->failed);
}

bool weir_books_balance(const struct weir_books *books)
{
    uint64_t ended = books->inferred + weir_books_dropped(books) + weir_books_failed(books);
    return books->read == books->waiting + books->running + ended &&
           books->inferred == books->publishing + books->published + books->unpublished;
}

void weir_books_add(struct weir_books *into, const struct weir_books *from)
{
    into->read += from->read;
    into->waiting += from->waiting;
    into->running += from->running;
    into->inferred += from->inferred;
    into->publishing += from->publishing;
    into->published += from->published;
    into->unpublished += from->unpublished;
    for (int i = 0; i < WEIR_REASON_COUNT; i++) {
        into->dropped[i] += from->dropped[i];
        into->failed[i] += from->failed[i];
    }
}
