/* SPDX-License-Identifier: MIT
   What every tool's main does: parse, answer --help and the like, run, report, end. A tool has one mode,
   or several, of which an option or the first word chooses one: each has a table of options and a file
   mode_NAME.c of its own. The first is the tool's own, which nothing chooses; it stands in tools/. */
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
    const struct kl_tool *tool;     /* chosen_by: what selects it; NULL: nothing */
    void (*defaults)(void *values); /* of values that are all zero; or NULL: they stay so */
    /* NULL: the tool's own, where one of its commands is to be chosen (tool->commands). */
    int (*run)(struct kl_mode_run *run, struct kl_error *err);
    int (*complete)(void *values, struct kl_error *err); /* options that depend on others; or NULL */
    /* It keeps nothing of unfinished work: a signal ends it at once, and one that is ignored stays so.
     */
    bool keeps_nothing;
};
/* What main does for a mode; the exit status. out, messages: standard output and standard error. */
int kl_store_mode_main(const struct kl_mode *mode, int argc, char **argv, FILE *out, FILE *messages);
/* The same for the one of n modes that the command line chooses; for the first, if it chooses none. */
int kl_store_modes_main(const struct kl_mode *const *modes, size_t n, int argc, char **argv, FILE *out,
                        FILE *messages);

#endif
