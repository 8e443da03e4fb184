/* SPDX-License-Identifier: MIT
   What the standards' tests and estimates say of each device, as tables: a row a test, a column a
   device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page/page_int.h"

enum { LOADED = 8 };

/* Numbers of n devices under k names. */
struct sheet {
    char *devices, *names;
    void *data[LOADED];
    size_t n, device_size, k, name_size, n_data;
};

static int load_names(char **names, size_t *n, size_t *size, struct kl_file *file, const char *set,
                      struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, set);
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1)
        return kl_fail(err, KL_EDATA, "%s: %s: expected names", kl_store_file_path(file), set);
    *n = d->rows, *size = d->item_size;
    return kl_store_file_load((void **)names, file, d, err);
}

/* [n, k], or [n] where k is 1. */
static int load(void **data, struct sheet *s, struct kl_file *file, const char *set, enum kl_type type,
                size_t k, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, set);
    if (!d || d->type != type || d->rank != (k > 1 ? 2 : 1) || d->rows != s->n ||
        (k > 1 && d->dims[1] != k))
        return kl_fail(err, KL_EDATA, "%s: %s: expected %zu numbers of each device",
                       kl_store_file_path(file), set, k);
    int code = kl_store_file_load(data, file, d, err);
    if (!code) s->data[s->n_data++] = *data;
    return code;
}

static int begin(struct sheet *s, struct kl_file *file, const char *names, struct kl_error *err)
{
    *s = (struct sheet){ .n = 0 };
    int code = load_names(&s->devices, &s->n, &s->device_size, file, "devices", err);
    return code ? code : load_names(&s->names, &s->k, &s->name_size, file, names, err);
}

static void end(struct sheet *s)
{
    for (size_t i = 0; i < s->n_data; i++) free(s->data[i]);
    free(s->devices), free(s->names);
}

static void write_name(FILE *to, const char *tag, const char *names, size_t n, size_t size, size_t k)
{
    char name[KL_NAME];
    kl_plot_name(name, names, n, size, k);
    fputs(tag, to);
    kl_plot_html_text(to, name);
}

/* The least log10 p, after Holm, of the values that belong to a test; NaN: it has none. */
static double least(const double *log10_p, const int32_t *test, size_t values, size_t k)
{
    double p = NAN;
    for (size_t v = 0; v < values; v++)
        if (test[v] == (int32_t)k) p = fmin(p, log10_p[v]);
    return p;
}

static int write_tests(FILE *to, struct kl_file *file, struct kl_error *err)
{
    static const char *const words[] = { "failed", "passed", "not applicable" };
    const struct kl_dataset *tests = kl_store_file_find(file, "sp800_22/test");
    int32_t *verdict = NULL, *test = NULL;
    double *p = NULL;
    struct sheet s;
    int code = begin(&s, file, "sp800_22/test_names", err);
    if (!code && (!tests || tests->type != KL_TYPE_I32 || tests->rank != 1))
        code = kl_fail(err, KL_EDATA, "%s: sp800_22/test: expected numbers", kl_store_file_path(file));
    if (!code) code = load((void **)&verdict, &s, file, "sp800_22/verdict", KL_TYPE_I32, s.k, err);
    if (!code)
        code = load((void **)&p, &s, file, "sp800_22/log10_p_holm", KL_TYPE_F64, tests->rows, err);
    if (!code) code = kl_store_file_load((void **)&test, file, tests, err);
    if (!code) {
        /* older files know the first sequence alone */
        kl_plot_html_caption(to, kl_store_file_schema(file) >= 2
                                     ? "SP 800-22: least log10 p, after Holm"
                                     : "SP 800-22, the first sequence: log10 p after Holm");
        fputs("<th></th>", to);
        for (size_t i = 0; i < s.n; i++)
            write_name(to, "<th colspan=\"2\">", s.devices, s.n, s.device_size, i), fputs("</th>", to);
    }
    for (size_t k = 0; k < s.k && !code; k++) {
        write_name(to, "</tr>\n<tr><th scope=\"row\">", s.names, s.k, s.name_size, k);
        fputs("</th>", to);
        for (size_t i = 0; i < s.n; i++) {
            const int32_t found = verdict[i * s.k + k];
            fprintf(to, "<td>%s</td>", found >= 0 && found < 3 ? words[found] : "?");
            kl_plot_html_number(to, found == 2 ? NAN : least(p + i * tests->rows, test, tests->rows, k),
                                "%.1f");
        }
    }
    if (!code) fputs("</tr>\n</table></div>\n", to);
    free(test);
    end(&s);
    return code;
}

static int write_entropies(FILE *to, struct kl_file *file, struct kl_error *err)
{
    double *bit = NULL, *symbol = NULL, *assessed = NULL, width = 0;
    struct sheet s;
    int code = begin(&s, file, "entropy/names", err);
    if (!code) code = load((void **)&bit, &s, file, "entropy/bit", KL_TYPE_F64, s.k, err);
    if (!code) code = load((void **)&symbol, &s, file, "entropy/symbol", KL_TYPE_F64, s.k, err);
    if (!code) code = kl_store_file_number(&width, file, "", "symbol_bits", err);
    if (width < 2) symbol = NULL; /* the same; s frees it */
    if (!code) code = load((void **)&assessed, &s, file, "entropy/assessed", KL_TYPE_F64, 1, err);
    if (!code) {
        kl_plot_html_caption(to, symbol ? "SP 800-90B, min-entropy: bits a bit, bits a symbol"
                                        : "SP 800-90B, min-entropy: bits a bit");
        fputs("<th></th>", to);
        for (size_t i = 0; i < s.n; i++)
            write_name(to, symbol ? "<th class=\"n\" colspan=\"2\">" : "<th class=\"n\">", s.devices,
                       s.n, s.device_size, i),
                fputs("</th>", to);
    }
    for (size_t k = 0; k <= s.k && !code; k++) {
        if (k < s.k) write_name(to, "</tr>\n<tr><th scope=\"row\">", s.names, s.k, s.name_size, k);
        else fputs("</tr>\n<tr><th scope=\"row\">assessed, bits a symbol", to);
        fputs("</th>", to);
        for (size_t i = 0; i < s.n; i++) {
            if (k == s.k && symbol) fputs("<td></td>", to);
            kl_plot_html_number(to, k == s.k ? assessed[i] : bit[i * s.k + k], "%.4f");
            if (k < s.k && symbol) kl_plot_html_number(to, symbol[i * s.k + k], "%.4f");
        }
    }
    if (!code) fputs("</tr>\n</table></div>\n", to);
    end(&s);
    return code;
}

static void row_begin(FILE *to, const char *name)
{
    fprintf(to, "</tr>\n<tr><th scope=\"row\">%s</th>", name);
}

/* What too few permutations have not refuted was hardly tested, as the tool's own line says; NaN: the
   file does not say how many. */
static void write_verdict(FILE *to, int32_t verdict, double permutations)
{
    static const char *const words[] = { "refuted", "not refuted", "all equal" };
    fprintf(to, "<td class=\"n\">%s", verdict >= 0 && verdict < 3 ? words[verdict] : "?");
    if (verdict == 1 && permutations == 0) fputs("; not compared with permutations", to);
    else if (verdict == 1 && permutations > 0 && permutations < KL_PAGE_PERMUTATIONS)
        fprintf(to, "; %.0f permutation%s too few for a verdict, expected at least %d", permutations,
                permutations == 1 ? " is" : "s are", (int)KL_PAGE_PERMUTATIONS);
    fputs("</td>", to);
}

/* What follows: may symbols be independent, and how many uniform bits are in them? Nothing of a file
   that does not say it yet. */
static int write_uses(FILE *to, struct kl_file *file, struct kl_error *err)
{
    int32_t *verdict = NULL;
    double *row = NULL, *bit = NULL, permutations;
    struct sheet s;
    if (!kl_store_file_find(file, "iid/verdict")) return KL_OK;
    int code = begin(&s, file, "iid/names", err);
    if (!code) code = load((void **)&verdict, &s, file, "iid/verdict", KL_TYPE_I32, 1, err);
    if (!code) code = load((void **)&row, &s, file, "extractable/row", KL_TYPE_F64, 1, err);
    if (!code) code = load((void **)&bit, &s, file, "extractable/bit", KL_TYPE_F64, 1, err);
    if (!code) code = kl_plot_key_option(&permutations, file, "permutations", err);
    if (!code) {
        kl_plot_html_caption(to, "SP 800-90B, independence, and bits that can be extracted");
        fputs("<th></th>", to);
        for (size_t i = 0; i < s.n; i++)
            write_name(to, "<th class=\"n\">", s.devices, s.n, s.device_size, i), fputs("</th>", to);
        row_begin(to, "independent, identically distributed");
        for (size_t i = 0; i < s.n; i++) write_verdict(to, verdict[i], permutations);
        row_begin(to, "of a row alone");
        for (size_t i = 0; i < s.n; i++) kl_plot_html_number(to, row[i], "%.0f");
        row_begin(to, "of each bit of long blocks");
        for (size_t i = 0; i < s.n; i++) kl_plot_html_number(to, bit[i], "%.4f");
        fputs("</tr>\n</table></div>\n", to);
    }
    end(&s);
    return code;
}

int kl_plot_page_nist(FILE *to, struct kl_file *file, struct kl_error *err)
{
    if (strcmp(kl_store_file_kind(file), "nist") != 0) return KL_OK;
    int code = write_tests(to, file, err);
    if (!code) code = write_entropies(to, file, err);
    return code ? code : write_uses(to, file, err);
}
