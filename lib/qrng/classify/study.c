/* SPDX-License-Identifier: MIT
   What a study trains, from its settings and its data. */
#include "qrng/classify/study.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    kl_network_options_default(&s->options);
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

int kl_study_open(struct kl_study *study, const struct kl_study_settings *v, const struct kl_bits *bits,
                  struct kl_error *err)
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

void kl_study_close(struct kl_study *study)
{
    free(study->counts);
    study->counts = NULL;
}
