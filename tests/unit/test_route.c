/* SPDX-License-Identifier: Apache-2.0 */
#include "web/route.h"

#include "unit.h"

#include <string.h>

static const struct weir_route rows[] = {
    {"GET", "/", NULL},
    {"GET", "/api/v1/cameras/{}/snapshot.jpg", NULL},
    {"POST", "/detect", NULL},
};

static const struct {
    const char *method, *path;
    enum weir_route_code code;
    const char *id;
} cases[] = {
    {"GET", "/", WEIR_ROUTE_FOUND, ""},
    {"HEAD", "/", WEIR_ROUTE_FOUND, ""},
    {"GET", "", WEIR_ROUTE_NOT_FOUND, NULL},
    {"GET", "//", WEIR_ROUTE_NOT_FOUND, NULL},
    {"GET", "/api/v1/cameras/front-door_2/snapshot.jpg", WEIR_ROUTE_FOUND, "front-door_2"},
    {"GET", "/api/v1/cameras//snapshot.jpg", WEIR_ROUTE_NOT_FOUND, NULL},
    {"GET", "/api/v1/cameras/../snapshot.jpg", WEIR_ROUTE_NOT_FOUND, NULL},
    {"GET", "/api/v1/cameras/a/b/snapshot.jpg", WEIR_ROUTE_NOT_FOUND, NULL},
    {"GET",
     "/api/v1/cameras/K\xc3\xbc"
     "che/snapshot.jpg",
     WEIR_ROUTE_NOT_FOUND, NULL},
    {"GET", "/api/v1/cameras/a/snapshot.jpg/", WEIR_ROUTE_NOT_FOUND, NULL},
    {"GET", "/api/v1/cameras/a/snapshot.jp", WEIR_ROUTE_NOT_FOUND, NULL},
    {"POST", "/api/v1/cameras/a/snapshot.jpg", WEIR_ROUTE_METHOD, NULL},
    {"POST", "/detect", WEIR_ROUTE_FOUND, ""},
    {"GET", "/detect", WEIR_ROUTE_METHOD, NULL},
    {"HEAD", "/detect", WEIR_ROUTE_METHOD, NULL},
    {"BREW", "/detect", WEIR_ROUTE_METHOD, NULL},
};

static void each_request_finds_its_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char id[WEIR_ROUTE_ID_MAX];
        const struct weir_route *row = NULL;
        enum weir_route_code code = weir_route_find(rows, 3, cases[i].method, cases[i].path, &row, id);
        if (code != cases[i].code)
            fail_msg("%s %s: code %d", cases[i].method, cases[i].path, (int)code);
        if (cases[i].id != NULL)
            assert_string_equal(id, cases[i].id);
    }
}

static void an_id_longer_than_its_room_matches_nothing(void **state)
{
    (void)state;
    char path[400], id[WEIR_ROUTE_ID_MAX];
    const struct weir_route *row = NULL;
    strcpy(path, "/api/v1/cameras/");
    size_t start = strlen(path);
    memset(path + start, 'a', WEIR_ROUTE_ID_MAX - 1);
    strcpy(path + start + WEIR_ROUTE_ID_MAX - 1, "/snapshot.jpg");
    assert_int_equal(weir_route_find(rows, 3, "GET", path, &row, id), WEIR_ROUTE_FOUND);
    memset(path + start, 'a', WEIR_ROUTE_ID_MAX);
    strcpy(path + start + WEIR_ROUTE_ID_MAX, "/snapshot.jpg");
    assert_int_equal(weir_route_find(rows, 3, "GET", path, &row, id), WEIR_ROUTE_NOT_FOUND);
}

static void allow_names_what_the_path_takes(void **state)
{
    (void)state;
    assert_string_equal(weir_route_allow(&rows[0]), "GET, HEAD");
    assert_string_equal(weir_route_allow(&rows[2]), "POST");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_finds_its_row),
        cmocka_unit_test(an_id_longer_than_its_room_matches_nothing),
        cmocka_unit_test(allow_names_what_the_path_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
