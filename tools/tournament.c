/* SPDX-License-Identifier: MIT
   tournament: random-number devices against each other. What a mode does is in lib/qrng/mode_NAME.c. */
#include <stdlib.h>
#include <string.h>

#include "qrng/mode.h"

static const struct kl_mode *const modes[] = { &kl_mode_pairs, &kl_mode_synthetic };

/* The mode whose option is on the command line, "--synthetic" or "--synthetic=30"; else pairs. */
static const struct kl_mode *find_mode(int argc, char **argv)
{
    for (size_t m = 1; m < sizeof modes / sizeof *modes; m++)
        for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
            const size_t n = strlen(modes[m]->option);
            if (strncmp(argv[i], modes[m]->option, n) == 0 && (!argv[i][n] || argv[i][n] == '='))
                return modes[m];
        }
    return modes[0];
}

int main(int argc, char **argv)
{
    const struct kl_mode *mode = find_mode(argc, argv);
    struct kl_error err = { 0 };
    struct kl_log log = { mode->tool->name, stderr, 1 };
    struct kl_mode_run run = { .values = calloc(1, mode->tool->values_size), .out = stdout };
    const struct kl_common *common = run.values; /* the first member of every values struct */
    const char **inputs = NULL;
    size_t n_inputs = 0;
    kl_signals_install();
    int code = run.values ? KL_OK : kl_fail_memory(&err, mode->tool->values_size);
    if (!code) mode->defaults(run.values);
    if (!code) code = kl_options_parse(mode->tool, run.values, argc, argv, &inputs, &n_inputs, &err);
    const bool answered = !code && kl_options_answer(mode->tool, run.values, stdout);
    if (!code && !answered) {
        log.level = common->quiet ? 0 : common->verbose ? 2 : 1;
        run.stage = (struct kl_stage){ .tool = mode->tool,
                                       .values = run.values,
                                       .common = common,
                                       .log = &log,
                                       .argc = argc,
                                       .argv = argv,
                                       .inputs = inputs,
                                       .n_inputs = n_inputs,
                                       .start = kl_clock() };
        code = mode->run(&run, &err);
        kl_stage_end(&run.stage);
    }
    free(inputs);
    free(run.values);
    return kl_end(&log, code, &err);
}
