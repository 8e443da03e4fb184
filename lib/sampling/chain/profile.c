/* SPDX-License-Identifier: MIT
   The profiles as tables: classic and paper are the reference's (section 5 of its description); what was
   not given is taken from them. Lists of numbers by temperature. The table of options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device.h"
#include "sampling/chain/sample.h"

/* ---- lists of numbers between commas, as texts of options ---- */

/* numbers (KL_SAMPLING_BETAS): those of "0,1,10", none below `least`. name: of the option, for messages.
 * KL_EUSAGE. */
static int list_read(double *numbers, size_t *n, const char *text, const char *name, double least,
                     struct kl_error *err)
{
    *n = 0;
    for (const char *at = text; at && *at;) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at || (*end && *end != ',') || (*end == ',' && !end[1]) || !isfinite(x))
            return kl_fail(err, KL_EUSAGE, "--%s: found '%.60s', expected numbers between commas", name,
                           at);
        if (x < least)
            return kl_fail(err, KL_EUSAGE, "--%s: found %g, expected %g or more", name, x, least);
        if (*n == KL_SAMPLING_BETAS)
            return kl_fail(err, KL_EUSAGE, "--%s: more than %d numbers", name, KL_SAMPLING_BETAS);
        numbers[(*n)++] = x;
        at = *end ? end + 1 : end;
    }
    return *n ? 0 : kl_fail(err, KL_EUSAGE, "--%s: found '', expected numbers between commas", name);
}

/* The shortest digits that read as the same numbers; text: KL_SAMPLING_LIST bytes. */
static void list_write(char *text, const double *numbers, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n && used < KL_SAMPLING_LIST; i++) {
        char one[32];
        /* Not 1e+01; in the fewest digits. */
        snprintf(one, sizeof one, "%.0f", numbers[i]);
        const bool plain = fabs(numbers[i]) < 1e15 && strtod(one, NULL) == numbers[i];
        for (int digits = 1; !plain && digits <= 17; digits++) {
            snprintf(one, sizeof one, "%.*g", digits, numbers[i]);
            if (strtod(one, NULL) == numbers[i]) break;
        }
        used += (size_t)snprintf(text + used, KL_SAMPLING_LIST - used, "%s%s", i ? "," : "", one);
    }
}

/* ---- profile ---- */

/* Lists between commas. Of warmup and lr: one for each beta, or one. */
struct ladder {
    const char *betas, *warmup, *epochs, *lr;
};
struct row {
    const char *profile, *data,
        *groups; /* groups: the row is for these alone; NULL: for any, and the default is: */
    const char *default_groups;
    int64_t train, test;
    const char *model;
    int64_t width;
    const char *loss;
    int64_t batch, chains, test_chains;
    const char *schedule, *stop;
    struct ladder ladder, shortened; /* of --test-mode; without betas: the ladder itself */
};
#define PAPER_BETAS "0,500,1000,2000,4000,8000,16000,32000,64000"
#define PAPER_SHORT "0,128,250,500,1000"
#define WARMUP "0,100000" /* at most: the stopping rule ends it */
#define DRAWS "1000,1"    /* at beta 0, of the prior; else as many epochs as the rule says */
/* clang-format off */
static const struct row rows[] = {
    { "classic", "synth", NULL, NULL, 50, 100, "fcn1", 500, "bbce", 10, 30, 2, "power", "fixed",
      { "0,1,10,30,50,70,100,200", "0,99,4999,9999,14999,19999,29999,29999", "1", "1e-7,1e-7,0.1" },
      { "0,1,10", "9,19,49", "1", "0.01,0.01,0.1" } },
    { "classic", "mnist", NULL, "0/1", 5000, 1000, "fcn1", 500, "bbce", 128, 5, 2, "power", "fixed",
      { "0,1000,3000,5000,10000,20000", "0,499,499,499,999,999", "1", "1e-7,1e-3" },
      { "0,1000,2000", "9,49,49", "1", "1e-5,1e-3,1e-3" } },
    { "paper", "mnist", "02468/13579", NULL, 1000, 5000, "fcn1", 500, "savage", 0, 1, 1, "constant", "leak",
      { "0,125,250,500,1000,2000,4000,8000,16000", WARMUP, DRAWS, "0.01" },
      { "0,256,2000", WARMUP, DRAWS, "0.01" } },
    { "paper", "mnist", "all", NULL, 6000, 1000, "cnn4", 128, "bbce", 250, 1, 1, "stair", "fixed",
      { "0,250,500,1000,2000,4000,8000,16000,30000,60000,120000,600000", "0,1000", "1000,100", "0.05" },
      { "0,600000", "0,1000", "1000,100", "0.05" } },
    { "paper", "mnist", NULL, "01234/56789", 4000, 5000, "fcn2", 1000, "bbce", 100, 1, 1, "constant", "leak",
      { PAPER_BETAS, WARMUP, DRAWS, "0.01" }, { "0,256,2000", WARMUP, DRAWS, "0.01" } },
    { "paper", "cifar10", NULL, "0189/234567", 4000, 5000, "fcn2", 1500, "bbce", 100, 1, 1, "constant", "leak",
      { PAPER_BETAS, WARMUP, DRAWS, "0.005" }, { PAPER_SHORT, WARMUP, DRAWS, "0.005" } },
    { "paper", "svhn", NULL, "01234/56789", 4000, 10000, "fcn2", 1500, "bbce", 100, 1, 1, "constant", "leak",
      { PAPER_BETAS, WARMUP, DRAWS, "0.005" }, { PAPER_SHORT, WARMUP, DRAWS, "0.005" } },
    { "paper", "cifar100", NULL, "55/88", 500, 100, "fcn2", 1500, "bbce", 100, 1, 1, "constant", "leak",
      { PAPER_BETAS, WARMUP, DRAWS, "0.005" }, { PAPER_SHORT, WARMUP, DRAWS, "0.005" } },
    { "paper", "synth", NULL, NULL, 50, 500, "fcn2", 1500, "bbce", 0, 1, 1, "constant", "leak",
      { "0,3,6,12,25,50,100,200,400", WARMUP, DRAWS, "36,36,18,9,4.5,2.25,1.2,0.6,0.3" },
      { "0,50", WARMUP, DRAWS, "36,2.25" } },
    { "sound", "synth", NULL, NULL, 50, 500, "fcn1", 32, "bbce", 0, 4, 2, "constant", "fixed",
      { "0,1,3,10,30,100,300", "0,4000", "16000", "0.1" }, { "0,1,10", "0,100", "200", "0.1" } },
    { "sound", NULL, NULL, NULL, 0, 0, "fcn1", 32, "bbce", 0, 4, 2, "constant", "fixed",
      { "0,3,10,30,100,300,1000", "0,400", "1200", "0.1" }, { "0,3,10", "0,20", "20", "0.1" } },
};
/* clang-format on */

static const struct row *find_row(const char *profile, const char *data, const char *groups)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (strcmp(row->profile, profile) == 0 && (!row->data || strcmp(row->data, data) == 0) &&
            (!row->groups || (groups && strcmp(row->groups, groups) == 0)))
            return row;
    }
    return NULL;
}

void kl_sampling_values_default(void *values)
{
    struct kl_sampling_values *v = values;
    struct kl_sampling_settings s;
    kl_sampling_settings_default(&s);
    *v = (struct kl_sampling_values){
        .common.progress = "auto",
        .common.device = "auto",
        .profile = "sound",
        .data = "synth",
        .labels = "true",
        .train_size = -1,
        .test_size = -1,
        .data_seed = -1,
        .width = -1,
        .l_max = 4,
        .sigma = NAN,
        .chains = -1,
        .batch = -1,
        .anneal = -2,
        .every = -1,
        .test_every = -1,
        .period = 15,
        .min_steps = 2000,
        .power = 0.5,
        .stair_drop = NAN,
        .stair_low = NAN,
        .accept = 0,
        .leapfrogs = s.leapfrogs,
        .friction = s.friction,
        .rms_decay = s.rms_decay,
        .rms_epsilon = s.rms_epsilon,
        .stop_alpha = 0.00025,
        .stop_eps = -1e-7,
        .noise = true,
        .tune = true,
    };
}

/* ---- the ladder ---- */
/* The profile's, by number. A list that is shorter than the betas goes on with its last. */
struct numbers {
    double beta[KL_SAMPLING_BETAS], of[3][KL_SAMPLING_BETAS]; /* warmup, epochs, lr */
    size_t n;
};
static void read_ladder(struct numbers *to, const struct ladder *ladder)
{
    const char *const texts[] = { ladder->warmup, ladder->epochs, ladder->lr };
    list_read(to->beta, &to->n, ladder->betas, "", 0, NULL);
    for (int k = 0; k < 3; k++) {
        size_t n;
        list_read(to->of[k], &n, texts[k], "", 0, NULL);
        for (size_t i = n; i < to->n; i++) to->of[k][i] = to->of[k][n - 1];
    }
}

static const char *const list_names[] = { "warmup", "epochs", "lr" };
/* --betas, rising and with 0; *added: it was not given. */
static int complete_betas(double *beta, size_t *n, bool *added, const struct kl_sampling_values *v,
                          const struct numbers *profile, struct kl_error *err)
{
    *added = false;
    if (!v->betas) {
        memcpy(beta, profile->beta, profile->n * sizeof *beta);
        *n = profile->n;
        return 0;
    }
    int code = list_read(beta, n, v->betas, "betas", 0, err);
    for (size_t i = 1; i < *n && !code; i++)
        if (!(beta[i] > beta[i - 1]))
            code = kl_fail(err, KL_EUSAGE, "--betas: found %g behind %g, expected rising numbers",
                           beta[i], beta[i - 1]);
    if (code || beta[0] == 0) return code;
    if (*n == KL_SAMPLING_BETAS)
        return kl_fail(err, KL_EUSAGE, "--betas: %d numbers, and 0 has to be added", KL_SAMPLING_BETAS);
    memmove(beta + 1, beta, *n * sizeof *beta);
    beta[0] = 0, *n += 1, *added = true;
    return 0;
}

/* The temperature of the profile whose numbers a beta takes: the next lower one, and below the first
   above 0 that one, for at 0 nothing is warmed up or tuned. */
static size_t alike(double beta, const struct numbers *profile)
{
    size_t at = 0;
    for (size_t j = 0; j < profile->n; j++)
        if (profile->beta[j] <= beta) at = j;
    return beta > 0 && profile->beta[at] <= 0 && at + 1 < profile->n ? at + 1 : at;
}

/* List k for n betas. */
static int complete_list(double *list, int k, const double *beta, size_t n, bool added,
                         const char *given, const struct numbers *profile, struct kl_error *err)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) list[i] = profile->of[k][alike(beta[i], profile)];
    if (!given) return 0;
    double numbers[KL_SAMPLING_BETAS];
    const int code = list_read(numbers, &found, given, list_names[k], 0, err);
    if (code) return code;
    const size_t of_given =
        n - added; /* the 0 that was added keeps the profile's, unless there is one number for all */
    if (found != 1 && found != of_given && found != n)
        return kl_fail(err, KL_EUSAGE,
                       "--%s: found %zu numbers, expected one, or one for each of %zu betas",
                       list_names[k], found, of_given);
    for (size_t i = 0; i < n; i++) {
        if (found == n) list[i] = numbers[i];
        else if (found == 1 && !(added && i == 0)) list[i] = numbers[0];
        else if (found > 1 && i >= added) list[i] = numbers[i - added];
        if (k < 2 && (list[i] != floor(list[i]) || list[i] > 1e9))
            return kl_fail(err, KL_EUSAGE, "--%s: found %g, expected whole numbers up to 1e9",
                           list_names[k], list[i]);
    }
    return 0;
}

static int complete_ladder(struct kl_sampling_values *v, const struct row *row, struct kl_error *err)
{
    const struct ladder *ladder = v->test_mode && row->shortened.betas ? &row->shortened : &row->ladder;
    struct numbers *profile = malloc(sizeof *profile);
    double beta[KL_SAMPLING_BETAS], list[KL_SAMPLING_BETAS];
    const char **texts[] = { &v->warmup, &v->epochs, &v->lr };
    size_t n;
    bool added;
    if (!profile) return kl_fail_memory(err, sizeof *profile);
    read_ladder(profile, ladder);
    int code = complete_betas(beta, &n, &added, v, profile, err);
    for (int k = 0; k < 3 && !code; k++) {
        code = complete_list(list, k, beta, n, added, *texts[k], profile, err);
        bool same = true;
        for (size_t i = 1; i < n && !code; i++) same = same && list[i] == list[0];
        list_write(v->lists[k], list, code ? 0 : same ? 1 : n);
        *texts[k] = v->lists[k];
    }
    if (!code) list_write(v->lists[3], beta, n), v->betas = v->lists[3];
    free(profile);
    return code;
}

/* ---- the rest ---- */
static void text(const char **value, const char *otherwise)
{
    if (!*value) *value = otherwise;
}
static void whole(int64_t *value, int64_t otherwise)
{
    if (*value < 0) *value = otherwise;
}
static void number(double *value, double otherwise)
{
    if (isnan(*value)) *value = otherwise;
}

/* Set the options that follow from the generation of the reference. */
static void complete_generation(struct kl_sampling_values *v, const struct row *row)
{
    const bool sound = !strcmp(v->profile, "sound"), classic = !strcmp(v->profile, "classic");
    const bool euler = v->sampler ? strcmp(v->sampler, "mala") && strcmp(v->sampler, "hmc") : !sound;
    text(&v->order, classic || !strcmp(v->data, "synth") ? "file" : "permuted");
    text(&v->records, classic ? "chain" : "one");
    text(&v->prior, sound ? "layer" : "flat");
    number(&v->sigma, sound ? 1 : classic ? 1000 : 5);
    text(&v->sampler, sound ? "mala" : "sgld");
    text(&v->convention, classic ? "tempered" : "gibbs");
    text(&v->start, sound ? "prior" : "fan-in");
    text(&v->draws, sound ? "whole" : "batches");
    text(&v->batches, "permuted");
    text(&v->schedule, row->schedule), text(&v->stop, row->stop);
    const bool stair = !strcmp(v->schedule, "stair");
    number(&v->stair_drop, stair ? 0.001 : 0), number(&v->stair_low, stair ? 0.001 : 0);
    whole(&v->data_seed, sound || classic ? 0 : 42);
    if (v->anneal < -1) v->anneal = sound ? -1 : 0; /* half of the warm-up */
    whole(&v->every, sound && !v->test_mode && !strcmp(v->data, "synth") ? 10 : 1);
    whole(&v->test_every, v->every);
    if (v->accept == 0) v->accept = !strcmp(v->sampler, "hmc") ? 0.8 : 0.57;
    if (euler) v->tune = false;
}

int kl_sampling_values_labels(double *p, const char *labels, struct kl_error *err)
{
    char *end;
    *p = strcmp(labels, "random") == 0 ? 1 : 0;
    if (*p == 1 || strcmp(labels, "true") == 0) return 0;
    *p = strtod(labels, &end);
    if (end != labels && !*end && *p >= 0 && *p <= 1) return 0;
    return kl_fail(err, KL_EUSAGE,
                   "--labels: found '%.40s', expected true, random or a probability from 0 to 1",
                   labels);
}

int kl_sampling_values_complete(void *values, struct kl_error *err)
{
    struct kl_sampling_values *v = values;
    double p;
    const struct row *row = find_row(v->profile, v->data, v->groups);
    if (!row)
        return kl_fail(err, KL_EUSAGE, "--profile %s: it has no data %s; --profile sound takes any",
                       v->profile, v->data);
    int code = kl_sampling_values_labels(&p, v->labels, err);
    if (code) return code;
    /* One probability, one key. */
    snprintf(v->label_text, sizeof v->label_text, "%.17g", p);
    v->labels = p == 0 ? "true" : p == 1 ? "random" : v->label_text;
    text(&v->groups, row->default_groups ? row->default_groups : "all");
    whole(&v->train_size, row->train), whole(&v->test_size, row->test);
    text(&v->model, row->model), text(&v->loss, row->loss);
    /* Another model than the row's has the width that the reference gives it. */
    const bool wide = !strcmp(v->data, "cifar10") || !strcmp(v->data, "svhn");
    whole(&v->width, strcmp(v->model, row->model) == 0  ? row->width
                     : strcmp(v->profile, "paper") != 0 ? row->width
                     : !strcmp(v->model, "fcn3")        ? wide ? 1000 : 500
                     : !strcmp(v->model, "fcn1")        ? 500
                     : !strcmp(v->model, "cnn4")        ? 128
                     : wide                             ? 1500
                                                        : 1000);
    whole(&v->batch, row->batch), whole(&v->chains, v->test_mode ? row->test_chains : row->chains);
    complete_generation(v, row);
    v->usual = !v->epochs;
    return complete_ladder(v, row, err);
}

int kl_sampling_values_settings(struct kl_sampling_settings *s, struct kl_sampling_rung *rungs,
                                const struct kl_sampling_values *v, struct kl_error *err)
{
    double numbers[4][KL_SAMPLING_BETAS];
    const char *const texts[] = { v->warmup, v->epochs, v->lr, v->betas }, *const names[] = {
        "warmup", "epochs", "lr", "betas"
    };
    size_t n = 0;
    kl_sampling_settings_default(s);
    for (int k = 3; k >= 0; k--) {
        size_t found;
        const int code = list_read(numbers[k], &found, texts[k], names[k], k == 1, err);
        if (code) return code;
        if (k == 3) n = found;
        for (size_t i = found; i < n; i++) numbers[k][i] = numbers[k][0]; /* one for all */
    }
    for (size_t i = 0; i < n; i++)
        rungs[i] = (struct kl_sampling_rung){ .beta = numbers[3][i],
                                              .lr = numbers[2][i],
                                              .warmup = (int64_t)numbers[0][i],
                                              .epochs = (int64_t)numbers[1][i] };
    s->rungs = rungs, s->n_rungs = n, s->seed = (uint64_t)v->common.seed;
    s->sampler = (enum kl_sampling_sampler)kl_choice(KL_SAMPLING_SAMPLERS, v->sampler);
    s->convention = (enum kl_sampling_convention)kl_choice(KL_SAMPLING_CONVENTIONS, v->convention);
    s->start = (enum kl_sampling_start)kl_choice(KL_SAMPLING_STARTS, v->start);
    s->schedule = (enum kl_sampling_schedule)kl_choice(KL_SAMPLING_SCHEDULES, v->schedule);
    s->power = v->power, s->stair_drop = v->stair_drop, s->stair_low = v->stair_low,
    s->period = v->period;
    s->chains = v->chains, s->first_chain = v->first_chain, s->batch = (size_t)v->batch;
    s->anneal = v->anneal, s->every = v->every, s->test_every = v->test_every, s->keep = v->keep;
    s->whole = strcmp(v->draws, "whole") == 0, s->noise = v->noise, s->tune = v->tune;
    s->robbins_monro = strcmp(v->profile, "sound") != 0;
    s->independent_batches = strcmp(v->batches, "independent") == 0;
    s->control_variate = v->control_variate, s->exchange = v->exchange, s->work = v->work;
    s->half_step = v->half_step, s->companion = v->companion, s->pointwise = v->pointwise,
    s->target_accept = v->accept;
    s->friction = v->friction, s->rms_decay = v->rms_decay, s->rms_epsilon = v->rms_epsilon;
    s->leapfrogs = v->leapfrogs;
    s->stop = (struct kl_sampling_stop){ .on = strcmp(v->stop, "fixed") != 0,
                                         .leak = strcmp(v->stop, "leak") == 0,
                                         .alpha = v->stop_alpha,
                                         .eps = v->stop_eps,
                                         .min_steps = v->min_steps };
    return 0;
}

/* ---- the table of options of `sgld sample`: every constant of the reference is one ---- */

/* clang-format off */
#define AT(field) offsetof(struct kl_sampling_values, field)
#define TEXT(word, field, arg, help, group) { word, 0, KL_OPT_STRING, AT(field), arg, 0, 0, true, help, group, NULL }
#define WORD(word, field, words, help, group) { word, 0, KL_OPT_CHOICE, AT(field), words, 0, 0, true, help, group, NULL }
#define WHOLE(word, field, least, most, help, group) { word, 0, KL_OPT_INT, AT(field), "N", least, most, true, help, group, NULL }
#define REAL(word, field, least, most, help, group) { word, 0, KL_OPT_FLOAT, AT(field), "X", least, most, true, help, group, NULL }
#define FLAG(word, field, help, group) { word, 0, KL_OPT_FLAG, AT(field), NULL, 0, 0, true, help, group, NULL }
static const struct kl_option options[] = {
    { "profile", 'p', KL_OPT_CHOICE, AT(profile), KL_SAMPLING_PROFILES, 0, 0, false, "says what is not given", "Problem", NULL },
    { "test-mode", 0, KL_OPT_FLAG, AT(test_mode), NULL, 0, 0, false, "the profile's short run", NULL, NULL },
    WORD("data", data, KL_SAMPLING_SETS, "records; each set has its defaults: --data images --help -v", NULL),
    TEXT("groups", groups, "CLASSES", "01234/56789: two labels; all: each class", NULL),
    TEXT("labels", labels, "P", "true, random, or the probability of a new one", NULL),
    WHOLE("train-size", train_size, 0, 1e9, "records of each group; 0: all, unless --data synth", NULL),
    WHOLE("test-size", test_size, 0, 1e9, "at most, of each group; 0: likewise", NULL),
    WORD("order", order, "file|permuted", "of the records; permuted unless --data synth", NULL),
    WHOLE("data-seed", data_seed, 0, 4294967295, "of SYNTH, labels, order", NULL),
    WORD("records", records, "one|chain", "one set, or each chain's own: data-seed + chain", NULL),
    WORD("model", model, KL_SAMPLING_MODELS, "network", "Target"),
    WHOLE("width", width, 1, 65536, "of its hidden layers", NULL),
    WORD("loss", loss, KL_SAMPLING_LOSSES, "of a record", NULL),
    REAL("l-max", l_max, 0.01, 700, "bound of bbce", NULL),
    WORD("prior", prior, "layer|flat", "deviation sigma / sqrt(fan-in), or sigma", NULL),
    REAL("sigma", sigma, 1e-9, 1e9, "of the prior", NULL),
    { "betas", 'B', KL_OPT_STRING, AT(betas), "LIST", 0, 0, true, "inverse temperatures, rising", "Ladder", NULL },
    { "chains", 'C', KL_OPT_INT, AT(chains), "N", 1, 65536, true, "of each beta", NULL, "repetitions" },
    WHOLE("first-chain", first_chain, 0, 4e9, "number of the first", NULL),
    { "epochs", 'e', KL_OPT_STRING, AT(epochs), "LIST", 0, 0, true, "sampled, of each beta; of features take 10000", NULL, NULL },
    TEXT("warmup", warmup, "LIST", "epochs before them, at least: a step is tuned until its acceptance is near --accept", NULL),
    { "lr", 0, KL_OPT_STRING, AT(lr), "LIST", 0, 0, true, "step of each beta", NULL, "a0" },
    WHOLE("anneal", anneal, -1, 1e9, "epochs of the warm-up: beta rises from 0; -1: half", NULL),
    WHOLE("every", every, 1, 1e9, "epochs a draw; 1 unless --data synth", NULL),
    WHOLE("test-every", test_every, 0, 1e9, "epochs a test; 0: none; as --every, if not given", NULL),
    WHOLE("keep", keep, 0, 1e9, "draws between kept weights; 0: none", NULL),
    WORD("sampler", sampler, KL_SAMPLING_SAMPLERS, "kernel", "Chain"),
    { "batch-size", 'b', KL_OPT_INT, AT(batch), "N", 0, 1e9, true, "records a step; 0: all", NULL, "batch" },
    WORD("convention", convention, KL_SAMPLING_CONVENTIONS, "of the step", NULL),
    WORD("start", start, KL_SAMPLING_STARTS, "of a chain", NULL),
    WORD("draws", draws, "whole|batches", "loss: over all records, or as met", NULL),
    WORD("batches", batches, "permuted|independent", "of an epoch", NULL),
    WORD("schedule", schedule, KL_SAMPLING_SCHEDULES, "of the step", NULL),
    REAL("power", power, 0, 10, "of schedule power", NULL),
    REAL("stair-drop", stair_drop, 0, 1e9, "each period", NULL),
    REAL("stair-low", stair_low, 0, 1e9, "least step", NULL),
    WHOLE("period", period, 1, 1e9, "epochs, of stair and cyclical", NULL),
    WORD("stop", stop, "fixed|rule|leak", "warm-up: by rule, with the reference's leak", NULL),
    WHOLE("min-steps", min_steps, 0, 1e12, "of the rule", NULL),
    REAL("alpha-stop", stop_alpha, 0, 1, "of its average", NULL),
    REAL("eps-stop", stop_eps, -1e9, 1e9, "of its rise", NULL),
    REAL("accept", accept, 0, 1, "to which the step is tuned", NULL),
    FLAG("tune", tune, "steps of mala and hmc, masses of hmc", NULL),
    WHOLE("leapfrogs", leapfrogs, 1, 1e6, "of hmc, at most: where it is tuned, from half of them to all are drawn", NULL),
    REAL("friction", friction, 0, 1e9, "of sghmc, sgnht", NULL),
    REAL("rms-decay", rms_decay, 0, 1, "of psgld: what its mean square of the gradient keeps a step", NULL),
    REAL("rms-epsilon", rms_epsilon, 0, 1e9, "of psgld: of units that are never active, the step is 1 / it", NULL),
    FLAG("noise", noise, "--no-noise: descent", NULL),
    FLAG("control-variate", control_variate, "gradients about an anchor", NULL),
    FLAG("exchange", exchange, "of replicas between betas", NULL),
    FLAG("work", work, "path certificate", "Checks"),
    FLAG("half-step", half_step, "the same at half the step", NULL),
    FLAG("companion", companion, "a Gaussian whose law is known", NULL),
    FLAG("pointwise", pointwise, "each record's loss at kept draws: WAIC, LOO", NULL),
    { "extend", 0, KL_OPT_STRING, AT(extend), "FILE", 0, 0, false, "go on from a smaller run", "Run", NULL },
    KL_DEVICE_OPTION(AT(common.device)),
    { "checkpoint-every", 0, KL_OPT_INT, AT(checkpoint_every), "N", 0, 1e12, false, "epochs of all chains; 0: only when stopped by a signal", NULL, NULL },
    KL_STORE_RANKS_OPTION(AT(ranks), "chains"),
};
const struct kl_tool kl_sampling_sample_tool = {
    .name = "sgld",
    .summary = "Samples the Gibbs posterior of a network's weights on a ladder of inverse temperatures.",
    .arguments = "sample [DIR | TRAIN TEST] -o CHAINS.h5",
    .example = "sgld sample --data synth -o chains.h5\n"
               "  sgld sample -p paper --data mnist --labels random mnist/ -o random.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_sampling_values),
    .chosen_by = "sample",
};
/* clang-format on */
