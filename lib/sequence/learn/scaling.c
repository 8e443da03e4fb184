/* SPDX-License-Identifier: MIT
   How a training scales: measured, and its table as a file, as a text and as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "sequence/learn/learner.h"
#include "sequence/learn/scaling.h"
#include "store/ranks.h"

/* ---- scaling ----
   The training of lib/train, by the same learner and the same ranks, without what is not a step: no
   epoch is judged and no file written. */

enum { ROUNDS = 3, MOST_EPOCHS = 100000 };

struct open {
    struct kl_training training;
    struct kl_log quiet; /* what the split would say is no matter here */
    size_t batch;
};

static int open_one(struct open *o, struct kl_sequence_train_values *values,
                    const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    struct kl_training *t = &o->training;
    const struct kl_train_stage *stage = &kl_sequence_train_stage;
    o->quiet = (struct kl_log){ job->log->tool, job->log->to, 0, NULL };
    values->parts.kind = KL_SEQUENCE_SPLIT_LEAK; /* any windows will do, of one person too */
    values->parts.validation = 0, values->parts.test = 1e-9;
    *t = (struct kl_training){ .of = stage,
                               .values = values,
                               .settings = &values->train,
                               .log = &o->quiet,
                               .inputs = job->inputs,
                               .input = job->inputs->files[0],
                               .ranks = job->ranks,
                               .state = calloc(1, stage->state_size) };
    if (!t->state) return kl_fail_memory(err, stage->state_size);
    struct kl_sequence_learner *s = t->state;
    s->timed = true;
    const int code = stage->open(t, err);
    if (code < 0) return code;
    const size_t n = s->split.n[KL_SEQUENCE_TRAIN];
    o->batch = (size_t)values->train.options.batch_size;
    if (n < o->batch)
        return kl_fail(err, KL_EDATA, "batches of %zu: found %zu windows to train on; give more of them",
                       o->batch, n);
    s->split.n[KL_SEQUENCE_TRAIN] = n - n % o->batch; /* whole batches alone */
    t->learner.steps_per_epoch = (int64_t)(n / o->batch);
    return KL_OK;
}

static void close_one(struct open *o)
{
    if (o->training.state) kl_sequence_train_stage.close(&o->training);
    free(o->training.state);
}

/* All ranks are here, and know of a signal that one of them got; *count becomes the first one's. code:
   of what this one did before. */
static int meet(struct kl_ranks *ranks, int64_t *count, int code, struct kl_error *err)
{
    if (code && code != KL_ESIGNAL) return code;
    int stop = kl_signals_pending();
    const int met = kl_store_ranks_agree(ranks, count, &stop, err);
    if (met || (!stop && !code)) return met;
    if (stop) kl_signals_told(stop);
    return kl_fail(err, KL_ESIGNAL, "stopped by a signal; nothing is kept");
}

struct rounds {
    struct kl_train train;
    struct kl_ranks some; /* those that are measured; count 0 or 1: one alone */
    struct kl_pool *pool;
    double once;                /* seconds of an epoch, measured first, to warm up */
    struct kl_train_device gpu; /* that has begun; without functions: none has */
};

/* A training sends its windows to a GPU once. So do all rounds together, and no step's time has it. */
static int has_begun(struct kl_train *train, struct kl_error *err)
{
    (void)train, (void)err;
    return KL_OK;
}
static void goes_on(struct kl_train *train)
{
    (void)train;
}
static int begin_on_gpu(struct rounds *r, struct kl_error *err)
{
    if (!r->train.device) return KL_OK;
    r->gpu = *r->train.device;
    r->gpu.begin = has_begun, r->gpu.end = goes_on;
    const int code = r->train.device->begin(&r->train, err);
    r->train.device = &r->gpu;
    return code;
}

static int open_rounds(struct rounds *r, struct open *o, size_t ranks, int threads,
                       const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    struct kl_train_options options = o->training.settings->options;
    *r = (struct rounds){ 0 };
    if (job->ranks) kl_store_ranks_first(&r->some, job->ranks, ranks);
    options.epochs = MOST_EPOCHS, options.replicas = 1, options.patience = 0;
    options.checkpoint_every = 0, options.ranks = r->some.count > 1 ? &r->some : NULL;
    int code = kl_pool_create(&r->pool, threads, err);
    if (!code) code = kl_train_open(&r->train, &o->training.learner, &options, threads, err);
    return code ? code : begin_on_gpu(r, err);
}

static void close_rounds(struct rounds *r)
{
    if (r->gpu.end) r->train.learner->device->end(&r->train);
    kl_train_close(&r->train);
    kl_pool_destroy(&r->pool);
}

/* The progress: it counts rows of the table, not the epochs that a row is measured by. */
struct course {
    const struct kl_watch *watch;
    uint64_t done, total;
    const char *model;
};
static int watch_rows(void *context, uint64_t done, uint64_t total, const char *note)
{
    const struct course *c = context;
    (void)done, (void)total, (void)note;
    return kl_watch_step(c->watch, c->done, c->total, c->model);
}

/* What a step has taken of GPU and ranks so far, all steps together. */
static struct kl_sequence_scaling_row taken(const struct rounds *r)
{
    struct kl_sequence_scaling_row t = { .waited = r->some.waited, .bytes = (double)r->some.bytes };
    double called = 0;
    if (r->gpu.end) kl_sequence_gpu_seconds(&called, &t.computed, r->train.learner->context);
    t.launched = called - t.computed;
    return t;
}

/* Some epochs, as many on every rank; the row keeps the fastest round. */
static int round_of(struct kl_sequence_scaling_row *row, struct rounds *r, bool first, size_t number,
                    const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    struct course course = { job->watch, number, job->n_rows, row->model };
    const struct kl_watch watch = { watch_rows, &course };
    struct kl_ranks *ranks = r->train.options.ranks;
    const double wish = first ? 1 : ceil(job->seconds / ROUNDS / r->once);
    int64_t epochs = (int64_t)fmin(fmax(wish, 1), MOST_EPOCHS / (2 * ROUNDS));
    int code = meet(ranks, &epochs, KL_OK, err);
    const double start = kl_clock(), steps = (double)(epochs * r->train.learner->steps_per_epoch);
    const struct kl_sequence_scaling_row before = taken(r);
    r->train.until = r->train.epoch + epochs;
    if (!code) code = kl_train_run(&r->train, r->pool, &watch, err);
    const double seconds = kl_clock() - start;
    const struct kl_sequence_scaling_row now = taken(r);
    const size_t n = ranks ? ranks->count : 1, own = ranks ? ranks->index : 0;
    double waited[KL_RANKS_MOST];
    waited[own] = (now.waited - before.waited) / steps;
    if (first) r->once = seconds;
    if (!code) code = kl_store_ranks_gather(ranks, waited, n, sizeof *waited, err);
    if (code || first || seconds / steps >= row->seconds) return code;
    row->seconds = seconds / steps;
    row->waited = row->exchanged = waited[own];
    for (size_t i = 0; i < n; i++) row->exchanged = fmin(row->exchanged, waited[i]);
    row->bytes = (now.bytes - before.bytes) / steps;
    row->computed = (now.computed - before.computed) / steps;
    row->launched = (now.launched - before.launched) / steps;
    return KL_OK;
}

/* One row, after which all ranks have met, those too that only waited. */
static int measure(struct kl_sequence_scaling_row *row, struct open *o, size_t number,
                   const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    const bool measured = !job->ranks || job->ranks->index < (size_t)row->ranks;
    struct rounds r = { 0 };
    int64_t nothing = 0;
    int code = measured ? open_rounds(&r, o, (size_t)row->ranks, row->threads, job, err) : KL_OK;
    row->seconds = INFINITY;
    for (int k = 0; k <= ROUNDS && !code; k++) {
        if (measured) code = round_of(row, &r, k == 0, number, job, err);
        code = meet(job->ranks, &nothing, code, err);
    }
    if (measured) close_rounds(&r);
    return code;
}

static size_t parts_of(const struct kl_learner *l)
{
    return l->tree && l->parts ? l->parts : 1;
}

static int add_row(struct kl_sequence_scaling *s, struct open *o, size_t first, size_t ranks,
                   int threads, const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    const struct kl_sequence_learner *learner = o->training.state;
    /* A twin has the sizes of the model whose twin it is. */
    const char *model = learner->v->model;
    const bool circuit = learner->net.model->quantum || strcmp(model, "twin") == 0,
               classical = strncmp(model, "classical", strlen("classical")) == 0;
    struct kl_sequence_scaling_row *more = realloc(s->rows, (s->n + 1) * sizeof *more);
    if (!more) return kl_fail_memory(err, (s->n + 1) * sizeof *more);
    s->rows = more;
    struct kl_sequence_scaling_row *row = &more[s->n++];
    *row = (struct kl_sequence_scaling_row){ .batch = (int32_t)o->batch,
                                             .ranks = (int32_t)ranks,
                                             .threads = threads,
                                             .qubits = circuit ? learner->v->net.qubits : 0,
                                             .layers = circuit || classical ? learner->v->net.layers : 0,
                                             .parameters = (int64_t)learner->net.n_parameters,
                                             .parts = (int32_t)parts_of(&o->training.learner) };
    snprintf(row->model, sizeof row->model, "%s", model);
    snprintf(row->device, sizeof row->device, "%s", learner->device.name);
    const int code = measure(row, o, s->n - 1 + s->n_left_out, job, err);
    row->speedup = more[first].seconds / row->seconds;
    return code;
}

/* 1, 2, 4, ... and all of them; beyond `most` at the end. */
static size_t more_of(size_t ranks, size_t most)
{
    return ranks < most && 2 * ranks > most ? most : 2 * ranks;
}

static int add_rows(struct kl_sequence_scaling *s, struct open *o,
                    const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    const struct kl_learner *l = &o->training.learner;
    const size_t most = job->ranks ? job->ranks->count : 1, parts = parts_of(l), first = s->n;
    int code = KL_OK;
    for (size_t ranks = 1; ranks <= most && !code; ranks = more_of(ranks, most))
        for (int threads = 1; threads <= job->threads && !code; threads *= 2)
            if (ranks > parts) s->n_left_out++;
            else code = add_row(s, o, first, ranks, threads, job, err);
    return code;
}

size_t kl_sequence_scaling_rows(const struct kl_sequence_scaling_job *job)
{
    size_t n = 0;
    const size_t most = job->ranks ? job->ranks->count : 1;
    for (size_t ranks = 1; ranks <= most; ranks = more_of(ranks, most))
        for (int threads = 1; threads <= job->threads; threads *= 2) n++;
    return n;
}

/* Whether a net has room on a GPU, the GPU alone knows. */
int kl_sequence_scaling_check(struct kl_sequence_train_values *values,
                              const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    struct open o = { 0 };
    struct rounds r = { 0 };
    int code = open_one(&o, values, job, err);
    if (!code && o.training.learner.device) {
        code = open_rounds(&r, &o, 1, 1, job, err);
        close_rounds(&r);
    }
    close_one(&o);
    return code;
}

int kl_sequence_scaling_add(struct kl_sequence_scaling *s, struct kl_sequence_train_values *values,
                            const struct kl_sequence_scaling_job *job, struct kl_error *err)
{
    struct open o = { 0 };
    int code = open_one(&o, values, job, err);
    if (!code) {
        const struct kl_sequence_learner *learner = o.training.state;
        struct kl_learner *l = &o.training.learner;
        s->windows = learner->set.n, s->channels = learner->set.channels, s->steps = learner->set.steps;
        l->judge = NULL, l->n_judged = 0, l->plateau_own = false;
        code = add_rows(s, &o, job, err);
    }
    close_one(&o);
    return code;
}

void kl_sequence_scaling_free(struct kl_sequence_scaling *s)
{
    free(s->rows);
    *s = (struct kl_sequence_scaling){ 0 };
}

/* ---- a scaling table as a file, as a text and as JSON ---- */

static const struct kl_kind_number numbers[] = {
    { .attribute = "processor", .title = "processor" },
    { .attribute = "windows", .title = "windows", .format = "%.0f" },
    { .attribute = NULL },
};
const struct kl_kind kl_sequence_scaling_kind = { .name = "sequence-scaling",
                                                  .maker = "qseq bench",
                                                  .numbers = numbers };

enum {
    MODEL,
    QUBITS,
    LAYERS,
    BATCH,
    RANKS,
    THREADS,
    PARAMETERS,
    SECONDS,
    SPEEDUP,
    WAITED,
    BYTES,
    DEVICE,
    COMPUTED, /* from here on of GPUs */
    LAUNCHED,
    EXCHANGED,
    COLUMNS
};
static const struct {
    const char *name;
    enum kl_type type;
} columns[COLUMNS] = {
    { "model", KL_TYPE_STRING },   { "qubits", KL_TYPE_I32 },   { "layers", KL_TYPE_I32 },
    { "batch", KL_TYPE_I32 },      { "ranks", KL_TYPE_I32 },    { "threads", KL_TYPE_I32 },
    { "parameters", KL_TYPE_I64 }, { "seconds", KL_TYPE_F64 },  { "speed_up", KL_TYPE_F64 },
    { "waited", KL_TYPE_F64 },     { "bytes", KL_TYPE_F64 },    { "device", KL_TYPE_STRING },
    { "computed", KL_TYPE_F64 },   { "launched", KL_TYPE_F64 }, { "exchanged", KL_TYPE_F64 },
};

static size_t size_of(int k)
{
    const struct kl_sequence_scaling_row *none = NULL;
    return k == MODEL                       ? sizeof none->model
           : k == DEVICE                    ? sizeof none->device
           : columns[k].type == KL_TYPE_I32 ? sizeof(int32_t)
                                            : 8;
}

static const void *value_of(const struct kl_sequence_scaling_row *row, int k)
{
    const void *const values[COLUMNS] = { row->model,       &row->qubits,   &row->layers,
                                          &row->batch,      &row->ranks,    &row->threads,
                                          &row->parameters, &row->seconds,  &row->speedup,
                                          &row->waited,     &row->bytes,    row->device,
                                          &row->computed,   &row->launched, &row->exchanged };
    return values[k];
}

static bool on_gpu(const struct kl_sequence_scaling *s)
{
    return s->n && strncmp(s->rows[0].device, "cuda", 4) == 0;
}

int kl_sequence_scaling_save(struct kl_writer *writer, const struct kl_sequence_scaling *s,
                             struct kl_error *err)
{
    const int n_columns = on_gpu(s) ? COLUMNS : COMPUTED;
    char *column = malloc(s->n * sizeof s->rows->device + 1); /* the widest */
    int code = column ? KL_OK : kl_fail_memory(err, s->n * sizeof s->rows->device);
    for (int k = 0; k < n_columns && code >= 0; k++) {
        const size_t size = size_of(k);
        for (size_t i = 0; i < s->n; i++) memcpy(column + i * size, value_of(&s->rows[i], k), size);
        code = kl_store_writer_put(writer, columns[k].name, columns[k].type,
                                   columns[k].type == KL_TYPE_STRING ? size : 0, 1, &s->n, column, err);
    }
    free(column);
    static const int seconds[] = { SECONDS, WAITED, COMPUTED, LAUNCHED, EXCHANGED };
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds && code >= 0; i++)
        if (seconds[i] < n_columns)
            code = kl_store_writer_text(writer, columns[seconds[i]].name, "unit", "s", err);
    if (code >= 0) code = kl_store_writer_text(writer, "", "processor", kl_device_cpu()->model, err);
    if (code >= 0) code = kl_store_writer_integer(writer, "", "windows", (int64_t)s->windows, err);
    if (code >= 0) code = kl_store_writer_integer(writer, "", "channels", (int64_t)s->channels, err);
    return code < 0 ? code : kl_store_writer_integer(writer, "", "steps", (int64_t)s->steps, err);
}

/* Of a step on a GPU, in percent; the host's is the rest. */
static void tell_shares(FILE *to, const struct kl_sequence_scaling *s)
{
    fprintf(to, "of it, on the first rank:\n%-18s%7s%7s%7s%10s%10s%10s%10s%10s\n", "model", "qubits",
            "batch", "ranks", "kernels", "launches", "exchange", "waiting", "host");
    for (size_t i = 0; i < s->n; i++) {
        const struct kl_sequence_scaling_row *r = &s->rows[i];
        const double each = 100 / r->seconds, host = r->seconds - r->computed - r->launched - r->waited;
        fprintf(to, "%-18s%7d%7d%7d%8.0f %%%8.0f %%%8.0f %%%8.0f %%%8.0f %%\n", r->model, r->qubits,
                r->batch, r->ranks, each * r->computed, each * r->launched, each * r->exchanged,
                each * (r->waited - r->exchanged), each * fmax(host, 0));
    }
}

void kl_sequence_scaling_tell(FILE *to, const struct kl_sequence_scaling *s)
{
    fprintf(to, "%zu windows of %zu x %zu, %s, %s; a step:\n", s->windows, s->channels, s->steps,
            kl_device_cpu()->model, s->n ? s->rows[0].device : "");
    fprintf(to, "%-18s%7s%7s%7s%7s%9s%10s%12s%10s%9s%11s\n", "model", "qubits", "layers", "batch",
            "ranks", "threads", "ms", "windows/s", "speed-up", "kB sent", "ms waited");
    for (size_t i = 0; i < s->n; i++) {
        const struct kl_sequence_scaling_row *r = &s->rows[i];
        char qubits[16] = "-", layers[16] = "-";
        if (r->qubits) snprintf(qubits, sizeof qubits, "%d", r->qubits);
        if (r->layers) snprintf(layers, sizeof layers, "%d", r->layers);
        fprintf(to, "%-18s%7s%7s%7d%7d%9d%10.3f%12.0f%10.2f%9.1f%11.3f\n", r->model, qubits, layers,
                r->batch, r->ranks, r->threads, 1e3 * r->seconds, r->batch / r->seconds, r->speedup,
                r->bytes / 1e3, 1e3 * r->waited);
    }
    if (on_gpu(s)) tell_shares(to, s);
}

static json_t *row_json(const struct kl_sequence_scaling *s, size_t i)
{
    const struct kl_sequence_scaling_row *r = &s->rows[i];
    json_t *row = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:I, s:f, s:f, s:f, s:f}", "model",
                            r->model, "device", r->device, "qubits", r->qubits, "layers", r->layers,
                            "batch", r->batch, "ranks", r->ranks, "threads", r->threads, "parameters",
                            (json_int_t)r->parameters, "seconds", r->seconds, "seconds_waited",
                            r->waited, "bytes_sent", r->bytes, "speed_up", r->speedup);
    json_t *shares = on_gpu(s)
                         ? json_pack("{s:f, s:f, s:f}", "seconds_computed", r->computed,
                                     "seconds_launched", r->launched, "seconds_exchanged", r->exchanged)
                         : json_object();
    if (json_object_update_new(row, shares)) json_decref(row), row = NULL;
    return row;
}

int kl_sequence_scaling_json(FILE *to, const struct kl_sequence_scaling *s,
                             const struct kl_sequence_forecast *forecast, const char *output,
                             const struct kl_log *log, struct kl_error *err)
{
    json_t *cautions = NULL, *rows = json_array(), *all = NULL;
    char *text = NULL;
    int code = kl_json_lines(&cautions, kl_caution_lines(log), err);
    for (size_t i = 0; i < s->n && rows && !code; i++)
        if (json_array_append_new(rows, row_json(s, i))) code = kl_fail_memory(err, 4096);
    if (!code && rows)
        all = json_pack("{s:s?, s:s, s:I, s:I, s:I, s:O, s:O}", "output", output, "processor",
                        kl_device_cpu()->model, "windows", (json_int_t)s->windows, "channels",
                        (json_int_t)s->channels, "steps", (json_int_t)s->steps, "rows", rows, "cautions",
                        cautions);
    if (all && forecast &&
        (json_object_set_new(all, "forecast", kl_sequence_forecast_json(forecast)) ||
         json_object_set_new(all, "forecast_worst_error",
                             isnan(forecast->worst) ? json_null() : json_real(forecast->worst))))
        code = kl_fail_memory(err, 4096);
    if (!code) code = all ? kl_json_dump(&text, all, err) : kl_fail_memory(err, 4096);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(all), json_decref(rows), json_decref(cautions);
    return code;
}
