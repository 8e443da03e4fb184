/* SPDX-License-Identifier: MIT
   Files as one page of HTML. Figures are embedded as images: cairo's SVG files all use the same names
   for their glyphs, which would meet in one document. */
#include "plot/page/page_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts, names, numbers and pictures ---- */
static void html_base64(FILE *to, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i < 3 ? n - i : 3;
        unsigned long three = 0;
        for (size_t k = 0; k < 3; k++) three = three << 8 | (k < left ? bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++) fputc(k <= left ? digits[three >> (18 - 6 * k) & 63] : '=', to);
    }
}

void kl_plot_html_name(FILE *to, const char *name)
{
    char words[120];
    snprintf(words, sizeof words, "%s", name);
    for (char *c = words; *c; c++)
        if (*c == '_') *c = ' ';
    kl_plot_html_text(to, words);
}

void kl_plot_html_fact(FILE *to, const char *name, const char *text)
{
    fputs("<tr><th scope=\"row\">", to);
    kl_plot_html_name(to, name);
    fputs("</th><td>", to);
    kl_plot_html_text(to, text);
    fputs("</td></tr>\n", to);
}

const char *kl_plot_page_form(const double *values, size_t n, size_t stride)
{
    bool whole = true;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double value = fabs(values[i * stride]);
        if (!isfinite(value)) continue;
        whole = whole && value == floor(value);
        most = fmax(most, value);
    }
    if (whole && most < 1e15) return "%.0f";
    if (most < 0.01 || most >= 1e6) return "%.3e";
    return most < 10 ? "%.4f" : most < 1000 ? "%.2f" : "%.1f";
}

void kl_plot_page_number(char text[KL_PAGE_NUMBER], double value, const char *form)
{
    if (isnan(value)) form = "-";
    else if (value != 0 && fabs(value) < 5e-5 && strcmp(form, "%.4f") == 0) form = "%.1e";
    snprintf(text, KL_PAGE_NUMBER, form, value);
    if (text[0] == '-' && text[1] && strtod(text, NULL) == 0) memmove(text, text + 1, strlen(text));
}

void kl_plot_html_number(FILE *to, double value, const char *form)
{
    char text[KL_PAGE_NUMBER];
    kl_plot_page_number(text, value, form);
    fprintf(to, "<td class=\"n\">%s</td>", text);
}

void kl_plot_html_caption(FILE *to, const char *caption)
{
    fputs("<h3>", to);
    kl_plot_html_text(to, caption);
    fputs("</h3>\n<div class=\"wide\"><table>\n<tr>", to);
}

/* ---- the style sheet ---- */
/* Dark or light as the reader's system is, one column on a phone. Figures stay on white paper in the
   dark: their colours are chosen for it. */
static const char style[] =
    ":root{color-scheme:light "
    "dark;--ink:#1b1f24;--paper:#fff;--pale:#f3f5f7;--line:#d5dae0;--soft:#57606a}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--paper:#15181c;--pale:#1f242a;--line:#"
    "3a424b;"
    "--soft:#a2abb5}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:64rem;padding:1rem 1.25rem "
    "3rem;background:var(--paper);color:var(--ink);"
    "font:1rem/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.25rem;margin:2.5rem 0 .25rem;padding-top:1rem;"
    "border-top:1px solid var(--line);overflow-wrap:anywhere}h3{font-size:1rem;margin:1.5rem 0 .25rem}\n"
    ".lead{font-size:1.125rem}p{margin:.25rem 0}.soft,figcaption{color:var(--soft);font-size:.875rem}\n"
    "a{color:inherit}nav ul{padding-left:1.25rem;margin:.5rem 0}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem;margin:.5rem 0;"
    "font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}"
    "td{overflow-wrap:anywhere;min-width:6em}"
    "th{font-weight:600}td.n,th.n{text-align:right}td.n{white-space:nowrap}"
    "tr:has(>td.n)>th{white-space:nowrap}"
    "@media(max-width:40rem){tr:has(>td.n)>th{white-space:normal;min-width:8em}}\n"
    ".hex,code{font-family:ui-monospace,monospace;font-size:.8125rem;overflow-wrap:anywhere}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}figure{margin:.5rem "
    "0;max-width:100%}"
    "figure img{display:block;max-width:100%;height:auto;background:#fff;border:1px solid var(--line);"
    "border-radius:4px;padding:.5rem}\n"
    ".caution{border-left:4px solid #d29922;padding-left:.6rem;margin:.5rem 0}\n"
    "details{margin:.5rem 0}summary{cursor:pointer}ol.runs{padding-left:1.25rem}ol.runs "
    "li{margin:.75rem 0;overflow-wrap:anywhere;"
    "padding:.5rem .75rem;background:var(--pale);border-radius:4px}\n"
    "@media print{body{max-width:none}details::details-content{content-visibility:visible}}\n";

/* ---- the page ---- */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "accuracy 0.9728 (95 % over samples 0.9496 to 0.9848) over 5 heads, on 360 samples", behind what
 * stands before. */
static int write_headline(FILE *to, const char *before, struct kl_file *file, struct kl_error *err)
{
    char text[KL_HEADLINE];
    const int code = kl_plot_page_headline(text, file, err);
    if (code || !*text) return code;
    fputs(before, to);
    kl_plot_html_text(to, text);
    return KL_OK;
}

/* Each line is a paragraph; lines are cut up. */
static void write_lines(FILE *to, char *lines, const char *tag)
{
    char *rest = NULL;
    for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        fprintf(to, "<p%s>", tag);
        kl_plot_html_text(to, line + strspn(line, " "));
        fputs("</p>\n", to);
    }
}

struct page {
    struct kl_file *const *files;
    size_t n, main;
    const char *found;
    const struct kl_figure_inputs *inputs;
    const struct kl_figure *lead;  /* that is drawn at the head; NULL: none */
    const struct kl_file *lead_of; /* and of which file */
};

static struct kl_figure_inputs inputs_of(const struct page *p, size_t i)
{
    struct kl_figure_inputs own = *p->inputs;
    own.file = p->files[i], own.files = p->files, own.n_files = p->n;
    return own;
}

static const char *name_of(const struct page *p, size_t i)
{
    return base_name(kl_store_file_path(p->files[i]));
}
static const char *kind_of(const struct page *p, size_t i)
{
    return kl_store_file_kind(p->files[i]);
}

/* What the page is of: all studies, that of the main file first. true: there are several. */
static bool write_studies(FILE *to, const struct page *p)
{
    bool several = false;
    kl_plot_html_text(to, kl_plot_page_kind(kind_of(p, p->main)));
    for (int study = 0; study < KL_PAGE_STUDIES; study++) {
        const size_t other = kl_plot_page_main(p->files, p->n, study);
        if (other == p->n || study == kl_plot_page_study(p->files[p->main])) continue;
        several = true;
        fputs("; ", to);
        kl_plot_html_text(to, kl_plot_page_kind(kind_of(p, other)));
    }
    return several;
}

static void write_title(FILE *to, const struct page *p)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          to);
    if (!write_studies(to, p)) {
        fputs(": ", to);
        kl_plot_html_text(to, name_of(p, p->main));
    }
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    write_studies(to, p);
    fputs("</h1>\n", to);
}

/* ---- figures ---- */
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
    html_base64(to, bytes, n);
    fprintf(to, "\"><figcaption>%s</figcaption></figure>\n", kl_plot_page_sentence(figure->name));
    free(bytes);
    return KL_OK;
}

/* All of a file but the one that is drawn already. */
static int write_figures(FILE *to, const struct kl_figure_inputs *inputs, const struct kl_figure *drawn,
                         struct kl_error *err)
{
    char why[KL_OBSTACLE];
    int code = KL_OK;
    fputs("<div class=\"figures\">\n", to);
    for (const struct kl_figure *f = kl_figures; f->name && !code; f++) {
        if (f == drawn || !kl_plot_figure_takes(f, inputs)) continue;
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

/* The figure that shows what was found, of the file itself or of the first whose it is. */
static int write_lead(FILE *to, struct page *p, struct kl_error *err)
{
    const char *name = kl_plot_page_lead(kind_of(p, p->main));
    for (const struct kl_figure *f = kl_figures; name && f->name; f++)
        for (size_t k = 0; k <= p->n && strcmp(f->name, name) == 0; k++) {
            const struct kl_figure_inputs inputs = inputs_of(p, k ? k - 1 : p->main);
            char why[KL_OBSTACLE];
            if (!kl_plot_figure_takes(f, &inputs)) continue;
            const int code = kl_plot_figure_obstacle(why, f, &inputs, err);
            if (code || *why) return code;
            p->lead = f, p->lead_of = inputs.file;
            return write_figure(to, f, &inputs, err);
        }
    return KL_OK;
}

/* ---- what was found ---- */
static int write_line(FILE *to, const struct page *p, size_t i, const char *tag, struct kl_error *err)
{
    fprintf(to, "<p%s>", tag);
    kl_plot_html_text(to, name_of(p, i));
    const int code = write_headline(to, ": ", p->files[i], err);
    fputs("</p>\n", to);
    return code;
}

/* Has file i a line in the study of main? Results have, and those of main's own kind. */
static bool is_told(const struct page *p, size_t main, size_t i)
{
    return kl_plot_page_study(p->files[i]) == kl_plot_page_study(p->files[main]) &&
           (kl_plot_page_is_result(kind_of(p, i)) || strcmp(kind_of(p, i), kind_of(p, main)) == 0);
}

/* Those from file i on that are told of its kind, by their names alone. */
static void write_more(FILE *to, const struct page *p, size_t main, size_t i)
{
    size_t n = 0;
    for (size_t k = i; k < p->n; k++)
        n += is_told(p, main, k) && strcmp(kind_of(p, k), kind_of(p, i)) == 0;
    fprintf(to, "<p class=\"soft\">and %zu more of kind %s", n, kind_of(p, i));
    for (size_t k = i, told = 0; k < p->n; k++) {
        if (!is_told(p, main, k) || strcmp(kind_of(p, k), kind_of(p, i))) continue;
        fputs(told++ ? ", " : ": ", to);
        kl_plot_html_text(to, name_of(p, k));
    }
    fputs("</p>\n", to);
}

/* Of a study the line of the file that all lead to, and those of the first few other results of each
   kind; the rest are named. */
static int write_study(FILE *to, const struct page *p, size_t main, struct kl_error *err)
{
    enum { FEW = 6 };
    int code = write_line(to, p, main, " class=\"lead\"", err);
    for (size_t i = 0; i < p->n && !code; i++) {
        size_t before = 0; /* told of its kind */
        for (size_t k = 0; k < i; k++)
            before += is_told(p, main, k) && strcmp(kind_of(p, k), kind_of(p, i)) == 0;
        if (!is_told(p, main, i) || i == main || before > FEW) continue;
        if (before < FEW) code = write_line(to, p, i, "", err);
        else write_more(to, p, main, i);
    }
    return code;
}

/* First the study of the page's main file. */
static int write_told(FILE *to, const struct page *p, struct kl_error *err)
{
    const int own = kl_plot_page_study(p->files[p->main]);
    int code = write_study(to, p, p->main, err);
    for (int study = 0; study < KL_PAGE_STUDIES && !code; study++) {
        const size_t main = kl_plot_page_main(p->files, p->n, study);
        if (study != own && main < p->n) code = write_study(to, p, main, err);
    }
    return code;
}

/* Is ": line" the end of a line of the text? */
static bool ends_a_line(const char *text, const char *line)
{
    const size_t n = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if (at >= text + 2 && at[-2] == ':' && at[-1] == ' ' && at[n] == '\n') return true;
    return false;
}
/* Of all files; a head's are told again by its report, and stand here once. */
static int write_cautions(FILE *to, const struct page *p, struct kl_error *err)
{
    char *lines = NULL, *all = NULL, *rest = NULL;
    size_t n = 0;
    int code = kl_plot_files_apart(&lines, p->files, p->n, err);
    write_lines(to, lines, " class=\"caution\"");
    free(lines);
    FILE *told = open_memstream(&all, &n);
    if (!told) return code ? code : kl_fail_memory(err, 4096);
    for (size_t i = 0; i < p->n && !code; i++) {
        code = kl_store_file_cautions(&lines, p->files[i], err);
        if (code) break;
        for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line;
             line = strtok_r(NULL, "\n", &rest))
            if (fflush(told) == 0 && !ends_a_line(all, line))
                fprintf(told, "%s: %s\n", name_of(p, i), line);
        free(lines);
    }
    const bool failed = ferror(told) != 0;
    if ((fclose(told) != 0 || failed) && !code) code = kl_fail_memory(err, n);
    if (!code) write_lines(to, all, " class=\"caution\"");
    free(all);
    return code;
}

static int write_found(FILE *to, struct page *p, struct kl_error *err)
{
    struct kl_file *main = p->files[p->main];
    const enum kl_page_decides decides = kl_plot_page_decides(kind_of(p, p->main));
    char *found = p->found ? strdup(p->found) : NULL;
    if (p->found && !found) return kl_fail_memory(err, strlen(p->found));
    fputs("<h2 id=\"found\">What was found</h2>\n", to);
    write_lines(to, found, " class=\"lead\"");
    free(found);
    int code = p->found ? KL_OK : write_told(to, p, err);
    if (p->n > 1 && decides != KL_PAGE_NEITHER) {
        fputs("<p class=\"soft\">Tables here are of ", to);
        kl_plot_html_text(to, name_of(p, p->main));
        fputs("</p>\n", to);
    }
    if (!code && decides == KL_PAGE_RESULTS) code = kl_plot_page_results(to, main, err);
    if (!code && decides == KL_PAGE_TABLES) code = kl_plot_page_tables(to, main, err);
    if (!code) code = write_lead(to, p, err);
    return code ? code : write_cautions(to, p, err);
}

/* ---- the files ---- */
static int write_list(FILE *to, const struct page *p, struct kl_error *err)
{
    int code = KL_OK;
    fputs("<h2>Files</h2>\n<nav><ul>\n", to);
    for (size_t i = 0; i < p->n && !code; i++) {
        fprintf(to, "<li><a href=\"#file%zu\">", i + 1);
        kl_plot_html_text(to, name_of(p, i));
        fputs("</a>, ", to);
        kl_plot_html_text(to, kind_of(p, i));
        code = write_headline(to, ": ", p->files[i], err);
        fputs("</li>\n", to);
    }
    fputs("<li><a href=\"#runs\">How it was made</a></li>\n</ul></nav>\n", to);
    return code;
}

static int write_file(FILE *to, const struct page *p, size_t i, struct kl_error *err)
{
    const struct kl_figure_inputs inputs = inputs_of(p, i);
    struct kl_file *file = p->files[i];
    const bool leads = i == p->main;
    const enum kl_page_decides told = leads ? kl_plot_page_decides(kind_of(p, i)) : KL_PAGE_NEITHER;
    fprintf(to, "<section>\n<h2 id=\"file%zu\">", i + 1);
    kl_plot_html_text(to, name_of(p, i));
    fputs("</h2>\n<p>", to);
    int code = write_headline(to, "", file, err);
    fputs("</p>\n<p class=\"soft\">", to);
    kl_plot_html_text(to, kl_plot_page_kind(kind_of(p, i)));
    fputs(", written by ", to);
    kl_plot_html_text(to, kl_store_file_created_by(file));
    fprintf(to, "; key <span class=\"hex\">%s</span></p>\n", kl_store_file_key(file));
    if (!code) code = write_figures(to, &inputs, file == p->lead_of ? p->lead : NULL, err);
    fputs("<details><summary>Facts and tables</summary>\n", to);
    if (!code && told != KL_PAGE_RESULTS) code = kl_plot_page_results(to, file, err);
    if (!code && told != KL_PAGE_TABLES) code = kl_plot_page_tables(to, file, err);
    fputs("</details>\n", to);
    if (!code) code = kl_plot_page_options(to, file, err);
    fputs("</section>\n", to);
    return code;
}

int kl_plot_page_write(bool *written, const char *path, struct kl_file *const *files, size_t n,
                       const char *found, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct page p = { files, n, kl_plot_page_main(files, n, -1), found, inputs, NULL, NULL };
    char *page = NULL;
    size_t size = 0;
    *written = false;
    FILE *to = open_memstream(&page, &size);
    if (!to) return kl_fail_memory(err, 4096);
    write_title(to, &p);
    int code = write_found(to, &p, err);
    if (!code) code = write_list(to, &p, err);
    for (size_t i = 0; i < n && !code; i++) code = write_file(to, &p, i, err);
    if (!code) code = kl_plot_page_provenance(to, files, n, err);
    fputs("</body>\n</html>\n", to);
    const bool failed = ferror(to) != 0;
    if ((fclose(to) != 0 || failed) && !code) code = kl_fail_memory(err, size);
    if (!code) code = kl_store_publish_bytes(written, path, page, size, err);
    free(page);
    return code;
}
