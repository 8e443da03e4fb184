/* SPDX-License-Identifier: MIT
   The tool `cache`: its options and commands. The commands that draw a file are here, each other in a
   file of its own. */
#include <string.h>

#include "cache/cache.h"
#include "store/describe.h"

struct values {
    struct kl_common common;
    double older_than;
    bool apply, repair;
    const char *columns, *csv, *latex;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "columns", 0, KL_OPT_STRING, AT(columns), "NAME,...", 0, 0, false,
      "list: what files found, or their options, as columns, the largest of the first on top; -NAME: "
      "the "
      "smallest",
      "Looking", NULL },
    { "csv", 0, KL_OPT_STRING, AT(csv), "FILE|-", 0, 0, false,
      "list --columns: its lines; -: on the screen", NULL, NULL },
    { "latex", 0, KL_OPT_STRING, AT(latex), "FILE|-", 0, 0, false, "list --columns: for booktabs", NULL,
      NULL },
    { "older-than", 0, KL_OPT_FLOAT, AT(older_than), "DAYS", 0, 1e5, false,
      "gc: files not used for so long, too", "Housekeeping", NULL },
    { "apply", 0, KL_OPT_FLAG, AT(apply), NULL, 0, 0, false, "gc: remove; without it gc only tells",
      NULL, NULL },
    { "repair", 0, KL_OPT_FLAG, AT(repair), NULL, 0, 0, false,
      "fsck: put damaged files aside, as NAME.damaged", NULL, NULL },
    { "output", 'o', KL_OPT_STRING, AT(common.output), "FILE", 0, 0, false,
      "merge: the whole; - is standard output", NULL, NULL },
};
const struct kl_tool kl_cache_tool = {
    .name = "cache",
    .summary = "Looks at, checks, merges and keeps files and the shared store.\n"
               "  list [DIR]       the files below a folder\n"
               "  show FILE        one file on a page\n"
               "  log FILE         where it came from, back to the images\n"
               "  diff A B         why two keys differ\n"
               "  verify FILE...   every digest\n"
               "  merge SHARD...   one file from the shards of a run, -o OUTPUT\n"
               "  gc [DIR]         leftovers of dead runs, files long unused\n"
               "  fsck [DIR]       every file of a store\n"
               "  push, pull PLACE the store's files to or from a folder, or rclone's NAME:PATH",
    .arguments = "COMMAND [FILE...]",
    .example = "cache show head.h5\n  cache list heads --columns val_accuracy,lr,seed\n  cache merge "
               "part-*.h5 -o features.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output dry-run key seed threads progress",
    .commands = "list|show|log|diff|verify|merge|gc|fsck|push|pull",
};

static int one_file(const struct kl_cache *c, struct kl_file **file, struct kl_error *err)
{
    if (c->n == 1) return kl_store_file_open(file, c->args[0], err);
    return kl_fail_inputs(err, c->args, c->n, 1, "one file");
}

static int show(struct kl_cache *c, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = one_file(c, &file, err);
    if (!code)
        code = (c->common->json ? kl_store_describe_json : kl_store_describe_page)(
            c->out, file, kl_store_kind_find(c->kinds, file), err);
    kl_store_file_close(&file);
    return code;
}

static int draw_log(struct kl_cache *c, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = one_file(c, &file, err);
    if (!code && c->common->json) fprintf(c->out, "%s\n", kl_store_file_provenance(file));
    else if (!code) code = kl_store_describe_log(c->out, file, err);
    kl_store_file_close(&file);
    return code;
}

static const struct {
    const char *name;
    int (*run)(struct kl_cache *c, struct kl_error *err);
} commands[] = { { "list", kl_cache_list },     { "show", show },          { "log", draw_log },
                 { "verify", kl_cache_verify }, { "diff", kl_cache_diff }, { "merge", kl_cache_merge },
                 { "gc", kl_cache_gc },         { "fsck", kl_cache_fsck }, { "push", kl_cache_push },
                 { "pull", kl_cache_pull } };

/* Options of one command beside another. */
static int check_idle(const struct values *v, const char *command, struct kl_error *err)
{
    static const struct {
        const char *command, *options, *why;
    } owners[] = { { "list", "columns csv latex", "belongs to list" },
                   { "gc", "older-than apply", "belongs to gc" },
                   { "fsck", "repair", "belongs to fsck" },
                   { "merge", "note no-provenance", "belongs to merge" } };
    const struct values none = { 0 };
    int code = KL_OK;
    if (strcmp(command, "merge") != 0 && !v->csv && !v->latex)
        code = kl_options_refuse(&kl_cache_tool, v, &none, "force",
                                 "belongs to merge, and to --csv and --latex", err);
    for (size_t i = 0; i < sizeof owners / sizeof *owners && !code; i++)
        if (strcmp(command, owners[i].command) != 0)
            code = kl_options_refuse(&kl_cache_tool, v, &none, owners[i].options, owners[i].why, err);
    return code;
}

static int dispatch(struct kl_cache *c, const char *const *args, size_t n, struct kl_error *err)
{
    const char *output = c->common->output;
    c->args = args + 1;
    c->n = n ? n - 1 : 0;
    if (n && output && strcmp(output, "-") != 0 && strcmp(args[0], "merge") != 0)
        return kl_fail(err, KL_EUSAGE, "%s: writes to standard output; -o belongs to merge", args[0]);
    for (size_t i = 0; n && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(args[0], commands[i].name) == 0) return commands[i].run(c, err);
    return kl_options_fail_command(&kl_cache_tool, n ? args[0] : NULL, err);
}

int kl_cache_run(struct kl_mode_run *run, const struct kl_kind *const *kinds,
                 const struct kl_tool *const *tools, struct kl_error *err)
{
    const struct values *v = run->values;
    const char *const *args = run->stage.inputs;
    const size_t n = run->stage.n_inputs;
    struct kl_cache cache = { .common = &v->common,
                              .older_than = v->older_than,
                              .apply = v->apply,
                              .repair = v->repair,
                              .columns = v->columns,
                              .csv = v->csv,
                              .latex = v->latex,
                              .run = run,
                              .log = run->stage.log,
                              .out = run->out,
                              .kinds = kinds,
                              .tools = tools };
    const int code = n ? check_idle(v, args[0], err) : KL_OK;
    return code ? code : dispatch(&cache, args, n, err);
}
