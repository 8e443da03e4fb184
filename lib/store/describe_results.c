/* SPDX-License-Identifier: MIT
   Numbers that a file found and the history of its training, as its kind's table names them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store_int.h"

/* Is it NAME with one of the ends of an interval? */
static bool is_end(const char *name, const struct kl_kind_number *of)
{
    const size_t n = strlen(of->attribute);
    return of->low && strncmp(name, of->attribute, n) == 0 &&
           (strcmp(name + n, "_low") == 0 || strcmp(name + n, "_high") == 0);
}

bool kl_store_is_number_of_kind(const struct kl_kind *kind, const char *name)
{
    for (const struct kl_kind_number *n = kind->numbers; n && n->attribute; n++)
        if (strcmp(n->attribute, name) == 0 || is_end(name, n)) return true;
    return false;
}

static bool has_no_interval(const struct kl_file *file, const struct kl_kind_number *n)
{
    double ends[2];
    return n->difference && !kl_store_file_interval(ends, file, n->attribute);
}

bool kl_store_is_end_of_none(const struct kl_file *file, const struct kl_kind *kind,
                             const struct kl_attribute *a)
{
    for (const struct kl_kind_number *n = *a->object ? NULL : kind->numbers; n && n->attribute; n++)
        if (is_end(a->name, n) && has_no_interval(file, n)) return true;
    return false;
}

/* Without the end of its line. false: the file has none. */
static bool put_value(FILE *to, const struct kl_file *file, const char *name, const char *title,
                      const char *format)
{
    char *text = NULL;
    double value;
    if (!kl_store_file_has_attribute(file, "", name)) return false;
    const int code = format ? kl_store_file_number(&value, file, "", name, NULL)
                            : kl_store_file_text(&text, file, "", name, NULL);
    if (!code) fprintf(to, "%-20s ", title);
    if (!code && format) fprintf(to, format, value);
    else if (!code) fputs(text, to);
    free(text);
    return !code;
}

static void write_end(FILE *to, const struct kl_file *file, const struct kl_kind_number *n,
                      const char *end, const char *title)
{
    char name[256];
    snprintf(name, sizeof name, "%.240s%s", n->attribute, end);
    if (put_value(to, file, name, title, n->format)) fputc('\n', to);
}

void kl_store_write_numbers(FILE *to, const struct kl_file *file, const struct kl_kind *kind)
{
    const struct kl_dataset *d =
        kind->replicas.dataset ? kl_store_file_find(file, kind->replicas.dataset) : NULL;
    const bool several = d && d->rows > 1;
    for (const struct kl_kind_number *n = kind->numbers; n && n->attribute; n++) {
        const bool none = has_no_interval(file, n);
        if (put_value(to, file, n->attribute, n->title, n->format)) {
            if (none && several) fprintf(to, " (the same with each of %zu seeds: no interval)", d->rows);
            fputc('\n', to);
        }
        if (none || !n->low) continue;
        write_end(to, file, n, "_low", several && n->low_of_several ? n->low_of_several : n->low);
        write_end(to, file, n, "_high", n->high);
    }
}

int kl_store_write_replicas(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                            struct kl_error *err)
{
    const struct kl_dataset *d =
        kind->replicas.dataset ? kl_store_file_find(file, kind->replicas.dataset) : NULL;
    double *of = NULL, mean = 0, square = 0;
    if (!d || d->type != KL_TYPE_F64 || d->rank != 1 || d->rows < 2) return KL_OK;
    int code = kl_store_file_load((void **)&of, file, d, err);
    if (code) return code;
    double n = (double)d->rows;
    for (size_t r = 0; r < d->rows; r++) mean += of[r] / n;
    for (size_t r = 0; r < d->rows; r++) square += (of[r] - mean) * (of[r] - mean);
    fprintf(to, "%-20s %.4f +- %.4f (standard deviation) of %zu:", kind->replicas.title, mean,
            sqrt(square / (n - 1)), d->rows);
    for (size_t r = 0; r < d->rows && r < 16; r++) fprintf(to, " %.4f", of[r]);
    fputs(d->rows > 16 ? " ...\n" : "\n", to);
    free(of);
    return KL_OK;
}

/* Is the root attribute this text? */
static bool is_text(const struct kl_file *file, const char *name, const char *expected)
{
    char *text = NULL;
    const bool found = kl_store_file_has_attribute(file, "", name) &&
                       kl_store_file_text(&text, file, "", name, NULL) == KL_OK &&
                       strcmp(text, expected) == 0;
    free(text);
    return found;
}

static const struct kl_kind_history *find_history(const struct kl_file *file, const struct kl_kind *kind)
{
    for (const struct kl_kind_history *h = kind->histories; h && h->loss.dataset; h++)
        if ((!h->needs || kl_store_file_find(file, h->needs)) &&
            (!h->attribute || is_text(file, h->attribute, h->is)))
            return h;
    return NULL;
}

static bool fit(const struct kl_dataset *loss, const struct kl_dataset *judged)
{
    return loss && judged && loss->type == KL_TYPE_F64 && judged->type == KL_TYPE_F64 &&
           loss->rank == 2 && judged->rank == 2 && judged->dims[0] == loss->dims[0] &&
           judged->dims[1] == loss->dims[1];
}

static size_t count_runs(const struct kl_kind_history *h, const struct kl_file *file, size_t all)
{
    double n = 0;
    if (h->left_out && kl_store_file_has_attribute(file, "", h->left_out))
        (void)kl_store_file_number(&n, file, "", h->left_out, NULL);
    return all - (n > 0 && n < (double)all ? (size_t)n : 0);
}

/* The epoch that training chose, where the file says it; else the best by the history alone. */
static double best_of(const struct kl_kind_history *h, const double *judged, size_t epochs,
                      int64_t chosen)
{
    double best = h->least ? INFINITY : 0;
    if (chosen >= 0 && (size_t)chosen < epochs) return judged[chosen];
    for (size_t e = 0; e < epochs; e++) best = (h->least ? fmin : fmax)(best, judged[e]);
    return best;
}

static int write_best(FILE *to, struct kl_file *file, const struct kl_kind_history *h,
                      const double *judged, size_t runs, size_t epochs, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "replicas/best_epoch");
    const bool says = d && d->type == KL_TYPE_I64 && d->rank == 1 && d->dims[0] >= runs;
    int64_t *chosen = NULL;
    const int code = says ? kl_store_file_load((void **)&chosen, file, d, err) : KL_OK;
    if (code) return code;
    fprintf(to, "\nbest %s of each %s:", h->judged.title, h->of);
    for (size_t r = 0; r < runs && r < 16; r++)
        fprintf(to, " %.4f", best_of(h, judged + r * epochs, epochs, says ? chosen[r] : -1));
    fputc('\n', to);
    free(chosen);
    return KL_OK;
}

int kl_store_write_history(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err)
{
    const struct kl_kind_history *h = find_history(file, kind);
    const struct kl_dataset *loss = h ? kl_store_file_find(file, h->loss.dataset) : NULL,
                            *judged = h ? kl_store_file_find(file, h->judged.dataset) : NULL;
    double *l = NULL, *j = NULL;
    if (!fit(loss, judged)) return KL_OK;
    int code = kl_store_file_load((void **)&l, file, loss, err);
    if (!code) code = kl_store_file_load((void **)&j, file, judged, err);
    const size_t epochs = loss->dims[1], runs = count_runs(h, file, loss->dims[0]),
                 step = epochs > 10 ? (epochs + 9) / 10 : 1;
    if (!code) {
        fprintf(to, "\n  epoch   %13s   %19s", h->loss.title, h->judged.title);
        if (runs > 1) fprintf(to, "   (first %s)", h->of);
        fputc('\n', to);
    }
    for (size_t e = 0; !code && e < epochs; e++)
        if ((e % step == 0 || e + 1 == epochs) && isfinite(l[e]))
            fprintf(to, "  %5zu   %13.4f   %19.4f\n", e + 1, l[e], j[e]);
    if (!code && runs > 1) code = write_best(to, file, h, j, runs, epochs, err);
    free(l);
    free(j);
    return code;
}
