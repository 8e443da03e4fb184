/* SPDX-License-Identifier: MIT
   Models that sweeps have chosen, each by the validation of its own fold: is each the best of its table,
   and what the report says of the choice. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/report.h"

static int take_fold(int64_t *fold, const struct kl_file *file, struct kl_error *err)
{
    json_t *parts = NULL;
    const int code = kl_json_parse(&parts, kl_store_file_key_parts(file), "key_parts", err);
    *fold = json_integer_value(json_object_get(json_object_get(parts, "options"), "fold"));
    json_decref(parts);
    return code;
}

/* Of the table of one sweep: its best point, and which of the models that is. */
static int take_best(struct kl_sequence_choice *c, struct kl_sequence_report *r, struct kl_file *file,
                     struct kl_error *err)
{
    const struct kl_sweep_row *best = NULL;
    struct kl_sweep sweep;
    int code = kl_train_sweep_load(&sweep, file, err);
    if (!code) code = kl_train_sweep_best(&best, &sweep, err);
    if (!code && !best)
        code =
            kl_fail(err, KL_EDATA, "%s: all points diverged: it chose none", kl_store_file_path(file));
    if (!code) code = take_fold(&c->fold, file, err);
    if (!code) {
        strcpy(c->point, best->name);
        c->judged = kl_train_sweep_mean(&sweep, (size_t)(best - sweep.rows), 0);
        memcpy(r->judge, sweep.by.row[0].name, sizeof r->judge);
        while (c->model < r->n_models && strcmp(kl_store_file_key(r->model_files[c->model]), best->key))
            c->model++;
        if (c->model == r->n_models)
            code = kl_fail(err, KL_EDATA,
                           "%s: its best point, '%.200s', is none of the models given; give its file",
                           kl_store_file_path(file), best->name);
    }
    kl_train_sweep_free(&sweep);
    return code;
}

static int by_fold(const void *a, const void *b)
{
    const struct kl_sequence_choice *x = a, *y = b;
    return (x->fold > y->fold) - (x->fold < y->fold);
}

int kl_sequence_report_choose(struct kl_sequence_report *r, struct kl_error *err)
{
    int code = KL_OK;
    if (!r->n_sweeps) return KL_OK;
    if (r->n_sweeps != r->n_models)
        return kl_fail(err, KL_EDATA,
                       "found %zu model%s and the tables of %zu sweep%s, expected the best of each",
                       r->n_models, kl_s(r->n_models), r->n_sweeps, kl_s(r->n_sweeps));
    r->chosen = calloc(r->n_sweeps, sizeof *r->chosen);
    if (!r->chosen) return kl_fail_memory(err, r->n_sweeps * sizeof *r->chosen);
    for (size_t k = 0; k < r->n_sweeps && !code; k++) {
        code = kl_sequence_check_fold(r->sweep_files[k], r->sweep_files[0], "sweep", err);
        if (!code) code = take_best(&r->chosen[k], r, r->sweep_files[k], err);
    }
    if (code) return code;
    qsort(r->chosen, r->n_sweeps, sizeof *r->chosen, by_fold);
    for (size_t k = 1; k < r->n_sweeps; k++)
        if (r->chosen[k].fold == r->chosen[k - 1].fold)
            return kl_fail(err, KL_EDATA, "two sweeps of fold %lld; give each fold's once",
                           (long long)r->chosen[k].fold);
    return KL_OK;
}

/* Is the name that of an earlier one of them? */
static bool is_named(const struct kl_sequence_report *r, size_t k, const char *name)
{
    char other[KL_SEQUENCE_NAME];
    for (size_t i = 0; i < k; i++) {
        kl_sequence_learned_name(other, &r->models[r->chosen[i].model]);
        if (strcmp(other, name) == 0) return true;
    }
    return false;
}

void kl_sequence_report_name(char name[KL_SEQUENCE_NAME], const struct kl_sequence_report *r)
{
    char one[KL_SEQUENCE_NAME];
    kl_sequence_learned_name(name, &r->models[r->chosen ? r->chosen[0].model : 0]);
    for (size_t k = 1; k < r->n_sweeps; k++) {
        const size_t used = strlen(name);
        kl_sequence_learned_name(one, &r->models[r->chosen[k].model]);
        if (!is_named(r, k, one)) snprintf(name + used, KL_SEQUENCE_NAME - used, "|%s", one);
    }
}

/* ---- told ---- */

int kl_sequence_chosen_save(const struct kl_sequence_report *r, struct kl_writer *w,
                            struct kl_error *err)
{
    const size_t n = r->n_sweeps;
    char name[64];
    if (!n) return KL_OK;
    const char **points = malloc(n * sizeof *points);
    int64_t *columns = malloc(2 * n * sizeof *columns);
    double *judged = malloc(n * sizeof *judged);
    int code = points && columns && judged ? KL_OK : kl_fail_memory(err, n * sizeof *judged);
    for (size_t k = 0; k < n && !code; k++) {
        points[k] = r->chosen[k].point, judged[k] = r->chosen[k].judged;
        columns[k] = r->chosen[k].fold, columns[n + k] = (int64_t)r->chosen[k].model;
    }
    snprintf(name, sizeof name, "chosen/%s", r->judge);
    if (!code) code = kl_sequence_names_put(w, "chosen/point", points, n, err);
    if (!code) code = kl_store_writer_put(w, "chosen/fold", KL_TYPE_I64, 0, 1, &n, columns, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "chosen/model", KL_TYPE_I64, 0, 1, &n, columns + n, err);
    if (code >= 0) code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &n, judged, err);
    free(points), free(columns), free(judged);
    return code < 0 ? code : KL_OK;
}

void kl_sequence_chosen_write(FILE *to, const struct kl_sequence_report *r)
{
    for (size_t k = 0; k < r->n_sweeps; k++) {
        size_t n = 0, before = 0;
        for (size_t i = 0; i < r->n_sweeps; i++) {
            const bool same = strcmp(r->chosen[i].point, r->chosen[k].point) == 0;
            n += same, before += same && i < k;
        }
        if (!before)
            fprintf(to, "  chosen by validation in %zu of %zu folds: %s\n", n, r->n_sweeps,
                    r->chosen[k].point);
    }
}

int kl_sequence_chosen_json(char **text, const struct kl_sequence_report *r, struct kl_error *err)
{
    json_t *all = json_array();
    *text = NULL;
    int code = all ? KL_OK : kl_fail_memory(err, 64);
    for (size_t k = 0; k < r->n_sweeps && !code; k++) {
        const struct kl_sequence_choice *c = &r->chosen[k];
        json_t *one = json_object(), *point = NULL;
        code = one ? kl_json_string(&point, c->point, err) : kl_fail_memory(err, 64);
        if (!code &&
            (json_object_set_new(one, "fold", json_integer(c->fold)) ||
             json_object_set(one, "point", point) ||
             json_object_set_new(one, r->judge, json_real(c->judged)) || json_array_append(all, one)))
            code = kl_fail_memory(err, 256);
        json_decref(point), json_decref(one);
    }
    if (!code) code = kl_json_dump(text, all, err);
    json_decref(all);
    return code;
}
