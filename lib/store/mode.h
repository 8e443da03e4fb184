/* SPDX-License-Identifier: MIT
   Modes of tools, chosen by an option: each has a table of options and a file mode_NAME.c of its own. */
#ifndef KL_MODE_H
#define KL_MODE_H

#include "store/store.h"

/* One run. stage: tool, values, common, log, inputs are set. */
struct kl_mode_run {
    struct kl_stage stage;
    void *values; /* of the tool's table, parsed */
    FILE *out;    /* standard output */
};
struct kl_mode {
    const struct kl_tool *tool; /* chosen_by: the option that selects it */
    void (*defaults)(void *values);
    int (*run)(struct kl_mode_run *run, struct kl_error *err);
    int (*complete)(void *values, struct kl_error *err); /* options that depend on others; or NULL */
};
/* Is the mode's option on the command line, "--synthetic" or "--synthetic=30"? */
bool kl_mode_chosen(const struct kl_mode *mode, int argc, char **argv);
/* What main does for a mode; the exit status. out, messages: standard output and standard error. */
int kl_mode_main(const struct kl_mode *mode, int argc, char **argv, FILE *out, FILE *messages);

#endif
