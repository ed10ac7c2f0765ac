/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <curl/curl.h>
#include <jansson.h>
#include <libavcodec/avcodec.h>
#include <microhttpd.h>
#include <stdio.h>
#include <uv.h>
#include <yaml.h>

int weir_command_version(int argc, char **argv)
{
    if (argc > 1 && weir_is_help(argv[1])) {
        puts("Usage: weir version\n"
             "Prints the version of weir and of the libraries that it runs with.\n\n"
             "Example:\n  weir version");
        return 0;
    }
    unsigned avcodec = avcodec_version();
    printf("weir %s\n", WEIR_VERSION);
    printf("libuv %s\n", uv_version_string());
    printf("%s\n", curl_version());
    printf("libmicrohttpd %s\n", MHD_get_version());
    printf("jansson %s\n", jansson_version_str());
    printf("libyaml %s\n", yaml_get_version_string());
    printf("libavcodec %u.%u.%u\n", avcodec >> 16, avcodec >> 8 & 0xff, avcodec & 0xff);
    return 0;
}
