/* SPDX-License-Identifier: MIT
   Several heads on the same samples: a table of them, each compared with the first. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/table.h"
#include "store/store.h"

int kl_head_row_own(struct kl_head_row *row, const struct kl_file *head, struct kl_error *err)
{
    json_t *parts = NULL;
    char *text = NULL;
    int code = kl_store_file_has_attribute(head, "", "config")
                   ? kl_store_file_text(&text, head, "", "config", err)
                   : KL_OK;
    if (!code && text) code = kl_json_parse(&row->options, text, row->path, err);
    free(text);
    if (!code) code = kl_json_parse(&parts, kl_store_file_key_parts(head), row->path, err);
    const char *seed =
        code ? NULL : json_string_value(json_object_get(json_object_get(parts, "parts"), "seed"));
    row->seed = seed ? strtod(seed, NULL) : NAN;
    json_decref(parts);
    return code;
}

/* Do replicas of the two rows have the same seeds, one by one? */
static bool are_paired(const struct kl_head_row *a, const struct kl_head_row *b)
{
    return a->e.replicas == b->e.replicas && a->e.first == b->e.first && a->seed == b->seed;
}

static int compare(struct kl_head_row *row, const struct kl_head_row *first, struct kl_error *err)
{
    const size_t r = row->e.replicas;
    if (are_paired(row, first)) row->difference = kl_stats_paired(row->e.accuracy, first->e.accuracy, r);
    else {
        const double mean = kl_stats_mean(first->e.accuracy, first->e.replicas);
        row->difference = (struct kl_paired){ 1, kl_stats_mean(row->e.accuracy, r) - mean, NAN, NAN };
    }
    return kl_head_evaluation_compare(&row->test, &row->e, &first->e, err);
}

int kl_head_rows_compare(struct kl_head_row *rows, size_t n, struct kl_error *err)
{
    double *log10_p = malloc(n * sizeof *log10_p);
    int code = log10_p ? KL_OK : kl_fail_memory(err, n * sizeof *log10_p);
    for (size_t i = 1; i < n && !code; i++) {
        code = compare(&rows[i], rows, err);
        log10_p[i - 1] = log10(rows[i].test.p);
    }
    if (!code && n > 1) code = kl_stats_holm(log10_p, log10_p, n - 1, err);
    for (size_t i = 1; i < n && !code; i++) rows[i].holm = pow(10, log10_p[i - 1]);
    free(log10_p);
    return code;
}

void kl_head_rows_free(struct kl_head_row *rows, size_t n)
{
    for (size_t i = 0; rows && i < n; i++) {
        kl_head_evaluation_free(&rows[i].e);
        kl_head_control_scores_free(&rows[i].controls);
        json_decref(rows[i].options);
    }
    free(rows);
}

/* ---- options in which the heads differ ---- */
enum { OPTIONS = 4, CELL = 48 };

/* What has a column of its own, or is no part of the head. */
static bool has_column(const char *name)
{
    return kl_choice("seed|replicas|replica|no-controls", name) >= 0;
}

/* The first of them by their names' order in the heads' configurations, of which one may have what
   another lacks. A head whose options are not known differs in none. */
static int find_options(const char *names[OPTIONS], const struct kl_head_row *rows, size_t n)
{
    int found = 0;
    for (size_t r = 0; r < n; r++) {
        void *at = json_object_iter(rows[r].options);
        for (; at && found < OPTIONS; at = json_object_iter_next(rows[r].options, at)) {
            const char *name = json_object_iter_key(at);
            bool differs = false, before = has_column(name);
            for (int k = 0; k < found; k++) before |= strcmp(names[k], name) == 0;
            for (size_t i = 0; i < n && !before; i++)
                differs |= rows[i].options && !json_equal(json_object_iter_value(at),
                                                          json_object_get(rows[i].options, name));
            if (differs) names[found++] = name;
        }
    }
    return found;
}

static void write_option(char text[CELL], const struct kl_head_row *row, const char *name)
{
    const json_t *value = json_object_get(row->options, name);
    if (json_is_number(value)) snprintf(text, CELL, "%.10g", json_number_value(value));
    else if (json_is_boolean(value)) snprintf(text, CELL, "%s", json_is_true(value) ? "yes" : "no");
    else snprintf(text, CELL, "%s", json_is_string(value) ? json_string_value(value) : "-");
    kl_make_printable(text);
}

/* ---- the numbers of a row, by name: what JSON and CSV have ---- */

enum { OWN = 13, DIFFERENCE = 5, NUMBERS = OWN + 3 * KL_CONTROLS + DIFFERENCE };
struct numbers {
    struct kl_json_pair pairs[NUMBERS];
    struct kl_control_numbers controls;
};

/* Every name, whatever there is: what is not there is no number. */
static void set_controls(struct numbers *to, const struct kl_control_scores *s)
{
    struct kl_paired d[KL_CONTROLS];
    for (int i = 0; i < KL_CONTROLS; i++) {
        const struct kl_paired none = { 1, NAN, NAN, NAN };
        d[i] = s->absent ? none : s->difference[i];
        d[i].n = 2; /* else there are no ends */
    }
    kl_head_control_numbers(&to->controls, d, KL_CONTROLS, true);
    memcpy(to->pairs + OWN, to->controls.pairs, 3 * KL_CONTROLS * sizeof *to->pairs);
}

static void set_numbers(struct numbers *to, const struct kl_head_row *row, bool first)
{
    const struct kl_evaluation_summary s = kl_head_evaluation_summary(&row->e);
    const struct kl_paired *d = &row->difference;
    const bool wide = !first && kl_has_width(d->low, d->high);
    const struct kl_json_pair own[OWN] = {
        { "head", KL_JSON_TEXT, row->path, 0 },
        { "replicas", KL_JSON_COUNT, NULL, (double)row->e.replicas },
        { "seed", isnan(row->seed) ? KL_JSON_NUMBER : KL_JSON_COUNT, NULL, row->seed },
        { "samples", KL_JSON_COUNT, NULL, (double)row->e.n },
        { "accuracy", KL_JSON_NUMBER, NULL, s.accuracy },
        { "accuracy_sd", KL_JSON_NUMBER, NULL, s.deviation },
        { "accuracy_low", KL_JSON_NUMBER, NULL, s.interval.low },
        { "accuracy_high", KL_JSON_NUMBER, NULL, s.interval.high },
        { "log_loss", KL_JSON_NUMBER, NULL, s.log_loss },
        { "ece", KL_JSON_NUMBER, NULL, s.calibration_error },
        { "noise", KL_JSON_TEXT, row->e.noise, 0 },
        { "shots", KL_JSON_COUNT, NULL, (double)row->e.shots },
        { "collapsed", KL_JSON_COUNT, NULL, (double)row->collapsed },
    };
    const struct kl_json_pair difference[DIFFERENCE] = {
        { "minus_first", KL_JSON_NUMBER, NULL, first ? NAN : d->difference },
        { "minus_first_low", KL_JSON_NUMBER, NULL, wide ? d->low : NAN },
        { "minus_first_high", KL_JSON_NUMBER, NULL, wide ? d->high : NAN },
        { "mcnemar_p", KL_JSON_NUMBER, NULL, first ? NAN : row->test.p },
        { "mcnemar_holm", KL_JSON_NUMBER, NULL, first ? NAN : row->holm },
    };
    memcpy(to->pairs, own, sizeof own);
    set_controls(to, &row->controls);
    memcpy(to->pairs + NUMBERS - DIFFERENCE, difference, sizeof difference);
}

/* noise and shots are of the evaluation; an option of that name is of the training. */
static bool is_number(const struct numbers *n, const char *name)
{
    bool is = false;
    for (size_t k = 0; k < NUMBERS; k++) is |= strcmp(n->pairs[k].name, name) == 0;
    return is;
}

/* Those in which the heads differ, as the head has them; null: it lacks one. */
static int options_json(char **text, const struct kl_head_row *row, const char *const *names, int n,
                        struct kl_error *err)
{
    json_t *object = json_object();
    bool made = object != NULL;
    for (int k = 0; k < n && made; k++) {
        json_t *value = json_object_get(row->options, names[k]);
        made = !json_object_set_new(object, names[k], value ? json_incref(value) : json_null());
    }
    const int code = made ? kl_json_dump(text, object, err) : kl_fail_memory(err, 256);
    json_decref(object);
    return code;
}

int kl_head_rows_json(FILE *to, const struct kl_head_row *rows, size_t n, const struct kl_log *log,
                      struct kl_error *err)
{
    struct numbers numbers;
    struct kl_json_pair pairs[NUMBERS + 2];
    const char *options[OPTIONS];
    const int n_options = find_options(options, rows, n);
    /* No file keeps those that are lost. */
    const bool lost = log->cautions && log->cautions->lost;
    int code = lost ? kl_fail_memory(err, 256) : KL_OK;
    for (size_t i = 0; i < n && !code; i++) {
        set_numbers(&numbers, &rows[i], i == 0);
        memcpy(pairs, numbers.pairs, sizeof numbers.pairs);
        char *text = NULL;
        code = options_json(&text, &rows[i], options, n_options, err);
        pairs[NUMBERS] = (struct kl_json_pair){ "options", KL_JSON_RAW, text, 0 };
        pairs[NUMBERS + 1] = kl_json_cautions(log);
        if (!code) code = kl_json_line(to, pairs, NUMBERS + 2, err);
        free(text);
    }
    return code;
}

/* Not cut, as typed; what a head lacks is empty, as numbers are. */
static void put_option(FILE *to, const json_t *value)
{
    fputc(',', to);
    if (json_is_string(value)) kl_csv_write(to, json_string_value(value), json_string_length(value));
    else if (json_is_number(value)) fprintf(to, "%.15g", json_number_value(value));
    else if (json_is_boolean(value)) fputs(json_is_true(value) ? "yes" : "no", to);
}

void kl_head_rows_csv(FILE *to, const struct kl_head_row *rows, size_t n)
{
    struct numbers numbers;
    const char *options[OPTIONS];
    const int n_options = find_options(options, rows, n);
    for (size_t i = 0; i < n; i++) {
        set_numbers(&numbers, &rows[i], i == 0);
        for (size_t k = 0; k < NUMBERS && !i; k++)
            fprintf(to, "%s%s", k ? "," : "", numbers.pairs[k].name);
        for (int k = 0; k < n_options && !i; k++)
            fprintf(to, ",%s%s", is_number(&numbers, options[k]) ? "trained_" : "", options[k]);
        for (size_t k = 0; k < NUMBERS; k++) {
            const struct kl_json_pair *p = &numbers.pairs[k];
            fputc(k ? ',' : '\n', to);
            if (p->type == KL_JSON_TEXT) kl_csv_write(to, p->text, strlen(p->text));
            else if (!isnan(p->number)) fprintf(to, "%.17g", p->number);
        }
        for (int k = 0; k < n_options; k++) put_option(to, json_object_get(rows[i].options, options[k]));
    }
    fputc('\n', to);
}

/* ---- for people ---- */

static void add_row(struct kl_table *t, const struct kl_head_row *row, const char *const *options,
                    int n_options, bool several, bool controls)
{
    const struct kl_evaluation_summary s = kl_head_evaluation_summary(&row->e);
    char text[CELL];
    kl_table_cell(t, "%s", row->path);
    for (int k = 0; k < n_options; k++) {
        write_option(text, row, options[k]);
        kl_table_cell(t, "%s", text);
    }
    kl_table_cell(t, "%zu", row->e.ensemble ? row->e.ensemble : row->e.replicas);
    kl_table_number(t, "%.0f", row->seed, "-");
    kl_table_number(t, "%.4f", s.accuracy, "");
    kl_table_interval(t, "%.4f to %.4f", s.interval.low, s.interval.high);
    if (several) kl_table_number(t, "%.4f", row->e.replicas > 1 ? s.deviation : NAN, "-");
    kl_table_number(t, "%.4f", s.log_loss, "");
    for (int i = 0; i < KL_CONTROLS && controls; i++)
        kl_table_number(t, "%+.4f", row->controls.absent ? NAN : row->controls.difference[i].difference,
                        "-");
}

static void make_heads(struct kl_table *t, const struct kl_head_row *rows, size_t n, bool several)
{
    bool controls = false;
    for (size_t i = 0; i < n; i++) controls |= !rows[i].controls.absent;
    const char *options[OPTIONS];
    const int n_options = find_options(options, rows, n);
    kl_table_column(t, 0, "head");
    for (int k = 0; k < n_options; k++) kl_table_column(t, 0, options[k]);
    kl_table_column(t, 5, "heads"), kl_table_column(t, 5, "seed");
    kl_table_column(t, 9, "accuracy"), kl_table_column(t, 19, "95 % over samples");
    if (several) kl_table_column(t, 9, "sd");
    kl_table_column(t, 9, "log loss");
    for (int i = 0; i < KL_CONTROLS && controls; i++) {
        char title[32];
        snprintf(title, sizeof title, "- %s", kl_head_control_name(i));
        kl_table_column(t, 9, title);
    }
    for (size_t i = 0; i < n; i++) add_row(t, &rows[i], options, n_options, several, controls);
}

static void make_differences(struct kl_table *t, const struct kl_head_row *rows, size_t n)
{
    kl_table_column(t, 0, "difference"), kl_table_column(t, 9, "mean");
    kl_table_column(t, 19, "95 % over seeds");
    kl_table_column(t, 9, "McNemar p"), kl_table_column(t, 9, "Holm");
    for (size_t i = 1; i < n; i++) {
        const struct kl_paired *d = &rows[i].difference;
        kl_table_cell(t, "%s - %s", rows[i].path, rows->path);
        kl_table_number(t, "%+.4f", d->difference, "");
        kl_table_interval(t, "%+.4f to %+.4f", d->low, d->high);
        kl_table_number(t, "%.3g", rows[i].test.p, ""), kl_table_number(t, "%.3g", rows[i].holm, "");
    }
}

/* Of circuits that were not run exactly. */
static void tell_conditions(FILE *to, const struct kl_head_row *rows, size_t n, const char *begin)
{
    for (size_t i = 0; i < n; i++) {
        const struct kl_evaluation *e = &rows[i].e;
        if (strcmp(e->noise, "none") == 0 && !e->shots) continue;
        fprintf(to, "%s%s: noise %s", begin, rows[i].path, e->noise);
        if (e->shots) fprintf(to, ", %zu shot%s", e->shots, kl_s(e->shots));
        if (kl_head_mitigates(&e->mitigation)) fprintf(to, ", mitigated by %s", e->mitigation.label);
        fputc('\n', to);
    }
}

int kl_head_rows_tell(FILE *to, const struct kl_head_row *rows, size_t n, bool latex,
                      struct kl_error *err)
{
    struct kl_table heads = { 0 }, differences = { 0 };
    const char *begin = latex ? "% " : "";
    bool several = false;
    for (size_t i = 0; i < n; i++) several |= rows[i].e.replicas > 1;
    make_heads(&heads, rows, n, several);
    if (n > 1) make_differences(&differences, rows, n);
    int code = kl_table_write(to, &heads, latex, err);
    if (!code && n > 1) code = kl_table_write(to, &differences, latex, err);
    if (n > 1 && several) fprintf(to, "%sMcNemar: of the first heads of two files\n", begin);
    tell_conditions(to, rows, n, begin);
    kl_table_free(&heads), kl_table_free(&differences);
    return code;
}
