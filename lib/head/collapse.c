/* SPDX-License-Identifier: MIT
   Which heads have collapsed, from their confusion matrices; and the line that says so. */
#include "head/evaluate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "head/gpu.h"
#include "head/head_int.h"
#include "kernels/inline/philox.h"
#include "stats/stats.h"

enum { SENTENCE = 1000 };     /* bytes of a line */
enum { MOST_TRAINED = 8192 }; /* samples that are judged where none are kept for validation */

/* The memory for judging one head after another. */
struct judge {
    size_t n, c;
    const int32_t *labels; /* [n] */
    int32_t *taken;        /* scratch (c) */
    int64_t *confusion;    /* scratch (c, c) */
};

static int judge_open(struct judge *j, struct kl_arena *memory, size_t n, size_t c, struct kl_error *err)
{
    *j = (struct judge){ .n = n, .c = c };
    j->taken = kl_arena_take(memory, c, sizeof *j->taken);
    j->confusion = kl_arena_take(memory, c * c, sizeof *j->confusion);
    return j->taken && j->confusion ? KL_OK : kl_fail_memory(err, c * c * sizeof *j->confusion);
}

static void judge_head(struct kl_collapsed *head, struct judge *j, const int32_t *predictions)
{
    size_t right = 0;
    for (size_t i = 0; i < j->n; i++) right += predictions[i] == j->labels[i];
    head->accuracy = j->n ? (double)right / (double)j->n : 0;
    kl_stats_confusion(j->confusion, j->labels, predictions, j->n, j->c);
    head->merged = kl_stats_merged_classes(j->taken, j->confusion, j->c);
    for (size_t k = 0, pair = 0; k < j->c && pair < KL_COLLAPSE_PAIRS; k++)
        if (j->taken[k] >= 0) {
            head->pairs[pair][0] = (int32_t)k;
            head->pairs[pair++][1] = j->taken[k];
        }
}

/* Heads of different seeds differ by tenths of a per cent on thousands of samples, and by chance; a
   class that is lost in part, by per cents. The error is Agresti and Coull's (1998), of two more right
   and two more wrong: of a median of 1 the binomial one is 0, and one mistake would be too many. */
static int compare_heads(struct kl_collapse *c, size_t n, struct kl_error *err)
{
    double *sorted = malloc(c->replicas * sizeof *sorted);
    if (!sorted) return kl_fail_memory(err, c->replicas * sizeof *sorted);
    for (size_t r = 0; r < c->replicas; r++) sorted[r] = c->heads[r].accuracy;
    kl_stats_sort(sorted, c->replicas);
    c->median = (sorted[(c->replicas - 1) / 2] + sorted[c->replicas / 2]) / 2;
    free(sorted);
    const double m = (double)n + 4, p = (c->median * (double)n + 2) / m, error = sqrt(p * (1 - p) / m);
    for (size_t r = 0; r < c->replicas; r++) {
        c->heads[r].far = c->replicas > 2 && c->median - c->heads[r].accuracy > fmax(0.02, 4 * error);
        c->n_collapsed += c->heads[r].far || c->heads[r].merged;
    }
    return KL_OK;
}

static int make(struct kl_collapse *c, size_t replicas, int64_t first, const char *samples,
                struct kl_error *err)
{
    *c = (struct kl_collapse){ .replicas = replicas, .first = first, .samples = samples };
    c->heads = calloc(replicas, sizeof *c->heads);
    return c->heads ? KL_OK : kl_fail_memory(err, replicas * sizeof *c->heads);
}

enum { BLOCK = 1024 }; /* samples whose features are copied at once */

/* The samples of a training on which its heads are judged. */
struct samples {
    size_t n;
    int64_t *rows;                     /* [n], of the features */
    int32_t *labels, *predictions;     /* [n] */
    float *x, *logits, *probabilities; /* of a block */
};

/* Those kept for validation, or every n-th of the others. */
static int choose(struct samples *s, struct kl_arena *memory, const struct kl_head_train *t,
                  struct kl_error *err)
{
    const struct kl_features *f = t->features;
    const size_t step = t->n_validation ? 1 : (t->n_training + MOST_TRAINED - 1) / MOST_TRAINED,
                 n = t->n_validation ? t->n_validation : t->n_training / step,
                 block = n < BLOCK ? n : BLOCK;
    const int64_t *from = t->n_validation ? t->validation : t->training;
    s->n = n;
    s->rows = kl_arena_take(memory, n, sizeof *s->rows);
    s->labels = kl_arena_take(memory, n, sizeof *s->labels);
    s->predictions = kl_arena_take(memory, n, sizeof *s->predictions);
    s->x = kl_arena_take(memory, block * f->d, sizeof *s->x);
    s->logits = kl_arena_take(memory, block * f->n_classes, sizeof *s->logits);
    s->probabilities = kl_arena_take(memory, block * f->n_classes, sizeof *s->probabilities);
    if (!s->rows || !s->labels || !s->predictions || !s->x || !s->logits || !s->probabilities)
        return kl_fail_memory(err, block * f->d * sizeof *s->x);
    for (size_t i = 0; i < n; i++) {
        s->rows[i] = from[i * step];
        s->labels[i] = f->labels[s->rows[i]];
    }
    return KL_OK;
}

/* A head of samples [from, from + n), by the parameters of the best epoch. A circuit of trajectories
   draws those of the training's validation. */
static int predict_block(struct samples *s, size_t from, size_t n, struct kl_head *head,
                         struct kl_circuit *circuit, const struct kl_head_train *t, struct kl_pool *pool,
                         struct kl_error *err)
{
    const struct kl_features *f = t->features;
    for (size_t i = 0; i < n; i++)
        memcpy(s->x + i * f->d, f->x + (size_t)s->rows[from + i] * f->d, f->d * sizeof *f->x);
    circuit->draws.rows = s->rows + from;
    int code = KL_EDEVICE;
    if (t->device && t->device->cuda)
        code = kl_head_gpu_logits(s->logits, head, s->x, n, t->device, err);
    if (code) /* the training that a GPU ended is not lost by this: the CPU can judge it */
        code = kl_head_logits(s->logits, NULL, head, s->x, n, NULL, pool, err);
    if (!code) kl_stats_softmax(s->probabilities, s->predictions + from, s->logits, n, f->n_classes);
    return code;
}

static int predict(struct samples *s, const struct kl_head_train *t, int64_t r, struct kl_pool *pool,
                   struct kl_error *err)
{
    struct kl_head head = { .model = *t->whole, .params = t->loop.replicas[r].best };
    struct kl_circuit circuit = { 0 };
    int code = KL_OK;
    if (head.model.circuit) {
        circuit = *head.model.circuit;
        circuit.draws = (struct kl_draws){ .seed = t->loop.options.seed,
                                           .purpose = KL_RANDOM_VALIDATION_TRAJECTORIES,
                                           .replica = (uint32_t)(t->loop.options.first_replica + r) };
        head.model.circuit = &circuit;
    }
    for (size_t from = 0; from < s->n && !code; from += BLOCK)
        code = predict_block(s, from, s->n - from < BLOCK ? s->n - from : BLOCK, &head, &circuit, t,
                             pool, err);
    return code;
}

int kl_head_collapse_of_training(struct kl_collapse *c, const struct kl_head_train *t,
                                 struct kl_pool *pool, struct kl_error *err)
{
    struct kl_arena memory = { 0 };
    struct samples s;
    struct judge j;
    int code = make(c, (size_t)t->loop.options.replicas, 0, t->n_validation ? "val " : "train ", err);
    if (!code) code = kl_arena_init(&memory, 0, err);
    if (!code) code = choose(&s, &memory, t, err);
    if (!code) code = judge_open(&j, &memory, s.n, t->features->n_classes, err);
    if (!code) j.labels = s.labels;
    for (size_t r = 0; r < c->replicas && !code; r++) {
        code = predict(&s, t, (int64_t)r, pool, err);
        if (!code) judge_head(&c->heads[r], &j, s.predictions);
    }
    if (!code) code = compare_heads(c, s.n, err);
    kl_arena_free(&memory);
    if (code) kl_head_collapse_free(c);
    return code;
}

int kl_head_collapse_of_evaluation(struct kl_collapse *c, const struct kl_evaluation *e,
                                   struct kl_error *err)
{
    struct kl_arena memory = { 0 };
    struct judge j;
    int code = make(c, e->replicas, e->first, "", err);
    if (!code) code = kl_arena_init(&memory, 0, err);
    if (!code) code = judge_open(&j, &memory, e->n, e->c, err);
    if (!code) j.labels = e->labels;
    for (size_t r = 0; r < c->replicas && !code; r++)
        judge_head(&c->heads[r], &j, e->predictions + r * e->n);
    if (!code) code = compare_heads(c, e->n, err);
    kl_arena_free(&memory);
    if (code) kl_head_collapse_free(c);
    return code;
}

void kl_head_collapse_free(struct kl_collapse *c)
{
    free(c->heads);
    *c = (struct kl_collapse){ 0 };
}

/* At the end of a text, as far as there is room. */
static void add(char text[SENTENCE], const char *form, ...) __attribute__((format(printf, 2, 3)));
static void add(char text[SENTENCE], const char *form, ...)
{
    const size_t n = strlen(text);
    va_list list;
    va_start(list, form);
    vsnprintf(text + n, SENTENCE - n, form, list);
    va_end(list);
}

static void add_class(char text[SENTENCE], const char *before, const struct kl_features *f, int32_t k)
{
    char name[48];
    snprintf(name, sizeof name, "%.*s", (int)f->name_size, f->class_names + (size_t)k * f->name_size);
    kl_make_printable(name);
    add(text, "%s'%s'", before, name);
}

/* "takes '2' for '1' (val accuracy 0.8975)" */
static void describe(char text[SENTENCE], const struct kl_collapsed *h, const struct kl_collapse *c,
                     const struct kl_features *names)
{
    for (size_t i = 0; i < h->merged && i < KL_COLLAPSE_PAIRS; i++) {
        add_class(text, i ? ", " : "takes ", names, h->pairs[i][0]);
        add_class(text, " for ", names, h->pairs[i][1]);
    }
    if (h->merged > KL_COLLAPSE_PAIRS) add(text, " and %zu more", h->merged - KL_COLLAPSE_PAIRS);
    if (!h->merged) add(text, "is far below the median of the heads, %.4f", c->median);
    add(text, " (%saccuracy %.4f)", c->samples, h->accuracy);
}

void kl_head_collapse_say(const struct kl_log *log, const struct kl_collapse *c,
                          const struct kl_features *names)
{
    enum { MOST_HEADS = 4 };
    char text[SENTENCE] = "";
    size_t said = 0;
    if (!c->n_collapsed) return;
    if (c->replicas == 1) add(text, "the head does not tell all classes apart: it ");
    else
        add(text, "%zu of %zu heads %s all classes apart: ", c->n_collapsed, c->replicas,
            c->n_collapsed == 1 ? "does not tell" : "do not tell");
    for (size_t r = 0; r < c->replicas && said < MOST_HEADS; r++) {
        const struct kl_collapsed *h = &c->heads[r];
        if (!h->merged && !h->far) continue;
        if (c->replicas > 1)
            add(text, "%sreplica %lld ", said ? ", " : "", (long long)(c->first + (int64_t)r));
        describe(text, h, c, names);
        said++;
    }
    if (said < c->n_collapsed) add(text, " and %zu more", c->n_collapsed - said);
    kl_caution(log, "%s; %sdocs/head.md, 'Lost classes'", text,
               *c->samples
                   ? "--dropout 0, more --epochs, or the best of several --replicas mostly mend it: "
                   : "");
}
