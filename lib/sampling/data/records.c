/* SPDX-License-Identifier: MIT
   Records: selected, made (SYNTH) or loaded from images. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "head/features.h"
#include "nn/nn.h"
#include "sampling/data/data.h"

/* ---- select ----
   Which records of a labelled set are taken: groups of classes, and the reference's quota of each class.
 */

/* One class; *text moves behind it. single: of one digit. */
static int read_class(int *c, const char **text, bool single, int classes, struct kl_error *err)
{
    const char *start = *text;
    char *end;
    if (*start < '0' || *start > '9')
        return kl_fail(err, KL_EUSAGE,
                       "groups: found '%.40s', expected classes, as 01234/56789 or 0,12/3", start);
    if (single) *c = *start - '0', end = (char *)start + 1;
    else *c = (int)(strtoul(start, &end, 10) % 1000000);
    *text = end;
    if (end - start < 7 && *c < classes) return 0;
    return kl_fail(err, KL_EUSAGE,
                   "groups: found class %.*s, expected 0 to %d; the labels have no other",
                   (int)(end - start), start, classes - 1);
}

int kl_sampling_groups_parse(struct kl_sampling_groups *groups, const char *text, int classes,
                             struct kl_error *err)
{
    if (classes < 2 || classes > KL_SAMPLING_CLASSES)
        return kl_fail(err, KL_EDATA, "the labels: found %d class%s, expected 2 to %d", classes,
                       classes == 1 ? "" : "es", KL_SAMPLING_CLASSES);
    *groups = (struct kl_sampling_groups){ .classes = classes, .n_groups = text && *text ? 1 : classes };
    for (int c = 0; c < classes; c++)
        groups->group_of[c] = text && *text ? -1 : c, groups->members[c] = 1;
    if (!text || !*text) return 0;
    groups->members[0] = 0;
    const bool single = classes <= 10 && !strchr(text, ',');
    for (const char *at = text; *at;) {
        int c = 0, g = groups->n_groups - 1;
        const int code = read_class(&c, &at, single, classes, err);
        if (code) return code;
        if (groups->group_of[c] >= 0)
            return kl_fail(err, KL_EUSAGE, "groups '%.80s': class %d is there twice", text, c);
        groups->group_of[c] = g, groups->members[g]++;
        if (*at == ',') at++;
        else if (*at == '/') {
            if (groups->n_groups == classes || !at[1])
                return kl_fail(err, KL_EUSAGE, "groups '%.80s': a group has no class", text);
            groups->members[groups->n_groups++] = 0, at++;
        }
    }
    if (groups->n_groups > 1) return 0;
    return kl_fail(err, KL_EUSAGE, "groups '%.80s': one group, expected two or more, as 01234/56789",
                   text);
}

size_t kl_sampling_select(int64_t *index, size_t *taken, const int32_t *label, size_t n,
                          const struct kl_sampling_groups *groups, size_t size)
{
    size_t count[KL_SAMPLING_CLASSES] = { 0 }, chosen = 0;
    int open = groups->n_groups;
    for (int g = 0; g < groups->n_groups; g++) taken[g] = 0;
    for (size_t i = 0; i < n && open; i++) {
        const int32_t c = label[i], g = c >= 0 && c < groups->classes ? groups->group_of[c] : -1;
        if (g < 0 || (size && taken[g] == size)) continue;
        const size_t members = (size_t)groups->members[g];
        const size_t quota = size / members ? size / members : 1;
        /* The limit is lifted for the last few, so that the group is filled. */
        if (size && taken[g] + members < size && count[c] >= quota) continue;
        count[c]++, taken[g]++, index[chosen++] = (int64_t)i;
        if (taken[g] == size) open--;
    }
    return chosen;
}

/* ---- synth ----
   SYNTH: normal records in four dimensions, labelled by the side of a plane; and what a set of records
   is freed by. One stream of a seed, in the reference's order. */

enum { INPUTS = 4 };

static void free_records(struct kl_sampling_records *records)
{
    free(records->x), free(records->label);
}

void kl_sampling_data_free(struct kl_sampling_data *data)
{
    free_records(&data->train), free_records(&data->test);
    free(data->train_index), free(data->test_index), free(data->true_test_label);
    memset(data, 0, sizeof *data);
}

/* true_label (n): the side of the plane; label the same, or coins, which are drawn behind the records.
 */
static int make(struct kl_sampling_records *records, int32_t *true_label, struct kl_nn_mersenne *m,
                const double *w, size_t n, bool coins, struct kl_error *err)
{
    const size_t bytes = (n * INPUTS * sizeof(float) + 63) / 64 * 64;
    records->n = n, records->inputs = INPUTS;
    records->x = aligned_alloc(64, bytes), records->label = malloc(n * sizeof *records->label);
    if (!records->x || !records->label) return kl_fail_memory(err, bytes);
    for (size_t i = 0; i < n; i++) {
        double side = 0;
        for (int k = 0; k < INPUTS; k++) {
            const double x = kl_nn_mersenne_normal(m);
            records->x[i * INPUTS + (size_t)k] = (float)x;
            side += x * w[k];
        }
        records->label[i] = side > 0;
    }
    if (true_label) memcpy(true_label, records->label, n * sizeof *true_label);
    /* A coin is the last bit of a word, as of RandomState.randint(0, 2). */
    for (size_t i = 0; coins && i < n; i++) records->label[i] = (int32_t)(kl_nn_mersenne_word(m) & 1);
    return 0;
}

int kl_sampling_synth_make(struct kl_sampling_data *data, double *w,
                           const struct kl_sampling_data_options *options, struct kl_error *err)
{
    struct kl_nn_mersenne m;
    double u[INPUTS], length = 0;
    const bool coins = options->random >= 1;
    const size_t n = options->train_size ? (size_t)options->train_size : 50,
                 n_test = options->test_size ? (size_t)options->test_size : 100;
    if (options->seed > UINT32_MAX)
        return kl_fail(err, KL_EUSAGE, "the seed of SYNTH: found %llu, expected at most 4294967295",
                       (unsigned long long)options->seed);
    kl_nn_mersenne_seed(&m, (uint32_t)options->seed);
    for (int k = 0; k < INPUTS; k++) {
        u[k] = kl_nn_mersenne_normal(&m);
        length += u[k] * u[k];
    }
    const double r = fabs(kl_nn_mersenne_normal(&m));
    for (int k = 0; k < INPUTS; k++) u[k] = r * (u[k] / sqrt(length));
    if (w) memcpy(w, u, sizeof u);
    strcpy(data->name, "synth");
    data->channels = data->height = 1, data->width = INPUTS, data->classes = 2;
    if (options->random > 0) {
        data->true_test_label = malloc(n_test * sizeof *data->true_test_label);
        if (!data->true_test_label) return kl_fail_memory(err, n_test * sizeof *data->true_test_label);
    }
    int code = make(&data->train, NULL, &m, u, n, coins, err);
    if (!code) code = make(&data->test, data->true_test_label, &m, u, n_test, coins, err);
    return code;
}

/* ---- from images to records: selection, normalisation, labels made random, one permutation ---- */

/* Of a channel; of KL_SAMPLING_IMAGES they are taken from the training records. */
struct scale {
    double mean[3], deviation[3];
};
static const struct known {
    const char *name;
    size_t side; /* 0: any */
    struct scale scale;
} sets[] = {
    [KL_SAMPLING_SYNTH] = { .name = "synth" },
    [KL_SAMPLING_FEATURES] = { .name = "features" },
    [KL_SAMPLING_IMAGES] = { .name = "images" },
    [KL_SAMPLING_MNIST] = { "mnist", 28, { { 0.1307 }, { 0.3081 } } },
    [KL_SAMPLING_CIFAR10] = { "cifar10", 32, { { .4914, .4822, .4465 }, { .2023, .1994, .2010 } } },
    [KL_SAMPLING_CIFAR100] = { "cifar100", 32, { { .5071, .4867, .4408 }, { .2675, .2565, .2761 } } },
    [KL_SAMPLING_SVHN] = { "svhn", 32, { { .4377, .4438, .4728 }, { .1980, .2010, .1970 } } },
};

/* One part, under way. */
struct part {
    struct kl_sampling_records *records;
    int64_t **index;   /* of the data */
    int64_t *chosen;   /* (n) rising */
    size_t *order;     /* (n): which of the chosen is record i */
    uint8_t *pixels;   /* (n, inputs) as chosen; NULL: */
    const float *rows; /* (of the source, inputs) */
    bool test;
};

static int check_size(const struct kl_sampling_source *source, const struct kl_sampling_data_options *o,
                      struct kl_error *err)
{
    const struct known *set = &sets[o->set];
    if (!set->side || (source->height == set->side && source->width == set->side)) return 0;
    return kl_fail(
        err, KL_EDATA,
        "%s: found images of %zu x %zu, expected %zu x %zu of --data %s; --data images takes any",
        source->files[0], source->height, source->width, set->side, set->side, set->name);
}

/* The training part has to have what is asked for; the test part has what there is. */
static int choose(struct part *p, const struct kl_sampling_source *source,
                  const struct kl_sampling_groups *groups, const struct kl_sampling_data_options *o,
                  struct kl_error *err)
{
    size_t *taken = calloc((size_t)groups->n_groups, sizeof *taken);
    const size_t size = (size_t)(p->test ? o->test_size : o->train_size);
    p->chosen = malloc((source->n + 1) * sizeof *p->chosen);
    if (!taken || !p->chosen) {
        free(taken);
        return kl_fail_memory(err, source->n * sizeof *p->chosen);
    }
    p->records->n = kl_sampling_select(p->chosen, taken, source->label, source->n, groups, size);
    int code = 0;
    for (int g = 0; g < groups->n_groups && !code; g++) {
        /* A class of its own is taken up to the size ("at most"); a group that was asked for is to be
         * full. */
        const bool exact = !p->test && o->groups && *o->groups && size;
        if (!taken[g] || (exact && taken[g] < size))
            code = kl_fail(err, KL_EDATA,
                           "%s: found %zu records of group %d, expected %zu; give a smaller --%s-size",
                           source->files[0], taken[g], g, size ? size : 1, p->test ? "test" : "train");
    }
    free(taken);
    return code;
}

/* Fisher and Yates; keyed, so that a part's order depends on nothing else. */
static int order(struct part *p, const struct kl_sampling_data_options *o, struct kl_error *err)
{
    const size_t n = p->records->n;
    p->order = malloc(n * sizeof *p->order);
    if (!p->order) return kl_fail_memory(err, n * sizeof *p->order);
    for (size_t i = 0; i < n; i++) p->order[i] = i;
    for (size_t i = n; o->permute && i-- > 1;) {
        uint32_t word[4];
        kl_philox(word, o->seed, (uint32_t)i, KL_RANDOM_PERMUTED_DATA, p->test, 0);
        const uint64_t wide = (uint64_t)word[0] << 32 | word[1];
        const size_t j = (size_t)((unsigned __int128)wide * (i + 1) >> 64), other = p->order[j];
        p->order[j] = p->order[i], p->order[i] = other;
    }
    return 0;
}

/* Does the i-th of the chosen get a new label? Any class, also its own. */
static int32_t random_label(int32_t label, size_t i, bool test, int classes,
                            const struct kl_sampling_data_options *o)
{
    uint32_t word[4];
    kl_philox(word, o->seed, (uint32_t)i, KL_RANDOM_RANDOM_LABELS, test, 0);
    if (!(kl_philox_unit(word[0]) < o->random)) return label;
    return (int32_t)((uint64_t)word[1] * (uint64_t)classes >> 32);
}

static void measure(struct scale *scale, const struct part *p, size_t channels)
{
    const size_t places = p->records->inputs / channels, n = p->records->n;
    for (size_t c = 0; c < channels; c++) {
        uint64_t sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < places; k++) {
                const uint64_t v = p->pixels[i * p->records->inputs + c * places + k];
                sum += v, squares += v * v;
            }
        const double all = (double)(n * places), mean = (double)sum / all;
        const double variance = (double)squares / all - mean * mean;
        scale->mean[c] = mean / 255, scale->deviation[c] = variance > 0 ? sqrt(variance) / 255 : 1;
    }
}

static int fill(struct part *p, const struct scale *scale, size_t channels, struct kl_error *err)
{
    struct kl_sampling_records *r = p->records;
    const size_t places = r->inputs / channels,
                 bytes = (r->n * r->inputs * sizeof(float) + 63) / 64 * 64;
    float table[3][256];
    r->x = aligned_alloc(64, bytes), *p->index = malloc(r->n * sizeof **p->index);
    if (!r->x || !*p->index) return kl_fail_memory(err, bytes);
    for (size_t c = 0; c < channels; c++)
        for (int v = 0; v < 256; v++)
            table[c][v] = (float)((v / 255.0 - scale->mean[c]) / scale->deviation[c]);
    for (size_t i = 0; i < r->n; i++) {
        const uint8_t *from = p->rows ? NULL : p->pixels + p->order[i] * r->inputs;
        (*p->index)[i] = p->chosen[p->order[i]];
        if (p->rows)
            memcpy(r->x + i * r->inputs, p->rows + (size_t)(*p->index)[i] * r->inputs,
                   r->inputs * sizeof *r->x);
        for (size_t k = 0; k < r->inputs && !p->rows; k++)
            r->x[i * r->inputs + k] = table[k / places][from[k]];
    }
    return 0;
}

static int label(struct kl_sampling_data *data, const struct part *p,
                 const struct kl_sampling_source *source, const struct kl_sampling_groups *groups,
                 const struct kl_sampling_data_options *o, struct kl_error *err)
{
    const size_t n = p->records->n;
    const bool keep = p->test && o->random > 0;
    p->records->label = malloc(n * sizeof(int32_t));
    if (keep) data->true_test_label = malloc(n * sizeof(int32_t));
    if (!p->records->label || (keep && !data->true_test_label))
        return kl_fail_memory(err, n * sizeof(int32_t));
    for (size_t i = 0; i < n; i++) {
        const int32_t true_label = groups->group_of[source->label[p->chosen[p->order[i]]]];
        if (keep) data->true_test_label[i] = true_label;
        p->records->label[i] = random_label(true_label, p->order[i], p->test, data->classes, o);
    }
    return 0;
}

static int load_part(struct kl_sampling_data *data, struct scale *scale, bool test,
                     const struct kl_sampling_data_options *o, const char *const *paths, size_t n_paths,
                     struct kl_error *err)
{
    struct kl_sampling_source source;
    struct kl_sampling_groups groups;
    struct part p = { test ? &data->test : &data->train, test ? &data->test_index : &data->train_index,
                      .test = test };
    int code = kl_sampling_source_open(&source, paths, n_paths, test, o, err);
    if (!code) code = check_size(&source, o, err);
    if (!code) code = kl_sampling_groups_parse(&groups, o->groups, source.classes, err);
    if (!code && test &&
        (source.channels != data->channels || source.height != data->height ||
         source.width != data->width))
        code = kl_fail(
            err, KL_EDATA,
            "%s: found images of %zu x %zu x %zu, expected %zu x %zu x %zu as the training part's",
            source.files[0], source.channels, source.height, source.width, data->channels, data->height,
            data->width);
    if (!code && test && groups.n_groups != data->classes)
        code = kl_fail(err, KL_EDATA, "%s: found %d classes, expected %d as in the training part",
                       source.files[0], groups.n_groups, data->classes);
    if (!code) code = choose(&p, &source, &groups, o, err);
    if (!code) {
        data->channels = source.channels, data->height = source.height, data->width = source.width;
        data->classes = groups.n_groups;
        p.records->inputs = source.channels * source.height * source.width;
        if (source.features) p.rows = source.features->x;
        else p.pixels = malloc(p.records->n * p.records->inputs);
        if (!p.rows && !p.pixels) code = kl_fail_memory(err, p.records->n * p.records->inputs);
    }
    if (!code && p.pixels)
        code = kl_sampling_source_read(&source, p.pixels, p.chosen, p.records->n, err);
    if (!code && !test && o->set == KL_SAMPLING_IMAGES) measure(scale, &p, data->channels);
    if (!code) code = order(&p, o, err);
    if (!code) code = fill(&p, scale, data->channels, err);
    if (!code) code = label(data, &p, &source, &groups, o, err);
    free(p.chosen), free(p.order), free(p.pixels);
    kl_sampling_source_close(&source);
    return code;
}

/* SYNTH's labels of a probability between 0 and 1 (those of 1 are coins of its own stream). */
static int load_synth(struct kl_sampling_data *data, const struct kl_sampling_data_options *o,
                      struct kl_error *err)
{
    struct kl_sampling_records *parts[2] = { &data->train, &data->test };
    const int code = kl_sampling_synth_make(data, NULL, o, err);
    for (int test = 0; test < 2 && !code && o->random > 0 && o->random < 1; test++)
        for (size_t i = 0; i < parts[test]->n; i++)
            parts[test]->label[i] = random_label(parts[test]->label[i], i, test != 0, data->classes, o);
    return code;
}

int kl_sampling_data_load(struct kl_sampling_data *data, const struct kl_sampling_data_options *options,
                          const char *const *paths, size_t n_paths, struct kl_error *err)
{
    struct scale scale;
    memset(data, 0, sizeof *data);
    if (options->set == KL_SAMPLING_SYNTH) {
        if (n_paths || (options->groups && *options->groups))
            return kl_fail(err, KL_EUSAGE,
                           "--data synth: found %s, expected none; it is drawn from its seed",
                           n_paths ? "an input" : "groups");
        return load_synth(data, options, err);
    }
    scale = sets[options->set].scale;
    strcpy(data->name, sets[options->set].name);
    int code = load_part(data, &scale, false, options, paths, n_paths, err);
    if (!code) code = load_part(data, &scale, true, options, paths, n_paths, err);
    return code;
}
