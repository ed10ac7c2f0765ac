/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "cli/option.h"
#include "sim/fault.h"
#include "sim/sim.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int parse_size(const char *text, struct weir_sim_params *params, struct weir_error *err)
{
    char end;
    if (text == NULL)
        return 0;
    if (sscanf(text, "%dx%d%c", &params->width, &params->height, &end) == 2 && params->width >= 64 &&
        params->height >= 64 && params->width <= 16384 && params->height <= 16384)
        return 0;
    return weir_error_set(err, -1, "--size: expected WIDTHxHEIGHT, 64x64 to 16384x16384, found \"%.60s\"",
                          text);
}

static void print_help(const struct weir_option *rows, size_t count)
{
    puts("Usage: weir sim [OPTION]...\n"
         "Simulated cameras: MJPEG over HTTP at /cam0, /cam1, ..., stills at /cam0.jpg.\n");
    weir_options_print(rows, count, stdout);
    puts("\nFaults are a comma-separated list of CAMERA:KIND[@START][+LENGTH]. CAMERA is cam0, cam1, ... or "
         "all;\n"
         "without START the fault is there from the beginning, without LENGTH it stays. Kinds:");
    for (int i = 1; i < WEIR_SIM_FAULT_COUNT; i++)
        printf("  %-16s%s\n", weir_sim_fault_name((enum weir_sim_fault)i),
               weir_sim_fault_help((enum weir_sim_fault)i));
    puts("While it runs: curl -X POST 'http://127.0.0.1:8091/fault?camera=1&kind=stall&seconds=3' "
         "(camera=all;\n"
         "kind=none ends it), and GET /status tells what was sent.\n\n"
         "Example: weir sim --cameras 8 --fps 25 --clip street.mp4 --fault "
         "cam1:stall@5s+3s,cam2:cut@8s+500ms");
}

static int wrong(const struct weir_error *err)
{
    fprintf(stderr, "weir sim: %s\n", err->text);
    return 2;
}

static int run(const struct weir_sim_params *params)
{
    struct weir_sim *sim;
    struct weir_error err = {0};
    signal(SIGPIPE, SIG_IGN);
    if (weir_sim_new(&sim, params, &err) < 0) {
        fprintf(stderr, "weir sim: %s\n", err.text);
        return 1;
    }
    bool ipv6 = strchr(params->address, ':') != NULL;
    printf("weir sim: %d camera%s at http://%s%s%s:%d/cam0 ...\n", params->cameras,
           params->cameras == 1 ? "" : "s", ipv6 ? "[" : "", params->address, ipv6 ? "]" : "",
           weir_sim_port(sim));
    if (weir_sim_rtsp_port_of(sim) >= 0)
        printf("weir sim: the same at rtsp://%s%s%s:%d/cam0 ...\n", ipv6 ? "[" : "", params->address,
               ipv6 ? "]" : "", weir_sim_rtsp_port_of(sim));
    (void)fflush(stdout);
    weir_sim_run(sim);
    struct weir_sim_totals totals;
    weir_sim_totals(sim, &totals);
    fprintf(stderr, "weir sim: ran %.1fs, %llu streams, %llu pictures sent, %llu skipped for slow clients\n",
            totals.seconds, (unsigned long long)totals.connections, (unsigned long long)totals.sent,
            (unsigned long long)totals.skipped);
    weir_sim_free(&sim);
    return 0;
}

int weir_command_sim(int argc, char **argv)
{
    struct weir_sim_params params = WEIR_SIM_PARAMS_DEFAULT;
    bool pattern = false;
    int seed = 1, rest;
    const char *size = NULL;
    const struct weir_option rows[] = {
        {"cameras", "N", "how many cameras; default 4", WEIR_OPTION_INTEGER, &params.cameras, 1, 4096},
        {"fps", "F", "frames a second of each; default the clip's, else 10", WEIR_OPTION_NUMBER, &params.fps,
         0.01, 1000},
        {"port", "P", "default 8091; 0: a free one, printed", WEIR_OPTION_INTEGER, &params.port, 0, 65535},
        {"rtsp-port", "P", "serve the clip over RTSP, too; 0: a free port, printed", WEIR_OPTION_INTEGER,
         &params.rtsp_port, 0, 65535},
        {"address", "A", "where to listen; default 127.0.0.1", WEIR_OPTION_TEXT, &params.address, 0, 0},
        {"clip", "FILE", "play a video", WEIR_OPTION_TEXT, &params.clip, 0, 0},
        {"images", "DIR", "play the pictures of a folder", WEIR_OPTION_TEXT, &params.folder, 0, 0},
        {"pattern", NULL, "draw camera and frame number (default)", WEIR_OPTION_FLAG, &pattern, 0, 0},
        {"size", "WxH", "default the clip's, else 640x480", WEIR_OPTION_TEXT, &size, 0, 0},
        {"quality", "Q", "of the JPEGs, 1 to 100; default 80", WEIR_OPTION_INTEGER, &params.quality, 1, 100},
        {"memory", "MIB", "of encoded pictures kept; default 256", WEIR_OPTION_INTEGER, &params.memory_mib, 1,
         65536},
        {"seed", "S", "of colours and random faults; default 1", WEIR_OPTION_INTEGER, &seed, 0, 1e9},
        {"fault", "LIST", "what goes wrong, and when: see below", WEIR_OPTION_TEXT, &params.faults, 0, 0},
    };
    const size_t count = sizeof rows / sizeof rows[0];
    struct weir_error err = {0};
    enum weir_option_code code = weir_options_parse(rows, count, argc, argv, &rest, &err);
    if (code == WEIR_OPTION_HELP) {
        print_help(rows, count);
        return 0;
    }
    if (code == WEIR_OPTION_OK && rest < argc)
        (void)weir_error_set(&err, -1, "%.60s: no argument was expected; --help says more", argv[rest]);
    else if (code == WEIR_OPTION_OK && pattern + (params.clip != NULL) + (params.folder != NULL) > 1)
        (void)weir_error_set(&err, -1, "--clip, --images and --pattern exclude each other");
    else if (code == WEIR_OPTION_OK)
        (void)parse_size(size, &params, &err);
    if (err.code != 0)
        return wrong(&err);
    params.seed = (unsigned)seed;
    return run(&params);
}
