/* SPDX-License-Identifier: MIT
   What all tools and their modes have in common. */
#include "store/mode.h"

#include <stdlib.h>
#include <string.h>

/* Is its option on the command line, "--synthetic" or "--synthetic=30", or its word the first one? */
static bool is_chosen(const struct kl_mode *mode, int argc, char **argv)
{
    const char *option = mode->tool->chosen_by;
    const size_t n = option ? strlen(option) : 0;
    if (!option) return false;
    if (*option != '-') return argc > 1 && strcmp(argv[1], option) == 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], option, n) == 0 && (!argv[i][n] || argv[i][n] == '=')) return true;
    return false;
}

/* A tool whose first word is to choose. */
static int choose_a_command(const struct kl_mode_run *run, const struct kl_tool *tool,
                            struct kl_error *err)
{
    const size_t n = run->stage.n_inputs;
    return kl_fail(err, KL_EUSAGE, "%s%s%s, expected %s; see --help", n ? "found '" : "no command",
                   n ? run->stage.inputs[0] : "", n ? "'" : "", tool->commands);
}

int kl_store_mode_main(const struct kl_mode *mode, int argc, char **argv, FILE *out, FILE *messages)
{
    struct kl_error err = { 0 };
    struct kl_cautions cautions = { 0 };
    struct kl_log log = { mode->tool->name, messages, 1, &cautions };
    struct kl_mode_run run = { .values = calloc(1, mode->tool->values_size), .out = out };
    const struct kl_common *common = run.values; /* the first member of every values struct */
    const char **inputs = NULL;
    size_t n_inputs = 0;
    if (mode->keeps_nothing) kl_signals_plain();
    else kl_signals_install();
    int code = run.values ? KL_OK : kl_fail_memory(&err, mode->tool->values_size);
    if (!code && mode->defaults) mode->defaults(run.values);
    if (!code) code = kl_options_parse(mode->tool, run.values, argc, argv, &inputs, &n_inputs, &err);
    if (!code && n_inputs && !*mode->tool->arguments)
        code = kl_fail_inputs(&err, inputs, n_inputs, 0, "none");
    if (!code && mode->complete) code = mode->complete(run.values, &err);
    const bool answered = !code && kl_options_answer(mode->tool, run.values, out);
    if (!code && !answered) {
        log.level = common->quiet ? 0 : common->verbose ? 2 : 1;
        kl_note_variables(&log);
        run.stage = (struct kl_stage){ .tool = mode->tool,
                                       .values = run.values,
                                       .common = common,
                                       .log = &log,
                                       .argc = argc,
                                       .argv = argv,
                                       .inputs = inputs,
                                       .n_inputs = n_inputs,
                                       .start = kl_clock() };
        code = mode->run ? mode->run(&run, &err) : choose_a_command(&run, mode->tool, &err);
        kl_store_stage_end(&run.stage);
    }
    kl_cautions_free(&cautions);
    free(inputs);
    free(run.values);
    return kl_end(&log, code, &err);
}

int kl_store_modes_main(const struct kl_mode *const *modes, size_t n, int argc, char **argv, FILE *out,
                        FILE *messages)
{
    const struct kl_mode *mode = modes[0];
    for (size_t i = 1; i < n; i++)
        if (is_chosen(modes[i], argc, argv)) mode = modes[i];
    return kl_store_mode_main(mode, argc, argv, out, messages);
}
