/* SPDX-License-Identifier: MIT
   A ladder as a CSV: the reference's own or a table of several, read and written, and the text report of
   its classic code. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sampling/ladder/ladder.h"

/* ---- a ladder from a CSV: the reference's own, or a table of several ---- */

enum { MOST_BYTES = 2 << 20, COLUMNS = 6 };

/* Columns by place: n, beta, losses, errors. */
static const char *const REFERENCE[COLUMNS] = { "Sample_size",  "Beta",          "EMA_BCE_Train",
                                                "EMA_BCE_Test", "EMA_0-1_Train", "EMA_0-1_Test" };
static const char *const TABLE[COLUMNS] = {
    "n", "beta", "train_loss", "test_loss", "train01", "test01"
};
static const char *const WORDS[] = { "set", "labels", "seed", "loss", "scale", "l_max", "data" };
enum { SET, LABELS, SEED, LOSS, SCALE, L_MAX, DATA, N_WORDS };

struct reader {
    struct kl_csv csv;
    const struct kl_sampling_ladder_source *source;
    const char *const *names;
    bool table, found;
    size_t columns[COLUMNS], words[N_WORDS];
    char chosen[N_WORDS][KL_SAMPLING_NAME]; /* of the ladder that is read */
    char said[256];                         /* "mnist-fcn2 true 1": what else there is */
    int others;
    size_t n_rows, room;
    double (*rows)[COLUMNS];
    char summary[160];
};

static const char *word(const struct reader *r, int which)
{
    return r->words[which] < r->csv.n ? r->csv.fields[r->words[which]] : "";
}

static size_t column(const struct kl_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->n; i++)
        if (strcmp(csv->fields[i], name) == 0) return i;
    return SIZE_MAX;
}

static int read_header(struct reader *r, struct kl_error *err)
{
    bool more;
    const int code = kl_csv_row(&r->csv, &more, err);
    if (code) return code;
    r->table = column(&r->csv, "set") != SIZE_MAX;
    r->names = r->table ? TABLE : REFERENCE;
    for (int i = 0; i < N_WORDS; i++) r->words[i] = column(&r->csv, WORDS[i]);
    for (int i = 0; i < COLUMNS; i++)
        if ((r->columns[i] = column(&r->csv, r->names[i])) == SIZE_MAX)
            return kl_fail(
                err, KL_EDATA,
                "%s: line 1: no column %s; expected a ladder, with Sample_size, Beta, EMA_..., or "
                "set, n, beta, ...",
                r->csv.path, r->names[i]);
    return KL_OK;
}

/* Is the row of the ladder that is asked for? The first that fits chooses, of what was left open. */
static bool wanted(struct reader *r)
{
    const struct kl_sampling_ladder_source *s = r->source;
    char seed[24] = "", name[3 * KL_SAMPLING_NAME];
    if (s->seed) snprintf(seed, sizeof seed, "%lld", (long long)s->seed);
    const char *const asked[] = { s->set, s->labels, s->seed ? seed : NULL };
    bool same = true, fits = true;
    for (int i = 0; i < 3; i++) {
        fits &= !asked[i] || strcmp(asked[i], word(r, i)) == 0;
        if (r->found && strncmp(r->chosen[i], word(r, i), KL_SAMPLING_NAME - 1) != 0) same = false;
    }
    if (fits && !r->found)
        for (int i = 0; i < N_WORDS; i++) snprintf(r->chosen[i], sizeof r->chosen[i], "%s", word(r, i));
    if (fits && same) return r->found = true;
    if (r->others == 0 && (fits || !*r->said)) {
        snprintf(name, sizeof name, "%s %s %s", word(r, SET), word(r, LABELS), word(r, SEED));
        kl_make_printable(name);
        snprintf(r->said, sizeof r->said, "%.*s", (int)sizeof r->said - 1, name);
    }
    r->others += fits;
    return false;
}

static int read_row(struct reader *r, struct kl_error *err)
{
    if (r->n_rows == KL_SAMPLING_MOST_RUNGS)
        return kl_fail(err, KL_EDATA, "%s: found more than %d temperatures", r->csv.path,
                       KL_SAMPLING_MOST_RUNGS);
    if (r->n_rows == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        void *grown = realloc(r->rows, r->room * sizeof *r->rows);
        if (!grown) return kl_fail_memory(err, r->room * sizeof *r->rows);
        r->rows = grown;
    }
    for (int i = 0; i < COLUMNS; i++) {
        const int code = kl_csv_number(&r->rows[r->n_rows][i], &r->csv, r->columns[i], r->names[i], err);
        if (code) return code;
    }
    r->n_rows++;
    return KL_OK;
}

static int read_rows(struct reader *r, struct kl_error *err)
{
    bool more = true;
    for (;;) {
        int code = kl_csv_row(&r->csv, &more, err);
        if (code || !more) return code;
        if (r->csv.n == 0) continue;
        if (!r->table && strcmp(r->csv.fields[0], "Summary:") == 0) {
            if (r->csv.n > 1) snprintf(r->summary, sizeof r->summary, "%s", r->csv.fields[1]);
            continue;
        }
        if ((!r->table || wanted(r)) && (code = read_row(r, err))) return code;
    }
}

static int refuse_choice(const struct reader *r, struct kl_error *err)
{
    const struct kl_sampling_ladder_source *s = r->source;
    char first[3 * KL_SAMPLING_NAME + 4];
    if (r->n_rows == 0 && !r->table) return kl_fail(err, KL_EDATA, "%s: no temperature", r->csv.path);
    if (r->n_rows == 0)
        return kl_fail(err, KL_EUSAGE,
                       "%s: no ladder of set '%s', labels '%s', seed %lld (0: any); the first is '%s'",
                       r->csv.path, s->set ? s->set : "any", s->labels ? s->labels : "any",
                       (long long)s->seed, r->said);
    snprintf(first, sizeof first, "%s %s %s", r->chosen[SET], r->chosen[LABELS], r->chosen[SEED]);
    kl_make_printable(first);
    return kl_fail(
        err, KL_EUSAGE,
        "%s: holds several ladders, as '%.200s' and '%s'; choose with --set, --labels, --chain-seed",
        r->csv.path, first, r->said);
}

/* `name=value` in a summary that sgld wrote. */
static bool said(char *value, size_t size, const char *summary, const char *name)
{
    const char *at = summary;
    const size_t n = strlen(name);
    if (strncmp(summary, "loss=", 5) != 0) return false;
    while (at && (strncmp(at, name, n) != 0 || at[n] != '='))
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
    if (!at) return false;
    snprintf(value, size, "%.*s", (int)strcspn(at + n + 1, " ;"), at + n + 1);
    return *value != 0;
}

/* Settle the loss by the options, else by the file or the summary. */
static int settle_loss(struct kl_sampling_ladder *l, const struct reader *r, struct kl_error *err)
{
    const struct kl_sampling_ladder_source *s = r->source;
    char loss[24] = "", scale[24] = "", l_max[24] = "", at_end[32];
    double most = 0, end = s->l_max;
    if (r->table) {
        snprintf(loss, sizeof loss, "%.23s", r->chosen[LOSS]),
            snprintf(scale, sizeof scale, "%.23s", r->chosen[SCALE]);
        snprintf(l_max, sizeof l_max, "%.23s", r->chosen[L_MAX]);
    } else {
        said(loss, sizeof loss, r->summary, "loss"), said(scale, sizeof scale, r->summary, "scale");
        said(l_max, sizeof l_max, r->summary, "l_max");
    }
    for (size_t i = 0; i < r->n_rows; i++) most = fmax(most, r->rows[i][2]);
    l->assumed = (!*scale && (!s->scale || strcmp(s->scale, "auto") == 0)) || (!*loss && !s->loss);
    if (s->loss || !*loss) snprintf(loss, sizeof loss, "%s", s->loss ? s->loss : "bbce");
    if (s->scale && strcmp(s->scale, "auto") != 0) snprintf(scale, sizeof scale, "%s", s->scale);
    if (!*scale) snprintf(scale, sizeof scale, "%s", most > 1 ? "raw" : "unit");
    if (strchr(l_max, ',')) *strchr(l_max, ',') = '.';
    if (end <= 0 && *l_max) end = strtod(l_max, NULL);
    if (end <= 0) end = 4;
    kl_make_printable(loss), kl_make_printable(scale);
    snprintf(l->loss_name, sizeof l->loss_name, "%s", loss);
    if (strcmp(scale, "raw") != 0 && strcmp(scale, "unit") != 0)
        return kl_fail(err, KL_EDATA, "%s: found the scale '%s', expected raw or unit", r->csv.path,
                       scale);
    l->scale = strcmp(scale, "unit") == 0 ? KL_SAMPLING_UNIT : KL_SAMPLING_RAW;
    snprintf(at_end, sizeof at_end, "%g", end);
    if (strcmp(loss, "bbce") == 0) {
        if (!(end > log(2) && end < 700))
            return kl_fail(err, KL_EDATA, "%s: found l_max %s, expected more than ln 2", r->csv.path,
                           at_end);
        l->low = -log1p(-exp(-end)), l->high = end;
    } else if (strcmp(loss, "savage") == 0 || strcmp(loss, "tangent") == 0) {
        l->low = 0, l->high = *loss == 's' ? 1 : (M_PI + 1) * (M_PI + 1);
    } else if (strcmp(loss, "bce") == 0 || strcmp(loss, "ce") == 0 || strcmp(loss, "square") == 0) {
        l->low = 0, l->high = INFINITY;
    } else {
        return kl_fail(err, KL_EDATA,
                       "%s: found the loss '%s', expected bbce, bce, savage, tangent, ce or square",
                       r->csv.path, loss);
    }
    return KL_OK;
}

static int fill(struct kl_sampling_ladder *l, const struct reader *r, struct kl_error *err)
{
    const struct kl_sampling_ladder_source *s = r->source;
    char text[24];
    int code = kl_sampling_ladder_make(l, r->n_rows, 0, err);
    if (!code) code = settle_loss(l, r, err);
    if (code) return code;
    for (size_t k = 0; k < r->n_rows; k++) {
        const double *row = r->rows[k];
        if (row[0] != r->rows[0][0])
            return kl_fail(err, KL_EDATA, "%s: beta %g: found %g records, expected %g as before",
                           r->csv.path, row[1], row[0], r->rows[0][0]);
        l->beta[k] = row[1], l->loss[k] = row[2], l->test_loss[k] = row[3], l->train01[k] = row[4],
        l->test01[k] = row[5];
    }
    const double n = r->rows[0][0];
    l->n = s->n;
    if (!l->n && n >= 1 && n < 1e15 && n == floor(n)) l->n = (int64_t)n;
    if (!l->n)
        return kl_fail(err, KL_EDATA, "%s: found %g records, expected a whole number from 1 on",
                       r->csv.path, n);
    l->m = s->m;
    if (!l->m && said(text, sizeof text, r->summary, "m")) l->m = strtoll(text, NULL, 10);
    const char *classes = strstr(r->chosen[DATA], " classes");
    while (classes && classes > r->chosen[DATA] && classes[-1] >= '0' && classes[-1] <= '9') classes--;
    const double k = classes ? strtod(classes, NULL) : 2;
    l->chance = s->chance > 0 ? s->chance : k >= 2 && k < 1e6 ? 1 - 1 / k : 0.5;
    if (s->chance <= 0 && said(text, sizeof text, r->summary, "chance") && strtod(text, NULL) > 0)
        l->chance = strtod(text, NULL);
    snprintf(l->labels, sizeof l->labels, "%.31s", r->chosen[LABELS]);
    kl_make_printable(l->labels);
    snprintf(l->name, sizeof l->name, "%.50s%s%.40s%s%.20s", r->chosen[SET],
             *r->chosen[LABELS] ? " " : "", r->chosen[LABELS], *r->chosen[SEED] ? " " : "",
             r->chosen[SEED]);
    kl_make_printable(l->name);
    return kl_sampling_ladder_check(l, r->csv.path, err);
}

int kl_sampling_ladder_read_csv(struct kl_sampling_ladder *ladder, const char *path,
                                const struct kl_sampling_ladder_source *source, struct kl_error *err)
{
    struct reader *r = calloc(1, sizeof *r);
    char *text = NULL;
    size_t n = 0;
    *ladder = (struct kl_sampling_ladder){ 0 };
    if (!r) return kl_fail_memory(err, sizeof *r);
    r->source = source;
    int code = kl_read_text(&text, &n, path, MOST_BYTES, "a ladder", err);
    if (!code) code = kl_csv_open(&r->csv, path, text, n, 1, err);
    if (!code) code = read_header(r, err);
    if (!code) code = read_rows(r, err);
    if (!code && (r->n_rows == 0 || r->others > 0)) code = refuse_choice(r, err);
    if (!code) code = fill(ladder, r, err);
    if (code) kl_sampling_ladder_free(ladder);
    free(r->rows), free(r), free(text);
    return code;
}

/* ---- a ladder as the reference writes it: its CSV, and the text report of its classic code ---- */

/* Python's csv module ends rows so. */
#define END "\r\n"

static double scaled(const struct kl_sampling_ladder *l, enum kl_sampling_scale scale, double loss)
{
    return scale == l->scale           ? loss
           : scale == KL_SAMPLING_UNIT ? kl_sampling_ladder_unit(l, loss)
                                       : kl_sampling_ladder_raw(l, loss);
}

int kl_sampling_csv_write(FILE *to, const struct kl_sampling_ladder *l, enum kl_sampling_scale scale,
                          const char *summary, struct kl_error *err)
{
    if (scale == KL_SAMPLING_UNIT && !isfinite(l->high))
        return kl_fail(err, KL_EUSAGE, "the loss '%s' has no upper end, so no unit-interval form",
                       l->loss_name);
    for (size_t k = 0; k < l->n_rungs; k++)
        if (isnan(l->test_loss[k]) || isnan(l->test01[k]))
            return kl_fail(err, KL_EDATA,
                           "beta %g was not tested: the reference's CSV has no place for that",
                           l->beta[k]);
    fprintf(to, KL_SAMPLING_TITLES END);
    for (size_t k = 0; k < l->n_rungs; k++) {
        const double values[] = { scaled(l, scale, l->loss[k]), scaled(l, scale, l->test_loss[k]),
                                  l->train01[k], l->test01[k] };
        fprintf(to, "%lld,%.17g", (long long)l->n, l->beta[k]);
        for (int i = 0; i < 8; i++) fprintf(to, ",%.17g", values[i % 4]);
        fprintf(to, END);
    }
    fprintf(to, END "Summary:,\"loss=%s scale=%s", l->loss_name,
            scale == KL_SAMPLING_UNIT ? "unit" : "raw");
    if (strcmp(l->loss_name, "bbce") == 0) fprintf(to, " l_max=%.17g", l->high);
    fprintf(to, " chance=%.17g", l->chance);
    if (l->m) fprintf(to, " m=%lld", (long long)l->m);
    fprintf(to, "; ");
    for (const char *c = summary ? summary : ""; *c; c++) fprintf(to, *c == '"' ? "\"\"" : "%c", *c);
    fprintf(to, "\"" END);
    return KL_OK;
}

/* Mean, variance (1/C) and deviation over the chains. */
void kl_sampling_classic_report(FILE *to, const struct kl_sampling_ladder *l)
{
    fprintf(to, "Results of %zu temperatures, %lld training records, %lld test records\n", l->n_rungs,
            (long long)l->n, (long long)l->m);
    fprintf(to, "Loss: %s, %s\nRepetitions: %zu\n", l->loss_name,
            l->scale == KL_SAMPLING_UNIT ? "unit interval" : "raw", l->n_chains);
    for (size_t k = 0; k < l->n_rungs; k++) {
        double squares = 0;
        fprintf(to, "\nBeta = %g\n  Train loss: %.6f", l->beta[k], l->loss[k]);
        for (size_t c = 0; c < l->n_chains; c++) {
            const double off = l->loss_of[c * l->n_rungs + k] - l->loss[k];
            squares += off * off / (double)l->n_chains;
        }
        if (l->n_chains)
            fprintf(to, " (variance %.6g, standard deviation %.6g)", squares, sqrt(squares));
        fprintf(to, "\n  Train 0-1 error: %.6f\n", l->train01[k]);
        if (!isnan(l->test_loss[k])) fprintf(to, "  Test loss: %.6f\n", l->test_loss[k]);
        if (!isnan(l->test01[k]))
            fprintf(to, "  Test 0-1 error: %.6f\n  Generalisation gap: %.6f\n", l->test01[k],
                    l->test01[k] - l->train01[k]);
    }
}
