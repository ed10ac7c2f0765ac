/* SPDX-License-Identifier: Apache-2.0 */
#include "model/recipe.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 8192 };

static const struct {
    const char *word;
    enum weir_fit fit;
} fits[] = {
    {"stretch", WEIR_FIT_STRETCH},
    {"letterbox", WEIR_FIT_LETTERBOX_CENTRED},
    {"letterbox-tl", WEIR_FIT_LETTERBOX_TOP_LEFT},
    {"crop", WEIR_FIT_CROP},
};

static const struct {
    const char *word;
    enum weir_channel_order order;
} orders[] = {{"rgb", WEIR_ORDER_RGB}, {"bgr", WEIR_ORDER_BGR}, {"gray", WEIR_ORDER_GRAY}};

/* mean and deviation in the order R, G, B */
static const struct {
    const char *word;
    float mean[3], std[3];
} ranges[] = {
    {"0..255", {0, 0, 0}, {1, 1, 1}},
    {"0..1", {0, 0, 0}, {255, 255, 255}},
    {"-1..1", {127.5F, 127.5F, 127.5F}, {127.5F, 127.5F, 127.5F}},
    {"imagenet", {123.675F, 116.28F, 103.53F}, {58.395F, 57.12F, 57.375F}},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The range is kept by its row until the order is known: mean and std are in the model's channel order. */
static void apply_range(struct weir_input_spec *spec, size_t row)
{
    for (int c = 0; c < 3; c++) {
        int from = spec->order == WEIR_ORDER_BGR ? 2 - c : c;
        spec->mean[c] = ranges[row].mean[from];
        spec->std[c] = ranges[row].std[from];
    }
}

static int find_range(const struct weir_input_spec *spec)
{
    for (size_t i = 0; i < COUNT(ranges); i++) {
        struct weir_input_spec other = *spec;
        apply_range(&other, i);
        if (memcmp(other.mean, spec->mean, sizeof other.mean) == 0 && memcmp(other.std, spec->std, sizeof other.std) == 0)
            return (int)i;
    }
    return -1;
}

static bool parse_size(struct weir_input_spec *spec, const char *word)
{
    int width, height, end = 0;
    if (sscanf(word, "%5dx%5d%n", &width, &height, &end) != 2 || word[end] != '\0' || width < 1 || height < 1 ||
        width > SIDE_MAX || height > SIDE_MAX)
        return false;
    spec->width = width;
    spec->height = height;
    return true;
}

static bool parse_pad(struct weir_input_spec *spec, const char *word)
{
    char *end;
    if (strncmp(word, "pad=", 4) != 0)
        return false;
    long pad = strtol(word + 4, &end, 10);
    if (end == word + 4 || *end != '\0' || pad < 0 || pad > 255)
        return false;
    spec->pad = (uint8_t)pad;
    return true;
}

/* "mean=104,117,123" or one number for all channels, in the model's channel order. */
static bool parse_numbers(float values[3], const char *word, const char *key)
{
    size_t length = strlen(key);
    int end = 0;
    float v[3];
    if (strncmp(word, key, length) != 0)
        return false;
    word += length;
    if (sscanf(word, "%15f,%15f,%15f%n", &v[0], &v[1], &v[2], &end) != 3 || word[end] != '\0') {
        if (sscanf(word, "%15f%n", &v[0], &end) != 1 || word[end] != '\0')
            return false;
        v[1] = v[2] = v[0];
    }
    for (int c = 0; c < 3; c++)
        if (!isfinite(v[c]) || (key[0] == 's' && v[c] == 0))
            return false;
    memcpy(values, v, sizeof v);
    return true;
}

static bool parse_word(struct weir_input_spec *spec, int *range, const char *word)
{
    for (size_t i = 0; i < COUNT(fits); i++) {
        if (strcmp(fits[i].word, word) == 0) {
            spec->fit = fits[i].fit;
            return true;
        }
    }
    for (size_t i = 0; i < COUNT(orders); i++) {
        if (strcmp(orders[i].word, word) == 0) {
            spec->order = orders[i].order;
            return true;
        }
    }
    for (size_t i = 0; i < COUNT(ranges); i++) {
        if (strcmp(ranges[i].word, word) == 0) {
            *range = (int)i;
            return true;
        }
    }
    if (parse_numbers(spec->mean, word, "mean=") || parse_numbers(spec->std, word, "std=")) {
        *range = -1; /* own numbers stay as they are */
        return true;
    }
    return parse_pad(spec, word) || parse_size(spec, word);
}

/* Words are parted by blanks or commas, but the numbers of one word are by commas too. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " ,");
    bool numbers = strncmp(word, "mean=", 5) == 0 || strncmp(word, "std=", 4) == 0;
    char *end = word + strcspn(word, numbers ? " " : " ,");
    *at = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return *word != '\0' ? word : NULL;
}

int weir_recipe_parse(struct weir_input_spec *spec, const char *words, struct weir_error *err)
{
    char copy[256], *at = copy;
    int range = find_range(spec);
    if ((size_t)snprintf(copy, sizeof copy, "%s", words) >= sizeof copy)
        return weir_error_set(err, -EINVAL, "recipe: expected a few words, found %zu characters", strlen(words));
    for (char *word = next_word(&at); word != NULL; word = next_word(&at))
        if (!parse_word(spec, &range, word))
            return weir_error_set(err, -EINVAL, "recipe: \"%s\" is not understood; the words are stretch, letterbox, "
                                  "letterbox-tl, crop; rgb, bgr, gray; 0..255, 0..1, -1..1, imagenet; mean=A,B,C; std=A,B,C; "
                                  "pad=0..255; WIDTHxHEIGHT", word);
    if (range >= 0)
        apply_range(spec, (size_t)range);
    return 0;
}

char *weir_recipe_text(const struct weir_input_spec *spec, char *text)
{
    const char *fit = "stretch", *order = "rgb";
    int range = find_range(spec);
    for (size_t i = 0; i < COUNT(fits); i++)
        if (fits[i].fit == spec->fit)
            fit = fits[i].word;
    for (size_t i = 0; i < COUNT(orders); i++)
        if (orders[i].order == spec->order)
            order = orders[i].word;
    int n = range >= 0
                ? snprintf(text, WEIR_RECIPE_TEXT_MAX, "%s %s %s", fit, order, ranges[range].word)
                : snprintf(text, WEIR_RECIPE_TEXT_MAX, "%s %s mean=%g,%g,%g std=%g,%g,%g", fit, order, (double)spec->mean[0],
                           (double)spec->mean[1], (double)spec->mean[2], (double)spec->std[0], (double)spec->std[1],
                           (double)spec->std[2]);
    bool padded = spec->fit == WEIR_FIT_LETTERBOX_CENTRED || spec->fit == WEIR_FIT_LETTERBOX_TOP_LEFT;
    if (padded && n > 0 && n < WEIR_RECIPE_TEXT_MAX)
        (void)snprintf(text + n, (size_t)(WEIR_RECIPE_TEXT_MAX - n), " pad=%d", spec->pad);
    return text;
}
