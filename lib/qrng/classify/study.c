/* SPDX-License-Identifier: MIT
   A study on its data: what it trains, the splits of its rows; and its settings as its file has them. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "qrng/classify/network.h"
#include "qrng/classify/study.h"
#include "store/kind.h"

enum { MOST_UNITS = 4096 };

/* "30,20" between the inputs and the classes. */
static int read_hidden(struct kl_mlp *net, const char *text, size_t inputs, size_t classes,
                       struct kl_error *err)
{
    const char *at = text;
    net->size[0] = (int)inputs;
    net->n_layers = 0;
    while (*at) {
        char *end;
        const long units = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
        if (units < 1 || units > MOST_UNITS || (*end && (*end != ',' || !end[1])))
            return kl_fail(err, KL_EUSAGE,
                           "--hidden: found '%s', expected whole numbers from 1 to %d, as in 30,20",
                           text, (int)MOST_UNITS);
        if (++net->n_layers == KL_MLP_LAYERS)
            return kl_fail(err, KL_EUSAGE, "--hidden: found '%s', expected at most %d layers", text,
                           (int)KL_MLP_LAYERS - 1);
        net->size[net->n_layers] = (int)units;
        at = *end ? end + 1 : end;
    }
    net->size[++net->n_layers] = (int)classes;
    return KL_OK;
}

/* Counts of the four symbols as numbers of about unit size: less their mean and over their deviation in
   a row of fair bits. */
static int count_pairs(struct kl_study *s, struct kl_error *err)
{
    const size_t n = s->bits->n_rows, symbols = s->bits->n_bits / 2;
    const double mean = (double)symbols / 4, deviation = sqrt((double)symbols * 3 / 16);
    s->counts = calloc(4 * n, sizeof *s->counts);
    if (!s->counts) return kl_fail_memory(err, 4 * n * sizeof *s->counts);
    for (size_t r = 0; r < n; r++) {
        size_t count[4] = { 0 };
        for (size_t k = 0; k < symbols; k++) count[kl_bits_symbol(kl_bits_row(s->bits, r), k, 2)]++;
        for (size_t j = 0; j < 4; j++)
            s->counts[4 * r + j] = (float)(((double)count[j] - mean) / deviation);
    }
    return KL_OK;
}

static int set_network(struct kl_study *s, struct kl_error *err)
{
    const struct kl_study_settings *v = s->v;
    const struct kl_bits *b = s->bits;
    kl_classify_network_options_default(&s->options);
    s->options.init = strcmp(v->init, "fan-in") == 0 ? KL_INIT_FAN_IN : KL_INIT_GLOROT;
    s->options.batch = v->batch;
    s->options.epochs = v->epochs;
    s->options.patience = v->patience;
    s->options.rate_patience = v->rate_patience;
    s->options.lr = v->lr, s->options.dropout = v->dropout, s->options.l1 = v->l1;
    s->options.weight_decay = v->weight_decay, s->options.clip = v->clip;
    s->options.judge = s->protocol == KL_REFERENCE ? KL_JUDGE_ACCURACY : KL_JUDGE_LOSS;
    s->options.last = strcmp(v->keep, "last") == 0;
    s->samples =
        (struct kl_samples){ b->words, b->n_rows, b->words_per_row * sizeof *b->words, true, b->device };
    int rc =
        read_hidden(&s->options.net, v->hidden, s->pairs ? 4 : b->n_bits, (size_t)b->n_devices, err);
    if (rc || !s->pairs) return rc;
    if ((rc = count_pairs(s, err))) return rc;
    s->samples.rows = s->counts, s->samples.stride = 4 * sizeof *s->counts, s->samples.packed = false;
    return KL_OK;
}

enum { FEWEST_ROWS = 5 }; /* of a device: of fewer no fifth is a row of the test */

static int count_rows(struct kl_study *s, struct kl_error *err)
{
    const struct kl_bits *b = s->bits;
    kl_bits_count_rows(s->device_rows, b);
    for (int d = 0; d < b->n_devices; d++)
        if (s->device_rows[d] < FEWEST_ROWS)
            return kl_fail(err, KL_EDATA, "device %s: %zu row%s, expected %d or more", b->names[d],
                           s->device_rows[d], kl_s(s->device_rows[d]), FEWEST_ROWS);
    return KL_OK;
}

static int check(const struct kl_study *s, struct kl_error *err)
{
    const struct kl_bits *b = s->bits;
    const bool pairs = s->pairs || (!s->network && s->chosen == KL_RULE_PAIRS);
    if (b->n_devices < 2 || b->n_devices > KL_NETWORK_CLASSES)
        return kl_fail(err, KL_EDATA,
                       "%d device%s, expected 2 to %d: labels behind the rows, or a file a device",
                       b->n_devices, kl_s((unsigned long long)b->n_devices), (int)KL_NETWORK_CLASSES);
    if (pairs && b->n_bits % 2)
        return kl_fail(err, KL_EUSAGE,
                       "rows of %zu bit%s are no pairs of bits; take other --features and --model",
                       b->n_bits, kl_s(b->n_bits));
    if (b->n_rows > INT32_MAX)
        return kl_fail(err, KL_EDATA, "%zu rows, expected at most 2^31 - 1", b->n_rows);
    return KL_OK;
}

int kl_classify_study_open(struct kl_study *study, const struct kl_study_settings *v,
                           const struct kl_bits *bits, struct kl_error *err)
{
    const int model = kl_choice(KL_STUDY_MODELS, v->model);
    *study = (struct kl_study){ .v = v,
                                .bits = bits,
                                .protocol = (enum kl_protocol)kl_choice(KL_STUDY_PROTOCOLS, v->protocol),
                                .network = model == 0,
                                .pairs = model == 0 && strcmp(v->features, "pairs") == 0,
                                .chosen = model - 1,
                                .rules = 1u << KL_RULE_LOGISTIC };
    if (bits->n_bits % 2 == 0) study->rules |= 1u << KL_RULE_PAIRS;
    if (!study->network) study->rules |= 1u << study->chosen;
    study->n_splits = (size_t)v->seeds * (study->protocol == KL_FOLDS ? (size_t)v->folds : 1);
    study->n_runs = study->n_splits + (size_t)v->null;
    int rc = check(study, err);
    if (!rc) rc = count_rows(study, err);
    return rc ? rc : set_network(study, err);
}

void kl_classify_study_close(struct kl_study *study)
{
    free(study->counts);
    study->counts = NULL;
}

/* The seed of a run's split: runs on shuffled labels are split as the first one. */
static uint64_t seed_of(const struct kl_study *s, size_t run)
{
    const size_t folds = s->protocol == KL_FOLDS ? (size_t)s->v->folds : 1;
    return (uint64_t)s->v->common.seed + (run < s->n_splits ? run / folds : 0);
}

void kl_classify_labels(int32_t *labels, const struct kl_study *study, size_t run, int64_t *scratch)
{
    const struct kl_bits *b = study->bits;
    memcpy(labels, b->device, b->n_rows * sizeof *labels);
    if (run < study->n_splits) return;
    int64_t *const from = scratch, *const order = scratch + b->n_rows;
    for (size_t i = 0; i < b->n_rows; i++) from[i] = (int64_t)i;
    /* The upper half of the seed tells these orders from those of the training rows. */
    kl_nn_shuffle(order, from, b->n_rows, (uint64_t)study->v->common.seed ^ 1ull << 63,
                  (uint32_t)(run - study->n_splits));
    for (size_t i = 0; i < b->n_rows; i++) labels[i] = b->device[order[i]];
}

/* Rows of `part` that are drawn from the training rows: of each class its share. */
static int draw(uint8_t *part, enum kl_part to, const struct kl_study *s, const int32_t *labels,
                double share, uint64_t seed, struct kl_error *err)
{
    const size_t n = s->bits->n_rows;
    int64_t *rows = malloc((n + 1) * sizeof *rows), *stay = NULL, *taken = NULL;
    int32_t *own = malloc((n + 1) * sizeof *own);
    size_t n_stay, n_taken;
    int rc = rows && own ? KL_OK : kl_fail_memory(err, n * (sizeof *rows + sizeof *own));
    if (!rc) {
        const size_t left = kl_classify_rows(rows, part, n, KL_PART_TRAINING, KL_PART_TRAINING);
        for (size_t i = 0; i < left; i++) own[i] = labels[rows[i]];
        rc = kl_nn_split_stratified(&stay, &n_stay, &taken, &n_taken, own, left,
                                    (size_t)s->bits->n_devices, share, seed, err);
    }
    for (size_t i = 0; !rc && i < n_taken; i++) part[rows[taken[i]]] = (uint8_t)to;
    free(rows), free(own), free(stay), free(taken);
    return rc;
}

/* The rows of each class in a random order are dealt out to the folds. */
static int deal(uint8_t *part, const struct kl_study *s, const int32_t *labels, size_t fold,
                uint64_t seed, struct kl_error *err)
{
    const size_t n = s->bits->n_rows, folds = (size_t)s->v->folds;
    if (n < folds)
        return kl_fail(err, KL_EDATA, "%zu rows are too few for %zu folds: some would have no test rows",
                       n, folds);
    int64_t *members = malloc(2 * (n + 1) * sizeof *members);
    if (!members) return kl_fail_memory(err, 2 * n * sizeof *members);
    size_t dealt = 0;
    for (int32_t c = 0; c < s->bits->n_devices; c++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (labels[i] == c) members[count++] = (int64_t)i;
        kl_nn_shuffle(members + n, members, count, seed ^ 1ull << 62, (uint32_t)c);
        for (size_t i = 0; i < count; i++, dealt++)
            if (dealt % folds == fold) part[members[n + i]] = KL_PART_TEST;
    }
    free(members);
    return KL_OK;
}

/* The study's: one permutation, its end is the test; no validation, no strata. */
static int cut(uint8_t *part, const struct kl_study *s, uint64_t seed, struct kl_error *err)
{
    const size_t n = s->bits->n_rows, n_test = (size_t)llround(s->v->test * (double)n);
    int32_t *rows = malloc((n + 1) * sizeof *rows);
    if (!rows) return kl_fail_memory(err, n * sizeof *rows);
    kl_classify_mt19937_split(rows, n, (uint32_t)seed);
    for (size_t i = n - n_test; i < n; i++) part[rows[i]] = KL_PART_TEST;
    free(rows);
    if (n_test > 0 && n_test < n) return KL_OK;
    return kl_fail(err, KL_EDATA, "a test share of %g leaves %zu of %zu rows to train and %zu to test",
                   s->v->test, n - n_test, n, n_test);
}

int kl_classify_split(uint8_t *part, const struct kl_study *study, size_t run, const int32_t *labels,
                      struct kl_error *err)
{
    const struct kl_study_settings *v = study->v;
    const uint64_t seed = seed_of(study, run);
    memset(part, KL_PART_TRAINING, study->bits->n_rows);
    if (study->protocol == KL_REFERENCE) return cut(part, study, seed, err);
    const size_t fold = run < study->n_splits ? run % (size_t)v->folds : 0;
    const bool folds = study->protocol == KL_FOLDS;
    const double test = folds ? 1 / (double)v->folds : v->test;
    int rc = folds ? deal(part, study, labels, fold, seed, err)
                   : draw(part, KL_PART_TEST, study, labels, test, seed, err);
    if (rc) return rc;
    if (test + v->validation >= 1)
        return kl_fail(err, KL_EUSAGE, "--folds %lld and --validation %g leave no rows to train on",
                       (long long)v->folds, v->validation);
    const uint64_t own = seed ^ (uint64_t)(fold + 1) << 40;
    return draw(part, KL_PART_VALIDATION, study, labels, v->validation / (1 - test), own, err);
}

size_t kl_classify_rows(int64_t *rows, const uint8_t *part, size_t n, enum kl_part first,
                        enum kl_part last)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (part[i] >= first && part[i] <= last) rows[count++] = (int64_t)i;
    return count;
}

static int read_texts(struct kl_study_file *f, struct kl_error *err)
{
    static const char *const names[] = { "model", "features", "protocol", "hidden", "keep" };
    const char **fields[] = { &f->v.model, &f->v.features, &f->v.protocol, &f->v.hidden, &f->v.keep };
    static const char *const choices[] = { KL_STUDY_MODELS, KL_STUDY_FEATURES, KL_STUDY_PROTOCOLS };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int rc = kl_store_file_text(&f->texts[i], f->file, "", names[i], err);
        if (rc) return rc;
        *fields[i] = f->texts[i];
        if (i < 3 && kl_choice(choices[i], f->texts[i]) < 0)
            return kl_fail(err, KL_EDATA, "%s: attribute %s: found '%s', expected %s",
                           kl_store_file_path(f->file), names[i], f->texts[i], choices[i]);
    }
    return KL_OK;
}

/* Those of the option of this name; a seed has only those of whole numbers in double. */
static void bounds(double *min, double *max, const char *name)
{
    *min = 0, *max = 0x1p53;
    for (size_t i = 0; i < kl_study_tool.n_options; i++)
        if (strcmp(kl_study_tool.options[i].name, name) == 0)
            *min = kl_study_tool.options[i].min, *max = kl_study_tool.options[i].max;
}

static int read_numbers(struct kl_study_file *f, struct kl_error *err)
{
    static const char *const names[] = { "seed", "seeds", "folds", "null" };
    int64_t *const fields[] = { &f->v.common.seed, &f->v.seeds, &f->v.folds, &f->v.null };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double value, min, max;
        const int rc = kl_store_file_number(&value, f->file, "", names[i], err);
        if (rc) return rc;
        bounds(&min, &max, names[i]);
        if (!(value >= min && value <= max) || value != floor(value))
            return kl_fail(err, KL_EDATA,
                           "%s: attribute %s: found %g, expected a whole number from %g to %g",
                           kl_store_file_path(f->file), names[i], value, min, max);
        *fields[i] = (int64_t)value;
    }
    return KL_OK;
}

int kl_classify_file_open(struct kl_study_file *f, const char *path, struct kl_error *err)
{
    *f = (struct kl_study_file){ 0 };
    kl_classify_settings_default(&f->v);
    int rc = kl_store_file_open_kind(&f->file, path, &kl_study_kind, err);
    if (!rc) rc = read_texts(f, err);
    if (!rc) rc = read_numbers(f, err);
    if (!rc) rc = kl_classify_settings_complete(&f->v, err);
    return rc;
}

/* Names are part of what the bits are: the same bits under the names of the file, and the first one that
   differs. */
static bool is_renamed(size_t *first, char made[KL_BITS_NAME], const struct kl_study_file *f,
                       const struct kl_bits *bits)
{
    const struct kl_dataset *d = kl_store_file_find(f->file, "device_names");
    struct kl_bits as_then = *bits;
    char hex[65];
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1 || d->item_size != KL_BITS_NAME ||
        d->dims[0] != (size_t)bits->n_devices ||
        kl_store_file_load((void **)&as_then.names, f->file, d, NULL) != KL_OK)
        return false;
    for (*first = 0; *first + 1 < d->dims[0];) {
        if (strncmp(as_then.names[*first], bits->names[*first], KL_BITS_NAME) != 0) break;
        ++*first;
    }
    snprintf(made, KL_BITS_NAME, "%.*s", KL_BITS_NAME - 1, as_then.names[*first]);
    const bool same =
        kl_bits_content(hex, &as_then, NULL) == KL_OK && strstr(kl_store_file_key_parts(f->file), hex);
    free(as_then.names);
    return same;
}

int kl_classify_file_check(const struct kl_study_file *f, const struct kl_bits *bits,
                           struct kl_error *err)
{
    char hex[65], made[KL_BITS_NAME];
    size_t first;
    const int rc = kl_bits_content(hex, bits, err);
    if (rc || strstr(kl_store_file_key_parts(f->file), hex)) return rc;
    if (is_renamed(&first, made, f, bits))
        return kl_fail(err, KL_EDATA,
                       "%s: was trained on these bits with other names of devices, which count: device "
                       "%zu was '%s', here it is '%s'; give files and labels as they were",
                       kl_store_file_path(f->file), first + 1, made, bits->names[first]);
    return kl_fail(err, KL_EDATA,
                   "%s: was trained on other bits, or other --symbol-bits; give those again, since it "
                   "says which of their rows are unseen",
                   kl_store_file_path(f->file));
}

void kl_classify_file_close(struct kl_study_file *f)
{
    for (size_t i = 0; i < sizeof f->texts / sizeof *f->texts; i++) free(f->texts[i]);
    kl_store_file_close(&f->file);
    *f = (struct kl_study_file){ 0 };
}

/* ---- The random streams of the published study ---- */

static void swap(int32_t *rows, size_t i, size_t j)
{
    const int32_t kept = rows[i];
    rows[i] = rows[j], rows[j] = kept;
}

void kl_classify_mt19937_split(int32_t *rows, size_t n, uint32_t seed)
{
    struct kl_nn_mersenne mt;
    kl_nn_mersenne_seed(&mt, seed);
    for (size_t i = 0; i < n; i++) rows[i] = (int32_t)i;
    for (size_t i = 0; i + 1 < n; i++) swap(rows, i, i + kl_nn_mersenne_word(&mt) % (uint32_t)(n - i));
}

void kl_classify_mt19937_shuffle(int32_t *rows, size_t n, struct kl_nn_mersenne *mt)
{
    for (size_t i = n; i-- > 1;) swap(rows, i, kl_nn_mersenne_below(mt, (uint32_t)i));
}

/* A class's rows are shuffled where the test rows are to stand. */
void kl_classify_mt19937_stratified(int32_t *train, size_t *n_train, int32_t *test, size_t *n_test,
                                    const int32_t *labels, size_t n, int classes, double share,
                                    uint32_t seed)
{
    struct kl_nn_mersenne mt;
    kl_nn_mersenne_seed(&mt, seed);
    *n_train = *n_test = 0;
    for (int c = 0; c < classes; c++) {
        int32_t *const class = test + *n_test;
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (labels[i] == c) class[count++] = (int32_t)i;
        const size_t taken = (size_t)(share * (double)count);
        kl_classify_mt19937_shuffle(class, count, &mt);
        memcpy(train + *n_train, class, taken * sizeof *train);
        memmove(class, class + taken, (count - taken) * sizeof *class);
        *n_train += taken, *n_test += count - taken;
    }
    kl_classify_mt19937_shuffle(train, *n_train, &mt);
    kl_classify_mt19937_shuffle(test, *n_test, &mt);
}
