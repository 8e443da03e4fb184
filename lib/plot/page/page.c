/* SPDX-License-Identifier: MIT
   Files as one page of HTML. Figures are embedded as images: cairo's SVG files all use the same names
   for their glyphs, which would meet in one document. */
#include <stdlib.h>
#include <string.h>

#include "plot/page/page_int.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "accuracy 0.9728 (95 % of samples 0.9496 to 0.9848) over 5 heads, on 360 samples", behind what stands
 * before. */
static int write_headline(FILE *to, const char *before, struct kl_file *file, struct kl_error *err)
{
    char text[KL_HEADLINE];
    const int code = kl_plot_page_headline(text, file, err);
    if (code || !*text) return code;
    fputs(before, to);
    kl_plot_html_text(to, text);
    return KL_OK;
}

static int write_list(FILE *to, struct kl_file *const *files, size_t n, struct kl_error *err)
{
    int code = KL_OK;
    fputs("<nav><ul>\n", to);
    for (size_t i = 0; i < n && !code; i++) {
        fprintf(to, "<li><a href=\"#file%zu\">", i + 1);
        kl_plot_html_text(to, base_name(kl_store_file_path(files[i])));
        fputs("</a>, ", to);
        kl_plot_html_text(to, kl_store_file_kind(files[i]));
        code = write_headline(to, ": ", files[i], err);
        fputs("</li>\n", to);
    }
    fputs("<li><a href=\"#runs\">How it was made</a></li>\n</ul></nav>\n", to);
    return code;
}

/* Each line is a paragraph; lines are cut up. */
static void write_lines(FILE *to, char *lines)
{
    char *rest = NULL;
    for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        fputs("<p class=\"caution\">", to);
        kl_plot_html_text(to, line);
        fputs("</p>\n", to);
    }
}

static int write_apart(FILE *to, struct kl_file *const *files, size_t n, struct kl_error *err)
{
    char *lines;
    const int code = kl_plot_files_apart(&lines, files, n, err);
    write_lines(to, lines);
    free(lines);
    return code;
}

/* What all of it came to, first: one reads no further for that. */
static int write_head(FILE *to, struct kl_file *const *files, size_t n, struct kl_error *err)
{
    struct kl_file *leads = files[kl_plot_page_main(files, n)];
    const char *kind = kl_plot_page_kind(kl_store_file_kind(leads)),
               *name = base_name(kl_store_file_path(leads));
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          to);
    kl_plot_html_text(to, kind);
    fputs(": ", to);
    kl_plot_html_text(to, name);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", kl_page_style);
    kl_plot_html_text(to, kind);
    fputs("</h1>\n<p class=\"lead\">", to);
    kl_plot_html_text(to, name);
    int code = write_headline(to, ": ", leads, err);
    fputs("</p>\n", to);
    if (!code) code = write_apart(to, files, n, err);
    return code ? code : write_list(to, files, n, err);
}

static int write_figure(FILE *to, const struct kl_figure *figure, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    unsigned char *bytes;
    size_t n;
    int code = kl_plot_figure_bytes(&bytes, &n, figure, inputs, KL_SVG, err);
    if (code) return code;
    fputs("<figure><img alt=\"", to);
    kl_plot_html_text(to, figure->name);
    fputs(" of ", to);
    kl_plot_html_text(to, base_name(kl_store_file_path(inputs->file)));
    fputs("\" src=\"data:image/svg+xml;base64,", to);
    kl_plot_html_base64(to, bytes, n);
    fprintf(to, "\"><figcaption>%s</figcaption></figure>\n", kl_plot_page_sentence(figure->name));
    free(bytes);
    return KL_OK;
}

static int write_figures(FILE *to, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    char why[KL_OBSTACLE];
    int code = KL_OK;
    fputs("<div class=\"figures\">\n", to);
    for (const struct kl_figure *f = kl_figures; f->name && !code; f++) {
        if (!kl_plot_figure_takes(f, inputs)) continue;
        code = kl_plot_figure_obstacle(why, f, inputs, err);
        if (code) break;
        if (!*why) code = write_figure(to, f, inputs, err);
        else {
            fprintf(to, "<p class=\"soft\">No figure %s: ", f->name);
            kl_plot_html_text(to, why);
            fputs(".</p>\n", to);
        }
    }
    fputs("</div>\n", to);
    return code;
}

/* What its run said that a reader should know. */
static int write_cautions(FILE *to, struct kl_file *file, struct kl_error *err)
{
    char *lines = NULL;
    const int code = kl_store_file_cautions(&lines, file, err);
    write_lines(to, lines);
    free(lines);
    return code;
}

static int write_file(FILE *to, const struct kl_figure_inputs *inputs, size_t number,
                      struct kl_error *err)
{
    struct kl_file *file = inputs->file;
    fprintf(to, "<section>\n<h2 id=\"file%zu\">", number);
    kl_plot_html_text(to, base_name(kl_store_file_path(file)));
    fputs("</h2>\n<p>", to);
    int code = write_headline(to, "", file, err);
    fputs("</p>\n<p class=\"soft\">", to);
    kl_plot_html_text(to, kl_plot_page_kind(kl_store_file_kind(file)));
    fputs(", written by ", to);
    kl_plot_html_text(to, kl_store_file_created_by(file));
    fprintf(to, "; key <span class=\"hex\">%s</span></p>\n", kl_store_file_key(file));
    if (!code) code = write_cautions(to, file, err);
    if (!code) code = kl_plot_page_results(to, file, err);
    if (!code) code = write_figures(to, inputs, err);
    if (!code) code = kl_plot_page_tables(to, file, err);
    if (!code) code = kl_plot_page_options(to, file, err);
    fputs("</section>\n", to);
    return code;
}

int kl_plot_page_write(bool *written, const char *path, struct kl_file *const *files, size_t n,
                       const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    char *page = NULL;
    size_t size = 0;
    *written = false;
    FILE *to = open_memstream(&page, &size);
    if (!to) return kl_fail_memory(err, 4096);
    int code = write_head(to, files, n, err);
    for (size_t i = 0; i < n && !code; i++) {
        struct kl_figure_inputs own = *inputs;
        own.file = files[i], own.files = files, own.n_files = n;
        code = write_file(to, &own, i + 1, err);
    }
    if (!code) code = kl_plot_page_provenance(to, files, n, err);
    fputs("</body>\n</html>\n", to);
    const bool failed = ferror(to) != 0;
    if ((fclose(to) != 0 || failed) && !code) code = kl_fail_memory(err, size);
    if (!code) code = kl_store_publish_bytes(written, path, page, size, err);
    free(page);
    return code;
}
