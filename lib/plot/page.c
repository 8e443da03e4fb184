/* SPDX-License-Identifier: MIT
   Files as one page of HTML. Figures are embedded as images: cairo's SVG files all use the same names
   for their glyphs, which would meet in one document. */
#include <stdlib.h>
#include <string.h>

#include "plot/page_int.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void write_head(FILE *to, struct kl_file *const *files, size_t n)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          to);
    kl_html_text(to, base_name(kl_file_path(files[0])));
    if (n > 1) fprintf(to, " and %zu more", n - 1);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>Results</h1>\n<nav><ul>\n",
            kl_page_style);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "<li><a href=\"#file%zu\">", i + 1);
        kl_html_text(to, base_name(kl_file_path(files[i])));
        fputs("</a>, ", to);
        kl_html_text(to, kl_file_kind(files[i]));
        fputs("</li>\n", to);
    }
    fputs("<li><a href=\"#runs\">How it was made</a></li>\n</ul></nav>\n", to);
}

/* Does it stand beside what it bounds? */
static bool is_bound(const struct kl_file *file, const char *name)
{
    static const char *const ends[] = { "_low", "_high" };
    char stem[128];
    for (int i = 0; i < 2; i++) {
        const size_t n = strlen(name), end = strlen(ends[i]);
        if (n <= end || strcmp(name + n - end, ends[i]) != 0) continue;
        snprintf(stem, sizeof stem, "%.*s", (int)(n - end), name);
        return kl_file_has_attribute(file, "", stem);
    }
    return false;
}

/* "0.972778 (0.94963 to 0.984843)", where the file has both bounds. */
static int write_result(FILE *to, const struct kl_file *file, const char *name, const char *text,
                        struct kl_error *err)
{
    char low[128], high[128], both[160];
    double from, end;
    snprintf(low, sizeof low, "%s_low", name);
    snprintf(high, sizeof high, "%s_high", name);
    if (!kl_file_has_attribute(file, "", low) || !kl_file_has_attribute(file, "", high)) {
        kl_html_fact(to, name, text);
        return KL_OK;
    }
    int code = kl_file_number(&from, file, "", low, err);
    if (!code) code = kl_file_number(&end, file, "", high, err);
    if (code) return code;
    snprintf(both, sizeof both, "%.80s (%.6g to %.6g)", text, from, end);
    kl_html_fact(to, name, both);
    return KL_OK;
}

static int write_results(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    const char *name;
    char *text;
    for (size_t k = 0;; k++) {
        int code = kl_file_result(&name, &text, file, k, err);
        if (code) return code;
        if (!name) {
            if (k) fputs("</table></div>\n", to);
            return KL_OK;
        }
        if (!k) fputs("<div class=\"wide\"><table>\n", to);
        if (!is_bound(file, name)) code = write_result(to, file, name, text, err);
        free(text);
        if (code) return code;
    }
}

static int write_figure(FILE *to, const struct kl_figure *figure, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    unsigned char *bytes;
    size_t n;
    int code = kl_figure_bytes(&bytes, &n, figure, inputs, KL_SVG, err);
    if (code) return code;
    fputs("<figure><img alt=\"", to);
    kl_html_text(to, figure->name);
    fputs(" of ", to);
    kl_html_text(to, base_name(kl_file_path(inputs->file)));
    fputs("\" src=\"data:image/svg+xml;base64,", to);
    kl_html_base64(to, bytes, n);
    fprintf(to, "\"><figcaption>%s</figcaption></figure>\n", figure->name);
    free(bytes);
    return KL_OK;
}

static int write_figures(FILE *to, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    char why[KL_OBSTACLE];
    int code = KL_OK;
    fputs("<div class=\"figures\">\n", to);
    for (const struct kl_figure *f = kl_figures; f->name && !code; f++) {
        if (!kl_figure_takes(f, inputs)) continue;
        code = kl_figure_obstacle(why, f, inputs, err);
        if (code) break;
        if (!*why) code = write_figure(to, f, inputs, err);
        else {
            fprintf(to, "<p class=\"soft\">No figure %s: ", f->name);
            kl_html_text(to, why);
            fputs(".</p>\n", to);
        }
    }
    fputs("</div>\n", to);
    return code;
}

static int write_file(FILE *to, const struct kl_figure_inputs *inputs, size_t number,
                      struct kl_error *err)
{
    struct kl_file *file = inputs->file;
    fprintf(to, "<section>\n<h2 id=\"file%zu\">", number);
    kl_html_text(to, base_name(kl_file_path(file)));
    fputs("</h2>\n<p class=\"soft\">", to);
    kl_html_text(to, kl_file_kind(file));
    fputs(", written by ", to);
    kl_html_text(to, kl_file_created_by(file));
    fprintf(to, "; key <span class=\"hex\">%s</span></p>\n", kl_file_key(file));
    int code = write_results(to, file, err);
    if (!code) code = write_figures(to, inputs, err);
    if (!code) code = kl_page_tables(to, file, err);
    if (!code) code = kl_page_options(to, file, err);
    fputs("</section>\n", to);
    return code;
}

int kl_page_write(bool *written, const char *path, struct kl_file *const *files, size_t n,
                  const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    char *page = NULL;
    size_t size = 0;
    *written = false;
    FILE *to = open_memstream(&page, &size);
    if (!to) return kl_fail_memory(err, 4096);
    int code = KL_OK;
    write_head(to, files, n);
    for (size_t i = 0; i < n && !code; i++) {
        struct kl_figure_inputs own = *inputs;
        own.file = files[i], own.files = files, own.n_files = n;
        code = write_file(to, &own, i + 1, err);
    }
    if (!code) code = kl_page_provenance(to, files, n, err);
    fputs("</body>\n</html>\n", to);
    const bool failed = ferror(to) != 0;
    if ((fclose(to) != 0 || failed) && !code) code = kl_fail_memory(err, size);
    if (!code) code = kl_publish_bytes(written, path, page, size, err);
    free(page);
    return code;
}
