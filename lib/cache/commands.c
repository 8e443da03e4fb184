/* SPDX-License-Identifier: MIT
   The commands of cache: list, verify, diff, merge, gc, fsck, push and pull. */
#include "cache/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/describe.h"
#include "store/shard.h"

/* The folder that is named, the store, or the fallback. */
static const char *cache_folder(const struct kl_cache *c, const char *fallback)
{
    return c->n ? c->args[0] : c->common->store ? c->common->store : fallback;
}

/* KL_EUSAGE if several were named. */
static int cache_one_folder(const struct kl_cache *c, struct kl_error *err)
{
    return c->n <= 1 ? KL_OK : kl_fail_inputs(err, c->args, c->n, 1, "one folder at most");
}

/* A line about a file; context: the struct kl_cache. Non-zero, and c->problem: it cannot be printed. */
static int cache_found(void *context, const struct kl_found *f)
{
    struct kl_cache *c = context;
    if (!c->n_found++ && !c->common->json) kl_store_describe_heading(c->out);
    c->problem.code = kl_store_describe_found(c->out, f, c->common->json, &c->problem);
    return c->problem.code;
}

int kl_cache_list(struct kl_cache *c, struct kl_error *err)
{
    int code = cache_one_folder(c, err);
    if (!code && c->columns) return kl_cache_table(c, cache_folder(c, "."), err);
    if (!code && (c->csv || c->latex))
        code = kl_fail(err, KL_EUSAGE, "--%s: of which columns is not said; give --columns NAME,...",
                       c->csv ? "csv" : "latex");
    if (!code) code = kl_store_walk(cache_folder(c, "."), false, cache_found, c, NULL, err);
    if (!code && c->problem.code) *err = c->problem, code = err->code;
    return code;
}

/* ---- cache verify: every digest of a file ---- */

int kl_cache_verify(struct kl_cache *c, struct kl_error *err)
{
    size_t bad = 0;
    if (!c->n) return kl_fail(err, KL_EUSAGE, "no file; give one or more");
    for (size_t i = 0; i < c->n; i++) {
        struct kl_file *file = NULL;
        struct kl_error why = { 0 };
        int code = kl_store_file_open(&file, c->args[i], &why);
        if (!code) code = kl_store_file_verify(file, NULL, &why);
        kl_store_file_close(&file);
        if (code == KL_ENOMEM) { /* that is not the file's fault */
            *err = why;
            return code;
        }
        bad += code != 0;
        const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, c->args[i], 0 },
                                              { "whole", KL_JSON_BOOL, NULL, code == 0 },
                                              { "problem", KL_JSON_TEXT, why.text, 0 } };
        if (c->common->json && kl_json_line(c->out, pairs, 3, err)) return err->code;
        if (!c->common->json && !code && !c->common->quiet) fprintf(c->out, "%s: whole\n", c->args[i]);
        if (code) kl_note(c->log, 0, "%s", why.text);
    }
    return bad ? kl_fail(err, KL_ENO, "%zu of %zu file%s %s not whole", bad, c->n, kl_s(c->n),
                         bad == 1 ? "is" : "are")
               : KL_OK;
}

/* ---- cache diff: why two keys differ ---- */

/* The lines of a difference, or a JSON object of them. */
static int print_difference(const struct kl_cache *c, bool same, bool contents, const char *text,
                            struct kl_error *err)
{
    const struct kl_json_pair pairs[] = { { "equal", KL_JSON_BOOL, NULL, same },
                                          { "contents_equal", KL_JSON_BOOL, NULL, contents },
                                          { "differences", KL_JSON_TEXT, text, 0 } };
    if (c->common->json) return kl_json_line(c->out, pairs, 3, err);
    if (!same) fprintf(c->out, "%s%s", text, contents ? "the contents are equal\n" : "");
    else
        fprintf(c->out, "the keys are equal, the contents %s\n",
                contents ? "too" : "are not: other machines, or another version, made them");
    return KL_OK;
}

int kl_cache_diff(struct kl_cache *c, struct kl_error *err)
{
    struct kl_file *a = NULL, *b = NULL;
    char *text = NULL;
    if (c->n != 2)
        return kl_fail(err, KL_EUSAGE, "found %zu file%s, expected two; see --help", c->n, kl_s(c->n));
    int code = kl_store_file_open(&a, c->args[0], err);
    if (!code) code = kl_store_file_open(&b, c->args[1], err);
    if (!code) code = kl_store_file_diff(&text, a, b, err);
    bool same = !code && strcmp(kl_store_file_key(a), kl_store_file_key(b)) == 0;
    if (!code)
        code = print_difference(c, same, strcmp(kl_store_file_content(a), kl_store_file_content(b)) == 0,
                                text, err);
    free(text);
    kl_store_file_close(&a);
    kl_store_file_close(&b);
    if (code || same) return code;
    *err = (struct kl_error){ .code = KL_ENO };
    return KL_ENO;
}

/* ---- cache merge: one file from the shards of a run ---- */

int kl_cache_merge(struct kl_cache *c, struct kl_error *err)
{
    if (!c->n || !c->common->output)
        return kl_fail(err, KL_EUSAGE, "expected: cache merge SHARD... -o OUTPUT");
    const char *output = c->common->output;
    bool done = !c->common->force && kl_store_merged_before(output, c->args[0]);
    bool quiet = c->common->quiet || strcmp(output, "-") == 0;
    int code = done ? KL_OK : kl_store_merge(output, c->args, c->n, c->common, err);
    const struct kl_json_pair pairs[] = { { "output", KL_JSON_TEXT, output, 0 },
                                          { "shards", KL_JSON_COUNT, NULL, (double)c->n },
                                          { "status", KL_JSON_TEXT, done ? "up to date" : "computed",
                                            0 } };
    if (!code && !quiet && c->common->json) code = kl_json_line(c->out, pairs, 3, err);
    else if (!code && !quiet && done) fprintf(c->out, "%s: up to date\n", output);
    else if (!code && !quiet) fprintf(c->out, "%s: merged from %zu shard%s\n", output, c->n, kl_s(c->n));
    return code;
}

/* ---- cache push and pull: the files of a store to and from a folder or what rclone knows ---- */

static void print_transfer(void *context, const char *path, enum kl_transferred what, const char *why)
{
    static const char *const words[] = { "copied", "was there", "refused" };
    struct kl_cache *c = context;
    const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, path, 0 },
                                          { "status", KL_JSON_TEXT, words[what], 0 },
                                          { "problem", KL_JSON_TEXT, why, 0 } };
    if (c->common->json) kl_json_line(c->out, pairs, 3, &c->problem);
    else if (what == KL_REFUSED) kl_note(c->log, 0, "%s", why);
    else if (what == KL_COPIED) kl_note(c->log, 1, "%s: copied", path);
}

static int transfer(struct kl_cache *c, bool to_store, struct kl_error *err)
{
    const char *store = c->common->store;
    struct kl_transfer t = { .each = print_transfer, .context = c };
    if (c->n != 1)
        return kl_fail(err, KL_EUSAGE,
                       "found %zu places, expected one: a folder, or NAME:PATH; see --help", c->n);
    if (!store) return kl_fail(err, KL_EUSAGE, "no store; give --store DIR, or set KETLINE_STORE");
    const char *from = to_store ? c->args[0] : store, *to = to_store ? store : c->args[0];
    const bool first = !kl_store_is_remote(to) && access(to, F_OK) != 0; /* or its name was mistyped */
    int code = kl_store_is_remote(to) ? KL_OK : kl_store_shared_check(to, err);
    if (code) return code;
    kl_signals_install();
    code = kl_store_transfer(&t, from, to, err);
    if (first && t.n[KL_COPIED]) kl_note(c->log, 1, "new store at %s", to);
    if (code && code != KL_EIO) return code;
    if (!c->common->json && !c->common->quiet)
        fprintf(c->out, "%s: %zu file%s copied, %zu there already\n", to, t.n[KL_COPIED],
                kl_s(t.n[KL_COPIED]), t.n[KL_WAS_THERE]);
    if (!t.n[KL_REFUSED]) return code;
    if (code) kl_note(c->log, 0, "%s", err->text);
    return kl_fail(err, KL_ENO, "%zu file%s not whole and %s not copied", t.n[KL_REFUSED],
                   t.n[KL_REFUSED] == 1 ? " is" : "s are", t.n[KL_REFUSED] == 1 ? "was" : "were");
}

int kl_cache_push(struct kl_cache *c, struct kl_error *err)
{
    return transfer(c, false, err);
}

int kl_cache_pull(struct kl_cache *c, struct kl_error *err)
{
    return transfer(c, true, err);
}

/* ---- cache gc: leftovers of dead runs, and files long unused ---- */

static void print_gc(void *context, const char *path, const char *why, uint64_t bytes, int error)
{
    struct kl_cache *c = context;
    const char *problem = error ? strerror(error) : "";
    const struct kl_json_pair pairs[] = { { "path", KL_JSON_TEXT, path, 0 },
                                          { "why", KL_JSON_TEXT, why, 0 },
                                          { "bytes", KL_JSON_COUNT, NULL, (double)bytes },
                                          { "removed", KL_JSON_BOOL, NULL, c->apply && !error },
                                          { "problem", KL_JSON_TEXT, problem, 0 } };
    if (c->common->json) kl_json_line(c->out, pairs, 5, &c->problem);
    else if (!c->common->quiet && error)
        fprintf(c->out, "cannot remove %s (%s, %llu bytes): %s\n", path, why, (unsigned long long)bytes,
                problem);
    else if (!c->common->quiet)
        fprintf(c->out, "%s %s (%s, %llu bytes)\n", c->apply ? "removed" : "would remove", path, why,
                (unsigned long long)bytes);
}

static void sum_up(const struct kl_cache *c, const char *folder, const struct kl_gc *work)
{
    if (!work->n && !work->n_left) fprintf(c->out, "%s: nothing to remove", folder);
    else
        fprintf(c->out, "%s: %zu file%s, %llu bytes%s", folder, work->n, kl_s(work->n),
                (unsigned long long)work->bytes,
                c->apply ? " removed" : "; nothing was removed, --apply does");
    if (work->n_left) fprintf(c->out, "; %zu could not be removed", work->n_left);
    if (work->n_unlisted)
        fprintf(c->out, "; %zu folder%s not seen through", work->n_unlisted,
                work->n_unlisted == 1 ? " was" : "s were");
    fputc('\n', c->out);
}

int kl_cache_gc(struct kl_cache *c, struct kl_error *err)
{
    const char *folder = cache_folder(c, ".");
    struct kl_gc work = {
        .max_age = c->older_than * 86400, .dry = !c->apply, .each = print_gc, .context = c
    };
    int code = cache_one_folder(c, err);
    /* Whoever forgot KETLINE_STORE must not lose what lies below the folder here. */
    if (!code && c->older_than > 0 && !cache_folder(c, NULL))
        code = kl_fail(err, KL_EUSAGE,
                       "--older-than removes results: name the folder, give --store DIR, or set "
                       "KETLINE_STORE");
    if (!code) code = kl_store_gc(folder, &work, err);
    if ((!code || work.passed.n) && !c->common->json) sum_up(c, folder, &work);
    if (!code && c->problem.code) *err = c->problem, code = err->code;
    return code;
}

/* ---- cache fsck: every file of a store, damaged ones put aside ---- */

/* NAME.damaged, or NAME.damaged.2 and so on: what was put aside before stays. False: too long. */
static bool name_aside(char *aside, size_t size, const char *path)
{
    struct stat s;
    int length = snprintf(aside, size, "%s.damaged", path);
    for (int k = 2; length < (int)size && lstat(aside, &s) == 0; k++)
        length = snprintf(aside, size, "%s.damaged.%d", path, k);
    return length < (int)size;
}

static int check_found(void *context, const struct kl_found *f)
{
    struct kl_cache *c = context;
    char aside[4096];
    c->n_seen++;
    if (!f->code) return 0;
    c->n_unread += f->code != KL_EDATA;
    if (cache_found(c, f) || !c->repair || f->code != KL_EDATA) return c->problem.code;
    if (!kl_store_found_is_ours(f)) {
        kl_note(c->log, 0, "%s: left where it is: nothing shows that ketline wrote it", f->path);
    } else if (!name_aside(aside, sizeof aside, f->path)) {
        kl_note(c->log, 0, "%s: cannot be renamed: %s", f->path, strerror(ENAMETOOLONG));
    } else if (rename(f->path, aside) == 0) {
        c->n_aside++;
        kl_note(c->log, 1, "%s: put aside as %s", f->path, aside);
    } else {
        kl_note(c->log, 0, "%s: cannot be renamed: %s", f->path, strerror(errno));
    }
    return 0;
}

int kl_cache_fsck(struct kl_cache *c, struct kl_error *err)
{
    size_t bad = 0;
    const char *folder = cache_folder(c, NULL);
    if (!folder)
        return kl_fail(err, KL_EUSAGE, "no folder; name one, give --store DIR, or set KETLINE_STORE");
    int code = cache_one_folder(c, err);
    if (!code) code = kl_store_walk(folder, true, check_found, c, &bad, err);
    bad -= c->n_unread;
    if (!code && c->n_unread)
        code = kl_fail(err, KL_EIO, "%s: %zu file%s cannot be read", folder, c->n_unread,
                       kl_s(c->n_unread));
    if (code == KL_EIO && bad) { /* the answer is no, whatever lies in what cannot be read */
        kl_note(c->log, 0, "%s", err->text);
        code = KL_OK;
    }
    if (!code && c->problem.code) *err = c->problem, code = err->code;
    if (code) return code;
    if (bad && c->repair)
        return kl_fail(err, KL_ENO, "%s: %zu file%s not whole, %zu put aside", folder, bad,
                       bad == 1 ? " is" : "s are", c->n_aside);
    if (bad)
        return kl_fail(err, KL_ENO, "%s: %zu file%s not whole; --repair puts %s aside", folder, bad,
                       bad == 1 ? " is" : "s are", bad == 1 ? "it" : "them");
    if (c->common->quiet || c->common->json) return KL_OK;
    if (!c->n_seen) fprintf(c->out, "%s: has no .h5 files\n", folder);
    else fprintf(c->out, "%s: %zu file%s, every one whole\n", folder, c->n_seen, kl_s(c->n_seen));
    return KL_OK;
}
