/* SPDX-License-Identifier: MIT
   Splits by hand: which runs of whom are in which part; nothing is shared; the check finds what is. */
#include "sequence/learn/fitted.h"

#include <string.h>

#include "sequence/windows/windows.h"
#include "tests/unit/check.h"

/* Five people of four runs of three windows, in an order of files that is not that of the names and
   the last window first; the third window of the first run has no label. */
enum { PEOPLE = 5, RUNS = 4, EACH = 3, N = PEOPLE * RUNS * EACH };
static char *people[PEOPLE] = { "S10", "S2", "S1", "S3", "S4" };
static char names[PEOPLE * RUNS][8];
static char *recordings[PEOPLE * RUNS];
static int32_t labels[N], subject[N], recording[N];
static double onset[N];

static struct kl_sequence_set make_set(void)
{
    for (int i = 0; i < N; i++) {
        subject[i] = i / (RUNS * EACH), recording[i] = i / EACH;
        labels[i] = i % (RUNS * EACH) == 2 ? -1 : i % 2, onset[i] = 10 - i % EACH;
        snprintf(recordings[recording[i]] = names[recording[i]], sizeof *names, "R%02d",
                 4 * (recording[i] % RUNS) + 4);
    }
    return (struct kl_sequence_set){ .n = N,
                                     .labels = labels,
                                     .subject = subject,
                                     .recording = recording,
                                     .onset = onset,
                                     .n_subjects = PEOPLE,
                                     .n_recordings = PEOPLE * RUNS,
                                     .subject_names = people,
                                     .recording_names = recordings };
}

static int part_of(const struct kl_sequence_split *s, int64_t window)
{
    int found = -1, times = 0;
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t i = 0; i < s->n[k]; i++)
            if (s->part[k][i] == window) found = k, times++;
    CHECK(times <= 1, "window %d", (int)window);
    return found;
}

static struct kl_sequence_split split_of(const struct kl_sequence_set *set,
                                         enum kl_sequence_split_kind kind, int64_t fold)
{
    struct kl_sequence_split s;
    struct kl_sequence_split_options o;
    struct kl_error err = { 0 };
    kl_sequence_split_options_default(&o);
    o.kind = kind, o.fold = fold;
    CHECK(kl_sequence_split_make(&s, set, &o, &err) == 0, "%s", err.text);
    CHECK(s.unlabelled == PEOPLE && s.n[0] + s.n[1] + s.n[2] == N - PEOPLE);
    for (int i = 0; i < N; i++)
        CHECK((part_of(&s, i) < 0) == (labels[i] < 0), "window %d, kind %d", i, (int)kind);
    return s;
}

static void by_people(const struct kl_sequence_set *set)
{
    static const int order[PEOPLE] = { 2, 1, 3, 4, 0 }; /* S1, S2, S3, S4, S10 */
    struct kl_error err;
    for (int64_t fold = 0; fold < PEOPLE; fold++) {
        struct kl_sequence_split s = split_of(set, KL_SEQUENCE_SPLIT_LOSO, fold);
        CHECK(s.folds == PEOPLE);
        for (int i = 0; i < N; i++)
            if (labels[i] >= 0)
                CHECK((part_of(&s, i) == KL_SEQUENCE_TEST) == (subject[i] == order[fold]));
        CHECK(kl_sequence_split_check(&s, set, true, &err) == 0);
        kl_sequence_split_free(&s);
    }
    int tested[PEOPLE] = { 0 };
    for (int64_t fold = 0; fold < 5; fold++) {
        struct kl_sequence_split s = split_of(set, KL_SEQUENCE_SPLIT_KFOLD, fold);
        for (size_t i = 0; i < s.n[KL_SEQUENCE_TEST]; i++)
            tested[subject[s.part[KL_SEQUENCE_TEST][i]]]++;
        kl_sequence_split_free(&s);
    }
    for (int p = 0; p < PEOPLE; p++) CHECK(tested[p] == RUNS * EACH - 1, "%d", tested[p]);
}

static void by_runs(const struct kl_sequence_set *set)
{
    struct kl_error err;
    for (int64_t fold = 0; fold < RUNS; fold++) {
        struct kl_sequence_split s = split_of(set, KL_SEQUENCE_SPLIT_LORO, fold);
        CHECK(s.folds == RUNS);
        for (int i = 0; i < N; i++) {
            const int run = recording[i] % RUNS, part = part_of(&s, i);
            if (labels[i] < 0) continue;
            CHECK(part == (run == fold                ? KL_SEQUENCE_TEST
                           : run == (fold + 1) % RUNS ? KL_SEQUENCE_VALIDATION
                                                      : KL_SEQUENCE_TRAIN));
        }
        CHECK(kl_sequence_split_check(&s, set, false, &err) == 0);
        CHECK(kl_sequence_split_check(&s, set, true, &err) == KL_EDATA);
        kl_sequence_split_free(&s);
    }
    struct kl_sequence_split s = split_of(set, KL_SEQUENCE_SPLIT_WITHIN, 0);
    for (int i = 0; i < N; i++)
        if (labels[i] >= 0)
            CHECK(part_of(&s, i) == (recording[i] % RUNS == 3   ? KL_SEQUENCE_TEST
                                     : recording[i] % RUNS == 2 ? KL_SEQUENCE_VALIDATION
                                                                : KL_SEQUENCE_TRAIN));
    kl_sequence_split_free(&s);
}

/* Random windows leak, and the check says so; one window moved by hand as well. */
static void leaks(const struct kl_sequence_set *set)
{
    struct kl_error err;
    struct kl_sequence_split s = split_of(set, KL_SEQUENCE_SPLIT_LEAK, 0);
    CHECK(kl_sequence_split_check(&s, set, false, &err) == KL_EDATA && strstr(err.text, "a leak"));
    kl_sequence_split_free(&s);
    s = split_of(set, KL_SEQUENCE_SPLIT_SUBJECT, 0);
    CHECK(kl_sequence_split_check(&s, set, true, &err) == 0);
    s.part[KL_SEQUENCE_TRAIN][0] = s.part[KL_SEQUENCE_TEST][0];
    CHECK(kl_sequence_split_check(&s, set, true, &err) == KL_EDATA);
    kl_sequence_split_free(&s);
}

/* Each part is in the order of people, runs and time, whatever the order of the files. */
static void in_order(const struct kl_sequence_set *set)
{
    struct kl_sequence_split s = split_of(set, KL_SEQUENCE_SPLIT_LOSO, PEOPLE - 1);
    const int64_t *train = s.part[KL_SEQUENCE_TRAIN];
    CHECK(subject[train[0]] == 2 && recording[train[0]] == 2 * RUNS && onset[train[0]] == 9);
    for (size_t i = 1; i < s.n[KL_SEQUENCE_TRAIN]; i++) {
        const int64_t a = train[i - 1], b = train[i];
        const int people_order = strverscmp(people[subject[a]], people[subject[b]]);
        const bool later =
            recording[a] == recording[b] ? onset[a] < onset[b] : recording[a] < recording[b];
        CHECK(people_order < 0 || (!people_order && later), "window %d before %d", (int)a, (int)b);
    }
    kl_sequence_split_free(&s);
}

/* Two recordings of one name and person, in two files, are one run. */
static void same_name(struct kl_sequence_set set)
{
    struct kl_error err;
    struct kl_sequence_split s;
    struct kl_sequence_split_options o;
    kl_sequence_split_options_default(&o);
    o.kind = KL_SEQUENCE_SPLIT_WITHIN;
    char *kept = recordings[3];
    recordings[3] = recordings[2]; /* the first one's last run */
    CHECK(kl_sequence_split_make(&s, &set, &o, &err) == 0, "%s", err.text);
    CHECK(part_of(&s, 2 * EACH) == KL_SEQUENCE_TEST && part_of(&s, 3 * EACH) == KL_SEQUENCE_TEST);
    kl_sequence_split_free(&s);
    recordings[3] = kept;
}

/* ceil(0.3 * 10) of ten, though 0.1 + 0.2 is a little more than 0.3 in binary. */
static void shares(void)
{
    int64_t ids[10] = { 0 };
    CHECK(kl_sequence_split_hold(ids, 10, 0.1 + 0.2, 0) == 3);
    CHECK(kl_sequence_split_hold(ids, 10, 0.3, 0) == 3);
    CHECK(kl_sequence_split_hold(ids, 10, 0.31, 0) == 4);
}

static void refuses(const struct kl_sequence_set *set)
{
    static const struct {
        enum kl_sequence_split_kind kind;
        int64_t fold, folds;
        double validation, test;
        int code;
    } wrong[] = {
        { KL_SEQUENCE_SPLIT_LOSO, PEOPLE, 5, 0.15, 0.15, KL_EUSAGE },
        { KL_SEQUENCE_SPLIT_LORO, RUNS, 5, 0.15, 0.15, KL_EUSAGE },
        { KL_SEQUENCE_SPLIT_KFOLD, 0, 6, 0.15, 0.15, KL_EDATA },
        { KL_SEQUENCE_SPLIT_SUBJECT, 1, 5, 0.15, 0.15, KL_EUSAGE },
        { KL_SEQUENCE_SPLIT_SUBJECT, 0, 5, 0.5, 0.5, KL_EUSAGE },
        { KL_SEQUENCE_SPLIT_SUBJECT, 0, 5, 0.45, 0.45, KL_EDATA },
        { KL_SEQUENCE_SPLIT_WITHIN, 0, 5, 0.45, 0.3, KL_EDATA },
        { KL_SEQUENCE_SPLIT_LEAK, 0, 5, 0.15, 0, KL_EUSAGE },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kl_sequence_split s;
        struct kl_error err = { 0 };
        const struct kl_sequence_split_options o = { wrong[i].kind,       wrong[i].fold, wrong[i].folds,
                                                     wrong[i].validation, wrong[i].test, 0 };
        CHECK(kl_sequence_split_make(&s, set, &o, &err) == wrong[i].code, "%zu: %s", i, err.text);
        kl_sequence_split_free(&s);
    }
}

int main(void)
{
    const struct kl_sequence_set set = make_set();
    by_people(&set), by_runs(&set), leaks(&set), in_order(&set), same_name(set), shares(), refuses(&set);
    return failures != 0;
}
