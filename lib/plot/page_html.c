/* SPDX-License-Identifier: MIT */
#include "plot/page_int.h"

#include <math.h>
#include <string.h>

void kl_html_text(FILE *to, const char *text)
{
    while (*text) {
        const size_t n = kl_text_character(text);
        if (!n) fputc('?', to);
        else if (*text == '&') fputs("&amp;", to);
        else if (*text == '<') fputs("&lt;", to);
        else if (*text == '>') fputs("&gt;", to);
        else if (*text == '"') fputs("&quot;", to);
        else fwrite(text, 1, n, to);
        text += n ? n : 1;
    }
}

void kl_html_base64(FILE *to, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i < 3 ? n - i : 3;
        unsigned long three = 0;
        for (size_t k = 0; k < 3; k++) three = three << 8 | (k < left ? bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++) fputc(k <= left ? digits[three >> (18 - 6 * k) & 63] : '=', to);
    }
}

void kl_html_name(FILE *to, const char *name)
{
    char words[120];
    snprintf(words, sizeof words, "%s", name);
    for (char *c = words; *c; c++)
        if (*c == '_') *c = ' ';
    kl_html_text(to, words);
}

void kl_html_fact(FILE *to, const char *name, const char *text)
{
    fputs("<tr><th scope=\"row\">", to);
    kl_html_name(to, name);
    fputs("</th><td>", to);
    kl_html_text(to, text);
    fputs("</td></tr>\n", to);
}

void kl_html_number(FILE *to, double value)
{
    if (isnan(value)) fputs("<td class=\"n\">-</td>", to);
    else fprintf(to, "<td class=\"n\">%.6g</td>", value);
}

void kl_html_caption(FILE *to, const char *name, size_t n)
{
    char text[120];
    snprintf(text, sizeof text, "%.*s", (int)(n < 100 ? n : 100), name);
    fputs("<h3>", to);
    kl_html_name(to, text);
    fputs("</h3>\n<div class=\"wide\"><table>\n<tr>", to);
}
