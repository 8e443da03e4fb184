/* SPDX-License-Identifier: MIT
   Any bytes as a model of a quantum system, in YAML and in JSON. What is read is finite, keeps the trace
   and lies within its bounds, its targets are objectives, and its text is read again to the same. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 30;

static void check_entry(const struct kl_control_entry *entry, int dim, bool control)
{
    for (int i = 0; i < dim * dim; i++)
        need(isfinite(entry->matrix[i]), "a matrix that is not finite", entry->name);
    for (int i = 0; i < dim; i++) need(entry->matrix[i] == 0, "the trace changes", entry->name);
    if (control)
        need(entry->low < entry->high && isfinite(entry->low) && isfinite(entry->high), "limits",
             entry->name);
    else need(isfinite(entry->value) && (!entry->rate || entry->value >= 0), "a value", entry->name);
}

static void check_model(const struct kl_control_model *model)
{
    const struct kl_control_system *s = &model->system;
    need(s->d >= 2 && s->d <= KL_CONTROL_MAX_LEVELS && s->dim == s->d * s->d, "levels", s->name);
    need(s->subspace >= 2 && s->subspace <= s->d && isfinite(s->duration) && s->duration >= 0, "sizes",
         s->name);
    need(s->n_controls > 0, "no controls", s->name);
    for (int k = 0; k < s->n_controls; k++) check_entry(&s->controls[k], s->dim, true);
    for (int j = 0; j < s->n_params; j++) check_entry(&s->params[j], s->dim, false);
    for (int t = 0; t < model->n_targets; t++) {
        struct kl_control_objective o;
        struct kl_error err = { 0 };
        const int code = kl_control_model_objective(&o, model, t, &err);
        if (code) need_refusal(code, KL_EUSAGE, KL_EUSAGE, &err);
        for (int i = 0; !code && i < s->dim * o.columns; i++)
            need(isfinite(o.weights[i]), "a weight", o.name);
        kl_control_objective_free(&o);
    }
    for (const char *c = model->said; *c; c++)
        need(*c == '\n' || ((unsigned char)*c >= ' ' && *c != 127), "no printable words", model->said);
}

static char *text_of(const struct kl_control_model *model)
{
    struct kl_error err = { 0 };
    char *text;
    need(kl_control_model_json(&text, model, &err) == 0, "no text", err.text);
    return text;
}

/* Of a model's text, which is read to a model that writes the same. */
static void check_again(const struct kl_control_model *model)
{
    struct kl_control_model again;
    struct kl_error err = { 0 };
    char *first = text_of(model);
    need(kl_control_model_parse(&again, first, &err) == 0, err.text, first);
    char *second = text_of(&again);
    need(strcmp(first, second) == 0, "another text when read again", second);
    check_model(&again);
    kl_control_model_free(&again);
    free(first);
    free(second);
}

static bool check(int code, struct kl_control_model *model, const struct kl_error *err)
{
    if (code) need_refusal(code, KL_EDATA, KL_ENOINPUT, err);
    if (code) return false;
    check_model(model);
    check_again(model);
    kl_control_model_free(model);
    return true;
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_control_model model;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    char *text = fuzz_text(data, n);
    fuzz_file_make(&file, data, n);
    const int code = kl_control_model_read(&model, file.path, &err);
    bool read = check(code, &model, &err);
    fuzz_file_free(&file);
    const int parsed = kl_control_model_parse(&model, text, &err);
    read |= check(parsed, &model, &err);
    free(text);
    return read;
}
