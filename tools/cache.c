/* SPDX-License-Identifier: MIT
   cache: look at, check, merge and keep files and the shared store. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "head/sweep.h"
#include "store/describe.h"

struct values {
    struct kl_common common;
    double older_than;
    bool apply, repair;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "older-than", 0, KL_OPT_FLOAT, AT(older_than), "DAYS", 0, 1e5, false,
      "gc: files not used for so long, too", "Housekeeping", NULL },
    { "apply", 0, KL_OPT_FLAG, AT(apply), NULL, 0, 0, false, "gc: remove; without it gc only tells",
      NULL, NULL },
    { "repair", 0, KL_OPT_FLAG, AT(repair), NULL, 0, 0, false,
      "fsck: put damaged files aside, as NAME.damaged", NULL, NULL },
    { "output", 'o', KL_OPT_STRING, AT(common.output), "FILE", 0, 0, false,
      "merge: the whole; - is standard output", NULL, NULL },
};
static const struct kl_tool tool = {
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
    .example = "cache show head.h5\n  cache merge part-*.h5 -o features.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output dry-run key seed threads device progress",
    .commands = "list|show|log|diff|verify|merge|gc|fsck|push|pull",
};

struct run {
    struct values v;
    struct kl_log log;
    const char *const *args;
    size_t n, n_found, n_aside;
    struct kl_error problem; /* of the functions that are called for each file */
};

static int one_file(struct run *run, struct kl_file **file, struct kl_error *err)
{
    if (run->n == 1) return kl_file_open(file, run->args[0], err);
    return kl_fail(err, KL_EUSAGE, "found %zu file%s, expected one; see --help", run->n, kl_s(run->n));
}

/* What a sweep found, behind its page. */
static int show_sweep(struct kl_file *file, struct kl_error *err)
{
    enum { MOST_ROWS = 20 };
    struct kl_sweep sweep = { 0 };
    int code = kl_sweep_load(&sweep, file, err);
    if (!code) putchar('\n');
    if (!code) code = kl_sweep_write(stdout, &sweep, MOST_ROWS, err);
    kl_sweep_free(&sweep);
    return code;
}

static int show(struct run *run, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = one_file(run, &file, err);
    if (!code)
        code = run->v.common.json ? kl_describe_json(stdout, file, err)
                                  : kl_describe_page(stdout, file, err);
    if (!code && !run->v.common.json && strcmp(kl_file_kind(file), "sweep") == 0)
        code = show_sweep(file, err);
    kl_file_close(&file);
    return code;
}

static int draw_log(struct run *run, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = one_file(run, &file, err);
    if (!code && run->v.common.json) printf("%s\n", kl_file_provenance(file));
    else if (!code) code = kl_describe_log(stdout, file, err);
    kl_file_close(&file);
    return code;
}

/* The lines of a difference, or a JSON object of them. */
static int print_difference(const struct run *run, bool same, const char *text, struct kl_error *err)
{
    const struct kl_json_pair pairs[] = { { "equal", KL_JSON_BOOL, NULL, same },
                                          { "differences", KL_JSON_TEXT, text, 0 } };
    if (run->v.common.json) return kl_json_line(stdout, pairs, 2, err);
    fputs(same ? "the keys are equal\n" : text, stdout);
    return KL_OK;
}

static int diff(struct run *run, struct kl_error *err)
{
    struct kl_file *a = NULL, *b = NULL;
    char *text = NULL;
    if (run->n != 2)
        return kl_fail(err, KL_EUSAGE, "found %zu file%s, expected two; see --help", run->n,
                       kl_s(run->n));
    int code = kl_file_open(&a, run->args[0], err);
    if (!code) code = kl_file_open(&b, run->args[1], err);
    if (!code) code = kl_key_diff(&text, kl_file_key_parts(a), kl_file_key_parts(b), err);
    bool same = !code && strcmp(kl_file_key(a), kl_file_key(b)) == 0;
    if (!code) code = print_difference(run, same, text, err);
    free(text);
    kl_file_close(&a);
    kl_file_close(&b);
    if (code || same) return code;
    *err = (struct kl_error){ .code = KL_ENO };
    return KL_ENO;
}

static int verify(struct run *run, struct kl_error *err)
{
    size_t bad = 0;
    if (!run->n) return kl_fail(err, KL_EUSAGE, "no file; give one or more");
    for (size_t i = 0; i < run->n; i++) {
        struct kl_file *file = NULL;
        struct kl_error why = { 0 };
        int code = kl_file_open(&file, run->args[i], &why);
        if (!code) code = kl_file_verify(file, NULL, &why);
        kl_file_close(&file);
        if (code == KL_ENOMEM) { /* that is not the file's fault */
            *err = why;
            return code;
        }
        bad += code != 0;
        const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, run->args[i], 0 },
                                              { "whole", KL_JSON_BOOL, NULL, code == 0 },
                                              { "problem", KL_JSON_TEXT, why.text, 0 } };
        if (run->v.common.json && kl_json_line(stdout, pairs, 3, err)) return err->code;
        if (!run->v.common.json && !code && !run->v.common.quiet) printf("%s: whole\n", run->args[i]);
        if (code) kl_note(&run->log, 0, "%s", why.text);
    }
    return bad ? kl_fail(err, KL_ENO, "%zu of %zu file%s %s not whole", bad, run->n, kl_s(run->n),
                         bad == 1 ? "is" : "are")
               : KL_OK;
}

static const char *folder_of(const struct run *run, const char *fallback)
{
    return run->n ? run->args[0] : run->v.common.store ? run->v.common.store : fallback;
}

static int print_found(void *context, const struct kl_found *f)
{
    struct run *run = context;
    if (!run->n_found++ && !run->v.common.json) kl_describe_heading(stdout);
    run->problem.code = kl_describe_found(stdout, f, run->v.common.json, &run->problem);
    return run->problem.code;
}

static int list(struct run *run, struct kl_error *err)
{
    int code = kl_store_walk(folder_of(run, "."), false, print_found, run, NULL, err);
    if (!code && run->problem.code) *err = run->problem, code = err->code;
    return code;
}

static int check_found(void *context, const struct kl_found *f)
{
    struct run *run = context;
    char aside[4096];
    if (!f->code) return 0;
    if (print_found(run, f) || !run->v.repair) return run->problem.code;
    if (f->code != KL_EDATA) {
        kl_note(&run->log, 0, "%s: left where it is: that it could not be read is no damage", f->path);
    } else if (!kl_found_is_ours(f)) {
        kl_note(&run->log, 0, "%s: left where it is: nothing shows that ketline wrote it", f->path);
    } else if (snprintf(aside, sizeof aside, "%s.damaged", f->path) < (int)sizeof aside &&
               rename(f->path, aside) == 0) {
        run->n_aside++;
        kl_note(&run->log, 1, "%s: put aside as %s", f->path, aside);
    } else {
        kl_note(&run->log, 0, "%s: cannot be renamed", f->path);
    }
    return 0;
}

static int fsck(struct run *run, struct kl_error *err)
{
    size_t bad = 0;
    const char *folder = folder_of(run, NULL);
    if (!folder) return kl_fail(err, KL_EUSAGE, "no folder; give one, or --store");
    int code = kl_store_walk(folder, true, check_found, run, &bad, err);
    if (!code && run->problem.code) *err = run->problem, code = err->code;
    if (code) return code;
    if (bad && run->v.repair)
        return kl_fail(err, KL_ENO, "%s: %zu file%s not whole, %zu put aside", folder, bad,
                       bad == 1 ? " is" : "s are", run->n_aside);
    if (bad)
        return kl_fail(err, KL_ENO, "%s: %zu file%s not whole; --repair puts %s aside", folder, bad,
                       bad == 1 ? " is" : "s are", bad == 1 ? "it" : "them");
    if (!run->v.common.quiet && !run->v.common.json) printf("%s: every file is whole\n", folder);
    return KL_OK;
}

static void print_gc(void *context, const char *path, const char *why, uint64_t bytes)
{
    struct run *run = context;
    const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, path, 0 },
                                          { "why", KL_JSON_TEXT, why, 0 },
                                          { "bytes", KL_JSON_COUNT, NULL, (double)bytes },
                                          { "removed", KL_JSON_BOOL, NULL, run->v.apply } };
    if (run->v.common.json) kl_json_line(stdout, pairs, 4, &run->problem);
    else if (!run->v.common.quiet)
        printf("%s %s (%s, %llu bytes)\n", run->v.apply ? "removed" : "would remove", path, why,
               (unsigned long long)bytes);
}

static int gc(struct run *run, struct kl_error *err)
{
    const char *folder = folder_of(run, ".");
    struct kl_gc work = {
        .max_age = run->v.older_than * 86400, .dry = !run->v.apply, .each = print_gc, .context = run
    };
    int code = kl_store_gc(folder, &work, err);
    if (!code && !run->v.common.json)
        printf("%s: %zu file%s, %llu bytes%s\n", folder, work.n, kl_s(work.n),
               (unsigned long long)work.bytes,
               run->v.apply ? " removed" : "; nothing was removed, --apply does");
    return code;
}

static int merge(struct run *run, struct kl_error *err)
{
    if (!run->n || !run->v.common.output)
        return kl_fail(err, KL_EUSAGE, "expected: cache merge SHARD... -o OUTPUT");
    const char *output = run->v.common.output;
    bool done = !run->v.common.force && kl_merged_before(output, run->args[0]);
    bool quiet = run->v.common.quiet || strcmp(output, "-") == 0;
    int code = done ? KL_OK : kl_merge(output, run->args, run->n, &run->v.common, err);
    const struct kl_json_pair pairs[] = { { "output", KL_JSON_TEXT, output, 0 },
                                          { "shards", KL_JSON_COUNT, NULL, (double)run->n },
                                          { "status", KL_JSON_TEXT, done ? "up to date" : "computed",
                                            0 } };
    if (!code && !quiet && run->v.common.json) code = kl_json_line(stdout, pairs, 3, err);
    else if (!code && !quiet && done) printf("%s: up to date\n", output);
    else if (!code && !quiet) printf("%s: merged from %zu shard%s\n", output, run->n, kl_s(run->n));
    return code;
}

static void print_transfer(void *context, const char *path, enum kl_transferred what, const char *why)
{
    static const char *const words[] = { "copied", "was there", "refused" };
    struct run *run = context;
    const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, path, 0 },
                                          { "status", KL_JSON_TEXT, words[what], 0 },
                                          { "problem", KL_JSON_TEXT, why, 0 } };
    if (run->v.common.json) kl_json_line(stdout, pairs, 3, &run->problem);
    else if (what == KL_REFUSED) kl_note(&run->log, 0, "%s", why);
    else if (what == KL_COPIED) kl_note(&run->log, 1, "%s: copied", path);
}

static int transfer(struct run *run, bool to_store, struct kl_error *err)
{
    const char *store = run->v.common.store;
    struct kl_transfer t = { .each = print_transfer, .context = run };
    if (run->n != 1)
        return kl_fail(err, KL_EUSAGE,
                       "found %zu places, expected one: a folder, or NAME:PATH; see --help", run->n);
    if (!store) return kl_fail(err, KL_EUSAGE, "no store; give --store DIR, or set KETLINE_STORE");
    kl_signals_install();
    int code =
        kl_store_transfer(&t, to_store ? run->args[0] : store, to_store ? store : run->args[0], err);
    if (code) return code;
    if (!run->v.common.json && !run->v.common.quiet)
        printf("%s: %zu file%s copied, %zu there already\n", to_store ? store : run->args[0],
               t.n[KL_COPIED], kl_s(t.n[KL_COPIED]), t.n[KL_WAS_THERE]);
    return t.n[KL_REFUSED]
               ? kl_fail(err, KL_ENO, "%zu file%s not whole and %s not copied", t.n[KL_REFUSED],
                         t.n[KL_REFUSED] == 1 ? " is" : "s are", t.n[KL_REFUSED] == 1 ? "was" : "were")
               : KL_OK;
}

static int push(struct run *run, struct kl_error *err)
{
    return transfer(run, false, err);
}

static int pull(struct run *run, struct kl_error *err)
{
    return transfer(run, true, err);
}

static const struct {
    const char *name;
    int (*run)(struct run *run, struct kl_error *err);
} commands[] = { { "list", list }, { "show", show },   { "log", draw_log }, { "verify", verify },
                 { "diff", diff }, { "merge", merge }, { "gc", gc },        { "fsck", fsck },
                 { "push", push }, { "pull", pull } };

static int dispatch(struct run *run, const char *const *args, size_t n, struct kl_error *err)
{
    run->args = args + 1;
    run->n = n ? n - 1 : 0;
    if (n && run->v.common.output && strcmp(run->v.common.output, "-") != 0 &&
        strcmp(args[0], "merge") != 0)
        return kl_fail(err, KL_EUSAGE, "%s: writes to standard output; -o belongs to merge", args[0]);
    for (size_t i = 0; n && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(args[0], commands[i].name) == 0) return commands[i].run(run, err);
    return kl_fail(
        err, KL_EUSAGE,
        "found '%s', expected list, show, log, verify, diff, merge, gc, fsck, push or pull; see --help",
        n ? args[0] : "no command");
}

int main(int argc, char **argv)
{
    struct kl_error err = { 0 };
    struct run run = { .log = { tool.name, stderr, 1 } };
    const char **args = NULL;
    size_t n = 0;
    signal(SIGXFSZ, SIG_IGN); /* a write beyond `ulimit -f` then fails with a reason; Ctrl-C ends at
                                 once, as usual */
    int code = kl_options_parse(&tool, &run.v, argc, argv, &args, &n, &err);
    if (code) return kl_report(&run.log, &err);
    if (run.v.common.quiet) run.log.level = 0;
    if (kl_options_answer(&tool, &run.v, stdout)) {
        free(args);
        return kl_finish(&run.log, 0);
    }
    code = dispatch(&run, args, n, &err);
    free(args);
    if (code == KL_ENO && !*err.text) return kl_finish(&run.log, 1); /* said on standard output */
    return kl_finish(&run.log, code ? kl_report(&run.log, &err) : 0);
}
