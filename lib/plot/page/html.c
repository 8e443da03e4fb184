/* SPDX-License-Identifier: MIT
   HTML: texts, names and pictures as a page has them. */
#include "plot/page/page_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void kl_plot_html_text(FILE *to, const char *text)
{
    while (*text) {
        const size_t n = kl_plot_text_character(text);
        if (!n) fputc('?', to);
        else if (*text == '&') fputs("&amp;", to);
        else if (*text == '<') fputs("&lt;", to);
        else if (*text == '>') fputs("&gt;", to);
        else if (*text == '"') fputs("&quot;", to);
        else fwrite(text, 1, n, to);
        text += n ? n : 1;
    }
}

void kl_plot_html_base64(FILE *to, const unsigned char *bytes, size_t n)
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
