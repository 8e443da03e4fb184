/* SPDX-License-Identifier: MIT
   Splits by people against the reference's lists (group split of hydra/golden.h5, by NumPy and
   scikit-learn): members of each part in the reference's order, and the same parts of windows made from
   a set of such people. */
#include <math.h>

#include "golden.h"
#include "sequence/learn/fitted.h"
#include "sequence/windows/windows.h"

enum { MOST = 128, EACH = 3 };
static int failures, compared;

static void say(bool good, const char *what, size_t n, int seed)
{
    if (!good) failures++;
    printf("%s of %zu people, seed %d: %s\n", what, n, seed, good ? "as expected" : "DIFFERS");
}

static size_t list_of(int64_t *list, hid_t group, const char *name)
{
    static double values[MOST];
    const size_t n = golden_values(values, MOST, group, name);
    for (size_t i = 0; i < n; i++) list[i] = (int64_t)values[i];
    return n;
}

/* The two draws of the reference: 0.3 of all are held out, half of those test. */
static bool in_order(const int64_t *const lists[3], const size_t *n, size_t people, uint64_t seed)
{
    int64_t ids[MOST];
    for (size_t i = 0; i < people; i++) ids[i] = (int64_t)i + 1;
    const size_t held = kl_sequence_split_hold(ids, people, 0.3, seed);
    if (people - held != n[0] || memcmp(ids + held, lists[0], n[0] * sizeof *ids)) return false;
    const size_t test = kl_sequence_split_hold(ids, held, 0.5, seed);
    return test == n[2] && held - test == n[1] && !memcmp(ids, lists[2], n[2] * sizeof *ids) &&
           !memcmp(ids + test, lists[1], n[1] * sizeof *ids);
}

static bool has(const int64_t *list, size_t n, int64_t one)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == one) return true;
    return false;
}

/* Windows of people in a shuffled order: person of window i is i * 7 modulo people. */
static bool as_windows(const int64_t *const lists[3], const size_t *n, size_t people, uint64_t seed)
{
    static int32_t labels[MOST * EACH], subject[MOST * EACH];
    static double onset[MOST * EACH];
    static char text[MOST][16];
    char *names[MOST];
    struct kl_sequence_split s;
    struct kl_sequence_split_options o;
    struct kl_error err;
    bool good = true;
    for (size_t p = 0; p < people; p++) snprintf(names[p] = text[p], sizeof *text, "S%zu", p + 1);
    for (size_t i = 0; i < people * EACH; i++)
        labels[i] = (int32_t)(i % 2), subject[i] = (int32_t)(i * 7 % people), onset[i] = (double)i;
    const struct kl_sequence_set set = { .n = people * EACH,
                                         .labels = labels,
                                         .subject = subject,
                                         .recording = subject,
                                         .onset = onset,
                                         .n_subjects = people,
                                         .n_recordings = people,
                                         .subject_names = names,
                                         .recording_names = names };
    kl_sequence_split_options_default(&o);
    o.seed = seed;
    must(kl_sequence_split_make(&s, &set, &o, &err), &err);
    for (int k = 0; k < 3; k++) {
        size_t of_part = 0;
        for (size_t i = 0; i < set.n; i++) of_part += has(lists[k], n[k], subject[i] + 1);
        good &= s.n[k] == of_part;
        for (size_t i = 0; i < s.n[k]; i++) good &= has(lists[k], n[k], subject[s.part[k][i]] + 1);
        for (size_t i = 1; i < s.n[k]; i++) {
            const int64_t a = s.part[k][i - 1], b = s.part[k][i];
            good &= subject[a] < subject[b] || (subject[a] == subject[b] && a < b);
        }
    }
    kl_sequence_split_free(&s);
    return good;
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    static int64_t lists[3][MOST];
    const int64_t *const all[3] = { lists[0], lists[1], lists[2] };
    size_t people, n[3];
    int seed;
    (void)info, (void)context;
    if (sscanf(name, "N%zu_seed%d", &people, &seed) != 2) return -1;
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    n[0] = list_of(lists[0], group, "train"), n[1] = list_of(lists[1], group, "val");
    n[2] = list_of(lists[2], group, "test");
    H5Gclose(group);
    say(in_order(all, n, people, (uint64_t)seed), "order", people, seed);
    say(as_windows(all, n, people, (uint64_t)seed), "windows", people, seed);
    compared++;
    return 0;
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/reference/hydra/golden.h5", shared ? shared : "../shared");
    FILE *there = fopen(path, "rb");
    if (!there) {
        printf("skipped: %s is not here\n", path);
        return 77;
    }
    fclose(there);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                group = H5Gopen2(file, "split", H5P_DEFAULT);
    golden_need(group >= 0 && H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, check, NULL) >= 0,
                "split");
    H5Gclose(group), H5Fclose(file);
    printf("%d splits\n", compared);
    return failures || compared != 20;
}
