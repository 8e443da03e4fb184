/* SPDX-License-Identifier: MIT
   Splits of windows by people and by their runs, and their group in files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "sequence/learn/fitted.h"
#include "sequence/windows/windows.h"

/* ---- split ----
   Splits of windows by people and by their runs. What is dealt out are runs; windows follow theirs. */

static const char *const part_names[] = { "training", "validation", "test" };

void kl_sequence_split_options_default(struct kl_sequence_split_options *o)
{
    *o = (struct kl_sequence_split_options){ .folds = 5, .validation = 0.15, .test = 0.15 };
}

bool kl_sequence_split_across(enum kl_sequence_split_kind kind)
{
    return kind == KL_SEQUENCE_SPLIT_SUBJECT || kind == KL_SEQUENCE_SPLIT_LOSO ||
           kind == KL_SEQUENCE_SPLIT_KFOLD;
}

/* 0.1 + 0.2 of 10 are 3, not the 4 that rounding makes of it. */
static size_t share_of(double share, size_t n)
{
    const double held = ceil(share * (double)n * (1 - 1e-12));
    return held < (double)n ? (size_t)held : n;
}

size_t kl_sequence_split_hold(int64_t *ids, size_t n, double share, uint64_t seed)
{
    struct kl_nn_mersenne m;
    kl_nn_mersenne_seed(&m, (uint32_t)seed);
    kl_nn_mersenne_permute(&m, ids, n);
    return share_of(share, n);
}

/* ---- people and their runs, by name ---- */

struct run {
    int32_t subject;
    const char *person, *name;
};
/* A labelled window. What follows from the order of windows follows from names and times, so that it
   depends neither on the order of files nor on what else stands in them. */
struct place {
    size_t run, number; /* number: in the set */
    double onset;
};
/* All of labelled windows. Run r is runs[r]; person p has runs [first[p], first[p + 1]). */
struct layout {
    struct run *runs;
    size_t n_runs, n_people, n_windows;
    size_t *first;
    struct place *places; /* (n_windows) of labelled windows, in the order of people, runs and time */
    int *part;            /* (n_runs); -1: none yet */
    int64_t *ids;         /* (most of people, windows) for permutations */
};

static int by_name(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    const int people = strverscmp(x->person, y->person);
    return people ? people : strverscmp(x->name, y->name);
}

static struct run run_at(const struct kl_sequence_set *set, size_t i)
{
    return (struct run){ set->subject[i], set->subject_names[set->subject[i]],
                         set->recording_names[set->recording[i]] };
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->run != y->run) return x->run < y->run ? -1 : 1;
    if (x->onset < y->onset || x->onset > y->onset) return x->onset < y->onset ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The runs of all windows, sorted, each once. */
static void find_runs(struct layout *l, const struct kl_sequence_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (set->labels[i] < 0) continue;
        const struct run one = run_at(set, i);
        l->n_windows++;
        if (!n || by_name(&l->runs[n - 1], &one)) l->runs[n++] = one;
    }
    qsort(l->runs, n, sizeof *l->runs, by_name);
    for (size_t i = 0; i < n; i++)
        if (!l->n_runs || by_name(&l->runs[l->n_runs - 1], &l->runs[i]))
            l->runs[l->n_runs++] = l->runs[i];
    for (size_t r = 0; r < l->n_runs; r++)
        if (!r || strcmp(l->runs[r - 1].person, l->runs[r].person)) l->first[l->n_people++] = r;
    l->first[l->n_people] = l->n_runs;
}

static int layout_make(struct layout *l, const struct kl_sequence_set *set, struct kl_error *err)
{
    *l = (struct layout){ .runs = malloc((set->n + 1) * sizeof *l->runs),
                          .first = malloc((set->n + 2) * sizeof *l->first),
                          .places = malloc((set->n + 1) * sizeof *l->places),
                          .part = malloc((set->n + 1) * sizeof *l->part),
                          .ids = malloc((set->n + 1) * sizeof *l->ids) };
    if (!l->runs || !l->first || !l->places || !l->part || !l->ids)
        return kl_fail_memory(err, set->n * 64);
    find_runs(l, set);
    for (size_t i = 0, n = 0; i < set->n; i++) {
        const struct run one = run_at(set, i);
        if (set->labels[i] < 0) continue;
        const struct run *run = bsearch(&one, l->runs, l->n_runs, sizeof one, by_name);
        l->places[n++] =
            (struct place){ (size_t)(run - l->runs), i, isnan(set->onset[i]) ? 0 : set->onset[i] };
    }
    qsort(l->places, l->n_windows, sizeof *l->places, by_place);
    for (size_t r = 0; r < l->n_runs; r++) l->part[r] = KL_SEQUENCE_TRAIN;
    return KL_OK;
}

static void layout_free(struct layout *l)
{
    free(l->runs), free(l->first), free(l->places), free(l->part), free(l->ids);
}

static void deal_person(struct layout *l, int64_t person, int part)
{
    for (size_t r = l->first[person]; r < l->first[person + 1]; r++) l->part[r] = part;
}

/* ---- the kinds ---- */

static int too_few(struct kl_error *err, size_t n, const char *what)
{
    return kl_fail(err, KL_EDATA,
                   "--split: found %zu %s, too few for %s; give more, or split runs (within, loro)", n,
                   n == 1 ? "person" : "people", what);
}

/* Leaving one out needs fewer people, and no validation one less: what would do is named. */
static int too_few_held(struct kl_error *err, struct layout *l, const char *what,
                        const struct kl_sequence_split_options *o)
{
    const size_t n = l->n_people;
    const bool one = n > 1 &&
                     kl_sequence_split_hold(l->ids, n - 1, o->validation, o->seed)<n - 1, none = n> 1 &&
                     o->validation > 0 && share_of(o->test, n) < n;
    if (!one && !none) return too_few(err, n, what);
    return kl_fail(
        err, KL_EDATA,
        "--split: found %zu people, too few for %s; give more%s%s, or split runs (within, loro)", n,
        what, none ? ", leave validation out (--val-fraction 0)" : "",
        one ? ", test one at a time (--split loso)" : "");
}

static int split_subject(struct layout *l, const struct kl_sequence_split_options *o,
                         struct kl_error *err)
{
    const size_t n = l->n_people;
    const double held = o->validation + o->test;
    for (size_t i = 0; i < n; i++) l->ids[i] = (int64_t)i;
    const size_t out = kl_sequence_split_hold(l->ids, n, held, o->seed);
    if (out >= n) return too_few_held(err, l, "training, validation and test", o);
    const size_t test = kl_sequence_split_hold(l->ids, out, o->test / held, o->seed);
    if (o->validation > 0 && test >= out) return too_few_held(err, l, "validation and test", o);
    for (size_t i = 0; i < out; i++)
        deal_person(l, l->ids[i], i < test ? KL_SEQUENCE_TEST : KL_SEQUENCE_VALIDATION);
    return KL_OK;
}

/* Of people ids[0 .. n), who train, some validate. */
static int deal_validation(struct layout *l, int64_t *ids, size_t n,
                           const struct kl_sequence_split_options *o, struct kl_error *err)
{
    if (!n) return too_few(err, l->n_people, "training and test");
    const size_t held = kl_sequence_split_hold(ids, n, o->validation, o->seed);
    if (held >= n)
        return kl_fail(
            err, KL_EDATA,
            "--val-fraction %g: of the %zu %s beside the test all would validate, and nobody train; "
            "expected less, or 0: without validation",
            o->validation, n, n == 1 ? "person" : "people");
    for (size_t i = 0; i < held; i++) deal_person(l, ids[i], KL_SEQUENCE_VALIDATION);
    return KL_OK;
}

static int split_loso(struct layout *l, const struct kl_sequence_split_options *o, struct kl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n_people; i++)
        if ((int64_t)i != o->fold) l->ids[n++] = (int64_t)i;
    deal_person(l, o->fold, KL_SEQUENCE_TEST);
    return deal_validation(l, l->ids, n, o, err);
}

static int split_kfold(struct layout *l, const struct kl_sequence_split_options *o, struct kl_error *err)
{
    const size_t n = l->n_people, k = (size_t)o->folds, f = (size_t)o->fold;
    if (n < k) return too_few(err, n, "so many --folds");
    for (size_t i = 0; i < n; i++) l->ids[i] = (int64_t)i;
    kl_sequence_split_hold(l->ids, n, 0, o->seed);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= n * f / k && i < n * (f + 1) / k) deal_person(l, l->ids[i], KL_SEQUENCE_TEST);
        else l->ids[kept++] = l->ids[i];
    }
    return deal_validation(l, l->ids, kept, o, err);
}

/* Of each person n_test runs from `at` on test, and n_validation validate: before them, or in turn after
   them. */
static int deal_runs(struct layout *l, size_t p, const struct kl_sequence_split_options *o,
                     struct kl_error *err)
{
    const size_t first = l->first[p], n = l->first[p + 1] - first;
    const bool within = o->kind == KL_SEQUENCE_SPLIT_WITHIN;
    const size_t test = within ? share_of(o->test, n) : 1,
                 validation = share_of(o->validation, within ? n : n - 1);
    if (test + validation >= n)
        return kl_fail(err, KL_EDATA,
                       "--split: '%s' has %zu run%s, too few for training%s and test within a person%s",
                       l->runs[first].person, n, kl_s(n), validation ? ", validation" : "",
                       validation && test < n ? "; --val-fraction 0 leaves validation out" : "");
    for (size_t i = 0; i < test; i++)
        l->part[first + (within ? n - test + i : (size_t)o->fold)] = KL_SEQUENCE_TEST;
    for (size_t i = 0; i < validation; i++)
        l->part[first + (within ? n - test - validation + i : ((size_t)o->fold + 1 + i) % n)] =
            KL_SEQUENCE_VALIDATION;
    return KL_OK;
}

static int split_runs(struct layout *l, const struct kl_sequence_split_options *o, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t p = 0; p < l->n_people && !code; p++) code = deal_runs(l, p, o, err);
    return code;
}

/* ---- from runs to windows ---- */

static int take_lists(struct kl_sequence_split *s, size_t n, struct kl_error *err)
{
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        if (!(s->part[k] = malloc((n + 1) * sizeof **s->part))) return kl_fail_memory(err, n * 8);
    return KL_OK;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void put(struct kl_sequence_split *s, int part, const struct place *place)
{
    s->part[part][s->n[part]++] = (int64_t)place->number;
}

/* Windows at random, whoever they are of. */
static void split_leak(struct kl_sequence_split *s, struct layout *l,
                       const struct kl_sequence_split_options *o)
{
    const double held = o->validation + o->test;
    const size_t n = l->n_windows;
    for (size_t i = 0; i < n; i++) l->ids[i] = (int64_t)i;
    const size_t out = kl_sequence_split_hold(l->ids, n, held, o->seed);
    const size_t test = kl_sequence_split_hold(l->ids, out, o->test / held, o->seed);
    qsort(l->ids, test, sizeof *l->ids, by_number);
    qsort(l->ids + test, out - test, sizeof *l->ids, by_number);
    qsort(l->ids + out, n - out, sizeof *l->ids, by_number);
    for (size_t i = 0; i < n; i++)
        put(s,
            i < test  ? KL_SEQUENCE_TEST
            : i < out ? KL_SEQUENCE_VALIDATION
                      : KL_SEQUENCE_TRAIN,
            &l->places[l->ids[i]]);
}

static void fill_lists(struct kl_sequence_split *s, const struct layout *l)
{
    for (size_t i = 0; i < l->n_windows; i++) put(s, l->part[l->places[i].run], &l->places[i]);
}

static int64_t count_folds(const struct layout *l, const struct kl_sequence_split_options *o)
{
    size_t least = l->n_runs;
    if (o->kind == KL_SEQUENCE_SPLIT_LOSO) return (int64_t)l->n_people;
    if (o->kind == KL_SEQUENCE_SPLIT_KFOLD) return o->folds;
    if (o->kind != KL_SEQUENCE_SPLIT_LORO) return 1;
    for (size_t p = 0; p < l->n_people; p++)
        if (l->first[p + 1] - l->first[p] < least) least = l->first[p + 1] - l->first[p];
    return (int64_t)least;
}

static int check_options(const struct kl_sequence_split *s, const struct layout *l,
                         const struct kl_sequence_split_options *o, struct kl_error *err)
{
    if (!l->n_windows) return kl_fail(err, KL_EDATA, "--split: found no window with a label");
    if (o->seed > UINT32_MAX)
        return kl_fail(err, KL_EUSAGE, "--split-seed: found %llu, expected less than 2^32, as NumPy's",
                       (unsigned long long)o->seed);
    const bool shares = o->kind == KL_SEQUENCE_SPLIT_SUBJECT || o->kind == KL_SEQUENCE_SPLIT_WITHIN ||
                        o->kind == KL_SEQUENCE_SPLIT_LEAK;
    if (!(o->validation >= 0 && o->validation < 1))
        return kl_fail(err, KL_EUSAGE, "--val-fraction: found %g, expected 0 or more, and less than 1",
                       o->validation);
    if (shares && !(o->test > 0 && o->test + o->validation < 1))
        return kl_fail(err, KL_EUSAGE,
                       "--test-fraction %g, --val-fraction %g: expected a test share above 0, and both "
                       "together below 1",
                       o->test, o->validation);
    if (o->fold >= 0 && o->fold < s->folds) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "--fold: found %lld, expected 0 to %lld", (long long)o->fold,
                   (long long)s->folds - 1);
}

static int check_parts(const struct kl_sequence_split *s, const struct kl_sequence_split_options *o,
                       struct kl_error *err)
{
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        if (!s->n[k] && (k != KL_SEQUENCE_VALIDATION || o->validation > 0))
            return kl_fail(err, KL_EDATA, "--split: no window is left for the %s part", part_names[k]);
    return KL_OK;
}

static int deal(struct kl_sequence_split *s, struct layout *l, const struct kl_sequence_set *set,
                const struct kl_sequence_split_options *o, struct kl_error *err)
{
    static int (*const kinds[])(struct layout *, const struct kl_sequence_split_options *,
                                struct kl_error *) = { split_subject, split_loso, split_kfold,
                                                       split_runs, split_runs };
    if (o->kind == KL_SEQUENCE_SPLIT_LEAK) {
        split_leak(s, l, o);
        return KL_OK;
    }
    const int code = kinds[o->kind](l, o, err);
    if (!code) fill_lists(s, l);
    return code ? code : kl_sequence_split_check(s, set, kl_sequence_split_across(o->kind), err);
}

int kl_sequence_split_make(struct kl_sequence_split *s, const struct kl_sequence_set *set,
                           const struct kl_sequence_split_options *o, struct kl_error *err)
{
    struct layout l;
    memset(s, 0, sizeof *s);
    int code = layout_make(&l, set, err);
    if (!code) {
        s->folds = count_folds(&l, o);
        s->unlabelled = set->n - l.n_windows;
        code = check_options(s, &l, o, err);
    }
    if (!code) code = take_lists(s, set->n, err);
    if (!code) code = deal(s, &l, set, o, err);
    if (!code) code = check_parts(s, o, err);
    layout_free(&l);
    return code;
}

/* ---- the check, which knows nothing of how a split was made ---- */

/* The window of the lowest part that person or run `of` was seen in; sorted by name, then by part. */
struct seen {
    struct run run;
    int part;
};

static int by_seen(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    const int order = by_name(&x->run, &y->run);
    return order ? order : x->part - y->part;
}

static int compare_seen(const struct seen *seen, size_t n, bool across, struct kl_error *err)
{
    for (size_t i = 1; i < n; i++) {
        const struct seen *a = &seen[i - 1], *b = &seen[i];
        if (strcmp(a->run.person, b->run.person)) continue;
        if (a->part == b->part) continue;
        if (!strcmp(a->run.name, b->run.name))
            return kl_fail(err, KL_EDATA,
                           "recording '%s' of '%s' is in the %s part and in the %s part: a leak",
                           a->run.name, a->run.person, part_names[a->part], part_names[b->part]);
        if (across)
            return kl_fail(err, KL_EDATA,
                           "'%s' is in the %s part and in the %s part, expected each person in one: a "
                           "leak",
                           a->run.person, part_names[a->part], part_names[b->part]);
    }
    return KL_OK;
}

int kl_sequence_split_check(const struct kl_sequence_split *s, const struct kl_sequence_set *set,
                            bool across, struct kl_error *err)
{
    const size_t n = s->n[0] + s->n[1] + s->n[2];
    struct seen *seen = malloc((n + 1) * sizeof *seen);
    if (!seen) return kl_fail_memory(err, n * sizeof *seen);
    size_t used = 0;
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t i = 0; i < s->n[k]; i++) {
            const struct seen one = { run_at(set, (size_t)s->part[k][i]), k };
            if (!used || by_seen(&seen[used - 1], &one)) seen[used++] = one;
        }
    qsort(seen, used, sizeof *seen, by_seen);
    const int code = compare_seen(seen, used, across, err);
    free(seen);
    return code;
}

void kl_sequence_split_free(struct kl_sequence_split *s)
{
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++) free(s->part[k]);
    free(s->digests);
    memset(s, 0, sizeof *s);
}

/* ---- split file ----
   The group split/ of files of models and of fits: which windows of which files of whom are in which
   part, and their digests, by which copies of them are known. */

static int put_list(struct kl_writer *w, const char *name, const int32_t *values, size_t n,
                    struct kl_error *err)
{
    const int code = kl_store_writer_put(w, name, KL_TYPE_I32, 0, 1, &n, values, err);
    return code < 0 ? code : KL_OK;
}
static int put_part(struct kl_writer *w, const struct kl_sequence_split *split, size_t n,
                    struct kl_error *err)
{
    int32_t *const part = malloc((n + 1) * sizeof *part);
    if (!part) return kl_fail_memory(err, n * sizeof *part);
    for (size_t i = 0; i < n; i++) part[i] = -1;
    for (int32_t k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t i = 0; i < split->n[k]; i++) part[split->part[k][i]] = k;
    const int code = put_list(w, "split/part", part, n, err);
    free(part);
    return code;
}
static int put_digests(struct kl_writer *w, const struct kl_sequence_split *split, size_t n,
                       struct kl_error *err)
{
    if (!split->digests) return KL_OK;
    const int code = kl_store_writer_put(w, "split/digest", KL_TYPE_I64, 0, 1, &n, split->digests, err);
    return code < 0 ? code : KL_OK;
}
static int put_counts(struct kl_writer *w, struct kl_file *const *files, size_t n, struct kl_error *err)
{
    int32_t *const counts = malloc((n + 1) * sizeof *counts);
    if (!counts) return kl_fail_memory(err, n * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[i] = (int32_t)kl_store_file_find(files[i], "x")->rows;
    const int code = put_list(w, "split/file_windows", counts, n, err);
    free(counts);
    return code;
}
static int put_names(struct kl_writer *w, const char *name, char *const *names, size_t n,
                     struct kl_error *err)
{
    return kl_sequence_names_put(w, name, (const char *const *)names, n, err);
}

int kl_sequence_split_put(struct kl_writer *w, const struct kl_sequence_set *set,
                          const struct kl_sequence_split *split, struct kl_file *const *files,
                          size_t n_files, struct kl_error *err)
{
    const char **const contents = malloc((n_files + 1) * sizeof *contents);
    if (!contents) return kl_fail_memory(err, n_files * sizeof *contents);
    for (size_t i = 0; i < n_files; i++) contents[i] = kl_store_file_content(files[i]);
    int code = kl_sequence_names_put(w, "split/files", contents, n_files, err);
    free(contents);
    if (!code) code = put_counts(w, files, n_files, err);
    if (!code) code = put_part(w, split, set->n, err);
    if (!code) code = put_digests(w, split, set->n, err);
    if (!code) code = put_list(w, "split/subject", set->subject, set->n, err);
    if (!code) code = put_list(w, "split/recording", set->recording, set->n, err);
    if (!code) code = put_names(w, "split/subject_names", set->subject_names, set->n_subjects, err);
    return code ? code
                : put_names(w, "split/recording_names", set->recording_names, set->n_recordings, err);
}
