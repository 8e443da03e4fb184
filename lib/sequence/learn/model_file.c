/* SPDX-License-Identifier: MIT
   A file of kind `sequence-model`: a net, what standardises its windows, and which windows trained,
   chose the epoch and are left to test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/learn/learner.h"
#include "sequence/learn/fitted.h"
#include "sequence/windows/windows.h"

static const struct kl_kind_heading headings[] = { { "", "model" }, { "", "split" }, { NULL, NULL } };
static const struct kl_kind_number numbers[] = {
    { .attribute = "parameters", .title = "parameters", .format = "%.0f" },
    { .attribute = "leak", .title = "leak (recordings in training and test)", .format = "%.0f" },
    { .attribute = NULL },
};
static const struct kl_kind_history histories[] = {
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/val_accuracy", "validation accuracy" },
      .of = "model",
      .attribute = "judge",
      .is = "accuracy" },
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/val_loss", "validation loss" },
      .least = true,
      .of = "model",
      .attribute = "judge",
      .is = "loss" },
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/train_accuracy", "training accuracy" },
      .of = "model" },
    { .of = NULL },
};
static const struct kl_kind_group counted[] = {
    { { "split/", "standardise/" }, "split/ and standardise/, of the windows" },
    { { "optimizer/", "last/" }, "optimizer/ and last/, from which training can go on" },
    { .words = NULL },
};
const struct kl_kind kl_sequence_model_kind = { .name = "sequence-model",
                                                .maker = "qseq train",
                                                .headings = headings,
                                                .classes = "class_names",
                                                .numbers = numbers,
                                                .histories = histories,
                                                .groups = counted };

/* ---- writing ---- */

static int put_standard(struct kl_writer *w, const struct kl_sequence_standard *s, struct kl_error *err)
{
    const bool own = s->kind == KL_SEQUENCE_STANDARD_SUBJECT;
    const size_t dims[2] = { kl_sequence_standard_rows(s), s->channels },
                 square[2] = { s->channels, s->channels };
    int code = kl_store_writer_put(w, "standardise/mean", KL_TYPE_F32, 0, 2, dims, s->mean, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "standardise/scale", KL_TYPE_F32, 0, 2, dims, s->scale, err);
    /* Each person's own is nothing that a test needs: it fits those of the people whom it is given. */
    if (code >= 0 && s->align == KL_SEQUENCE_ALIGN_TRAIN)
        code = kl_store_writer_put(w, "align", KL_TYPE_F64, 0, 2, square, s->align_by, err);
    if (code >= 0 && own)
        code = kl_sequence_names_put(w, "standardise/subject_names", (const char *const *)s->names,
                                     s->people, err);
    return code < 0 ? code : KL_OK;
}

/* The options from which a net is made again. */
static const struct {
    const char *name;
    size_t offset;
    bool flag;
} net_numbers[] = {
#define NUMBER(name, field)                                            \
    {                                                                  \
        name, offsetof(struct kl_sequence_model_options, field), false \
    }
#define FLAG(name, field)                                             \
    {                                                                 \
        name, offsetof(struct kl_sequence_model_options, field), true \
    }
    NUMBER("qubits", qubits),   NUMBER("layers", layers), NUMBER("gate_layers", gate_layers),
    NUMBER("width", width),     NUMBER("state", state),   NUMBER("filters", filters),
    NUMBER("spatial", spatial), NUMBER("taps", taps),     FLAG("bare", bare),
    FLAG("frozen", frozen),
};
enum { N_NUMBERS = sizeof net_numbers / sizeof *net_numbers };

static int put_net(struct kl_writer *w, const struct kl_sequence_learner *s, struct kl_error *err)
{
    const struct kl_sequence_model_options *o = &s->net.options;
    const char revision[2] = { o->revision, 0 };
    int code = kl_store_writer_text(w, "", "model", s->net.model->name, err);
    if (!code) code = kl_store_writer_text(w, "", "revision", revision, err);
    if (!code) code = kl_store_writer_text(w, "", "twin_of", o->twin_of ? o->twin_of : "hydra", err);
    for (int i = 0; i < N_NUMBERS && !code; i++) {
        const char *at = (const char *)o + net_numbers[i].offset;
        code = kl_store_writer_integer(w, "", net_numbers[i].name,
                                       net_numbers[i].flag ? *(const bool *)at : *(const int *)at, err);
    }
    if (!code) code = kl_store_writer_integer(w, "", "parameters", (int64_t)s->net.n_parameters, err);
    if (!code) code = kl_store_writer_integer(w, "", "steps", (int64_t)s->set.steps, err);
    return code ? code : kl_store_writer_number(w, "", "rate", s->set.rate, err);
}

static int put_words(struct kl_writer *w, const struct kl_sequence_learner *s, struct kl_error *err)
{
    const struct kl_sequence_train_values *v = s->v;
    const bool judges = s->split.n[KL_SEQUENCE_VALIDATION] > 0;
    int code = kl_store_writer_text(w, "", "split", v->split, err);
    if (!code)
        code = kl_store_writer_integer(w, "", "leak", v->parts.kind == KL_SEQUENCE_SPLIT_LEAK, err);
    if (!code) code = kl_store_writer_text(w, "", "standardise", v->standardise, err);
    if (!code) code = kl_store_writer_text(w, "", "alignment", v->align, err);
    if (!code) code = kl_store_writer_text(w, "", "tested", v->tested, err);
    if (!code) code = kl_store_writer_text(w, "", "judge", judges ? v->judge : "none", err);
    return code ? code : kl_sequence_set_describe(&s->set, w, err);
}

int kl_sequence_model_save(const struct kl_sequence_learner *s, struct kl_writer *w,
                           struct kl_error *err)
{
    int code = put_net(w, s, err);
    if (!code) code = put_words(w, s, err);
    if (!code) code = put_standard(w, &s->standard, err);
    if (!code) code = kl_sequence_split_put(w, &s->set, &s->split, s->inputs->files, s->inputs->n, err);
    if (!code)
        code = kl_sequence_names_put(w, "class_names", (const char *const *)s->set.class_names,
                                     s->set.n_classes, err);
    return code ? code
                : kl_sequence_names_put(w, "channel_names", (const char *const *)s->set.channel_names,
                                        s->set.channels, err);
}

/* ---- reading ---- */

static int take_whole(int *value, struct kl_file *file, const char *name, struct kl_error *err)
{
    double number;
    const int code = kl_store_file_number(&number, file, "", name, err);
    if (code) return code;
    if (!(number >= 0 && number <= 1e9) || number != (double)(int)number)
        return kl_fail(err, KL_EDATA, "%s: attribute %s: found %g, expected a whole number",
                       kl_store_file_path(file), name, number);
    *value = (int)number;
    return KL_OK;
}

static int take_net(struct kl_sequence_learned *m, struct kl_file *file, struct kl_error *err)
{
    struct kl_sequence_model_options o;
    struct kl_sequence_shape shape = { .channels = m->n_channels, .classes = (int)m->n_classes };
    char *revision = NULL;
    int steps = 0;
    kl_sequence_model_options_default(&o);
    int code = kl_store_file_text(&m->model, file, "", "model", err);
    if (!code) code = kl_store_file_text(&m->twin_of, file, "", "twin_of", err);
    if (!code) code = kl_store_file_text(&revision, file, "", "revision", err);
    for (int i = 0; i < N_NUMBERS && !code; i++) {
        char *at = (char *)&o + net_numbers[i].offset;
        int value = 0;
        code = take_whole(&value, file, net_numbers[i].name, err);
        if (net_numbers[i].flag) *(bool *)at = value != 0;
        else *(int *)at = value;
    }
    if (!code) code = take_whole(&steps, file, "steps", err);
    if (!code) code = kl_store_file_number(&shape.rate, file, "", "rate", err);
    if (!code) {
        o.model = m->model, o.twin_of = m->twin_of, o.revision = *revision;
        shape.steps = (size_t)steps;
        code = kl_sequence_net_open(&m->net, &o, &shape, err);
        if (code == KL_EUSAGE) code = err->code = KL_EDATA;
    }
    free(revision);
    return code;
}

static int take_params(struct kl_sequence_learned *m, struct kl_file *file, const char *group,
                       struct kl_error *err)
{
    const struct kl_block *b = &m->net.block;
    char name[128];
    void *memory = NULL;
    int code = KL_OK;
    for (int t = 0; t < b->n && !code; t++) {
        size_t dims[KL_TENSOR_RANK + 1];
        const struct kl_dataset *d;
        void *data = NULL;
        snprintf(name, sizeof name, "%s/%s", group, b->tensors[t].name);
        code = kl_store_file_expect(&d, file, name, KL_TYPE_F32, 1 + b->tensors[t].rank, err);
        if (!code && !d->dims[0])
            code =
                kl_fail(err, KL_EDATA, "%s: dataset %s has no replicas", kl_store_file_path(file), name);
        if (!code && !memory) {
            m->replicas = d->dims[0];
            if (posix_memalign(&memory, 64, m->replicas * b->size * sizeof(float) + 64))
                return kl_fail_memory(err, m->replicas * b->size * sizeof(float));
            memset(memory, 0, m->replicas * b->size * sizeof(float));
            m->params = memory;
        }
        dims[0] = m->replicas;
        memcpy(dims + 1, b->tensors[t].dims, sizeof b->tensors[t].dims);
        if (!code)
            code = kl_store_file_load_shape(&data, file, name, KL_TYPE_F32, 1 + b->tensors[t].rank, dims,
                                            err);
        for (size_t r = 0; r < m->replicas && !code; r++)
            kl_nn_tensor_from_file_f32(m->params + r * b->size, &b->tensors[t],
                                       (float *)data + r * b->tensors[t].size);
        free(data);
    }
    return code;
}

static int take_choice(int *kind, struct kl_file *file, const char *name, const char *choices,
                       struct kl_error *err)
{
    char *word = NULL;
    int code = kl_store_file_text(&word, file, "", name, err);
    if (!code && (*kind = kl_choice(choices, word)) < 0)
        code = kl_fail(err, KL_EDATA, "%s: attribute %s: found '%s', expected one of %s",
                       kl_store_file_path(file), name, word, choices);
    free(word);
    return code;
}

/* Files from before version 2 have no alignment. */
static int take_alignment(struct kl_sequence_standard *s, struct kl_file *file, struct kl_error *err)
{
    const size_t dims[2] = { s->channels, s->channels }, n = s->channels * s->channels;
    int align = KL_SEQUENCE_ALIGN_NONE, code = KL_OK;
    if (kl_store_file_has_attribute(file, "", "alignment"))
        code = take_choice(&align, file, "alignment", KL_SEQUENCE_ALIGNMENTS, err);
    s->align = (enum kl_sequence_alignment)align;
    if (code || s->align != KL_SEQUENCE_ALIGN_TRAIN) return code;
    code = kl_store_file_load_shape((void **)&s->align_by, file, "align", KL_TYPE_F64, 2, dims, err);
    for (size_t i = 0; i < n && !code; i++)
        if (!isfinite(s->align_by[i]))
            code = kl_fail(err, KL_EDATA, "%s: dataset align: found %g, expected a number",
                           kl_store_file_path(file), s->align_by[i]);
    return code ? code : kl_sequence_standard_ready(s, err);
}

static int take_standard(struct kl_sequence_learned *m, struct kl_file *file, struct kl_error *err)
{
    struct kl_sequence_standard *s = &m->standard;
    int kind = KL_SEQUENCE_STANDARD_NONE,
        code = take_choice(&kind, file, "standardise", KL_SEQUENCE_STANDARDS, err);
    s->kind = (enum kl_sequence_standard_kind)kind, s->channels = m->n_channels;
    if (!code && s->kind == KL_SEQUENCE_STANDARD_SUBJECT)
        code = kl_sequence_names_take(&s->names, &s->people, file, "standardise/subject_names", err);
    if (!code) code = take_alignment(s, file, err);
    const size_t dims[2] = { kl_sequence_standard_rows(s), s->channels };
    if (!code)
        code = kl_store_file_load_shape((void **)&s->mean, file, "standardise/mean", KL_TYPE_F32, 2,
                                        dims, err);
    return code ? code
                : kl_store_file_load_shape((void **)&s->scale, file, "standardise/scale", KL_TYPE_F32, 2,
                                           dims, err);
}

static int take_split(struct kl_sequence_learned *m, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *part;
    int kind = -1, leak = 0;
    int code = kl_store_file_text(&m->split, file, "", "split", err);
    if (!code && (kind = kl_choice(KL_SEQUENCE_SPLITS, m->split)) < 0)
        code = kl_fail(err, KL_EDATA, "%s: attribute split: found '%s', expected one of %s",
                       kl_store_file_path(file), m->split, KL_SEQUENCE_SPLITS);
    if (!code) code = take_whole(&leak, file, "leak", err);
    m->across = !code && kl_sequence_split_across((enum kl_sequence_split_kind)kind);
    m->leak = leak || kind == KL_SEQUENCE_SPLIT_LEAK;
    if (!code) code = kl_sequence_names_take(&m->contents, &m->n_files, file, "split/files", err);
    if (!code && !m->n_files)
        code = kl_fail(err, KL_EDATA, "%s: dataset split/files is empty", kl_store_file_path(file));
    if (!code)
        code = kl_sequence_numbers_take(&m->file_n, file, "split/file_windows", m->n_files, 0, INT32_MAX,
                                        err);
    if (!code) code = kl_sequence_names_take(&m->people, &m->n_people, file, "split/subject_names", err);
    if (!code)
        code =
            kl_sequence_names_take(&m->recordings, &m->n_recordings, file, "split/recording_names", err);
    if (!code) code = kl_store_file_expect(&part, file, "split/part", KL_TYPE_I32, 1, err);
    if (code) return code;
    m->n = part->rows;
    code = kl_sequence_numbers_take(&m->part, file, "split/part", m->n, -1, KL_SEQUENCE_PARTS, err);
    if (!code)
        code = kl_sequence_numbers_take(&m->person, file, "split/subject", m->n, 0, m->n_people, err);
    if (!code)
        code = kl_sequence_numbers_take(&m->recording, file, "split/recording", m->n, 0, m->n_recordings,
                                        err);
    if (!code && kl_store_file_find(file, "split/digest"))
        code = kl_store_file_load_shape((void **)&m->digests, file, "split/digest", KL_TYPE_I64, 1,
                                        &m->n, err);
    return code;
}

/* A classifier on covariances: one replica, which takes windows as they are. */
static int take_fitted(struct kl_sequence_learned *m, struct kl_file *file, struct kl_error *err)
{
    double parameters;
    if (!(m->fitted = calloc(1, sizeof *m->fitted))) return kl_fail_memory(err, sizeof *m->fitted);
    int code = kl_sequence_fitted_load(m->fitted, file, err);
    if (!code) code = kl_store_file_text(&m->model, file, "", "model", err);
    if (!code) code = kl_store_file_number(&parameters, file, "", "parameters", err);
    if (!code) code = kl_store_file_number(&m->net.shape.rate, file, "", "rate", err);
    if (code) return code;
    m->net.shape.channels = m->fitted->channels, m->net.shape.steps = m->fitted->steps;
    m->net.shape.classes = m->fitted->classes;
    m->net.n_parameters = (size_t)parameters, m->replicas = 1;
    m->standard.kind = KL_SEQUENCE_STANDARD_NONE, m->standard.channels = m->n_channels;
    return KL_OK;
}

static int take_model(struct kl_sequence_learned *m, struct kl_file *file, struct kl_error *err)
{
    char *tested = NULL;
    int code = take_net(m, file, err);
    if (!code) code = kl_store_file_text(&tested, file, "", "tested", err);
    if (!code) code = take_params(m, file, strcmp(tested, "last") ? "params" : "last", err);
    if (!code) code = take_standard(m, file, err);
    free(tested);
    return code;
}

/* Older files do not say where windows begin and what made them. */
static int take_windows_of(struct kl_sequence_learned *m, struct kl_file *file, struct kl_error *err)
{
    int code = kl_store_file_text(&m->unit, file, "", "unit", err);
    m->steps_before = NAN;
    if (!code && kl_store_file_has_attribute(file, "", "steps_before"))
        code = kl_store_file_number(&m->steps_before, file, "", "steps_before", err);
    if (!code && kl_store_file_has_attribute(file, "", "preprocessing"))
        code = kl_store_file_text(&m->preprocessing, file, "", "preprocessing", err);
    return code;
}

int kl_sequence_learned_open(struct kl_sequence_learned *m, struct kl_file *file, struct kl_error *err)
{
    const bool fitted = strcmp(kl_store_file_kind(file), kl_sequence_fit_kind.name) == 0;
    memset(m, 0, sizeof *m);
    int code = kl_sequence_names_take(&m->class_names, &m->n_classes, file, "class_names", err);
    if (!code)
        code = kl_sequence_names_take(&m->channel_names, &m->n_channels, file, "channel_names", err);
    if (!code) code = fitted ? take_fitted(m, file, err) : take_model(m, file, err);
    if (!code) code = take_windows_of(m, file, err);
    return code ? code : take_split(m, file, err);
}

void kl_sequence_learned_close(struct kl_sequence_learned *m)
{
    kl_sequence_names_free(m->class_names, m->n_classes);
    kl_sequence_names_free(m->channel_names, m->n_channels);
    kl_sequence_names_free(m->contents, m->n_files);
    kl_sequence_names_free(m->people, m->n_people);
    kl_sequence_names_free(m->recordings, m->n_recordings);
    kl_sequence_standard_free(&m->standard);
    if (m->fitted) kl_sequence_fitted_free(m->fitted);
    else kl_sequence_net_close(&m->net);
    free(m->fitted), free(m->params), free(m->file_n), free(m->part), free(m->person),
        free(m->recording), free(m->digests);
    free(m->model), free(m->twin_of), free(m->split), free(m->unit), free(m->preprocessing);
    memset(m, 0, sizeof *m);
}

const char *kl_sequence_learned_transductive(const struct kl_sequence_learned *m)
{
    return m->fitted ? kl_sequence_transductive(KL_SEQUENCE_STANDARD_NONE, m->fitted->options.align)
                     : kl_sequence_transductive(m->standard.kind, m->standard.align);
}

void kl_sequence_learned_name(char name[KL_SEQUENCE_NAME], const struct kl_sequence_learned *m)
{
    const bool twin = !m->fitted && strcmp(m->model, "twin") == 0;
    snprintf(name, KL_SEQUENCE_NAME, "%s%s", twin ? m->twin_of : m->model,
             twin                                  ? "-twin"
             : !m->fitted && m->net.options.frozen ? "-frozen"
                                                   : "");
}
