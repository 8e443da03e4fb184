/* SPDX-License-Identifier: MIT
   Text on a sheet. Class names come from folders' names and may hold any bytes. */
#include <math.h>
#include <string.h>

#include "plot/plot.h"

enum { LONGEST = KL_TEXT - 4 };

size_t kl_plot_text_character(const char *text)
{
    const unsigned char *t = (const unsigned char *)text;
    const size_t n = t[0] < 0x80                   ? 1
                     : t[0] >= 0xc2 && t[0] < 0xe0 ? 2
                     : (t[0] & 0xf0) == 0xe0       ? 3
                     : t[0] >= 0xf0 && t[0] < 0xf5 ? 4
                                                   : 0;
    uint32_t code = n == 1 ? t[0] : t[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((t[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (t[i] & 0x3fu);
    }
    const bool overlong = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
    const bool unassigned = code > 0x10ffff || (code & 0xfffff800u) == 0xd800 ||
                            (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe;
    return overlong || unassigned || code < 0x20 || code == 0x7f ? 0 : n;
}

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

/* cairo refuses text that is not UTF-8: every byte of another kind becomes a question mark. */
static void clean(char out[LONGEST], const char *text)
{
    size_t used = 0;
    while (*text && used + 5 < LONGEST) {
        size_t n = kl_plot_text_character(text);
        if (n) memcpy(out + used, text, n);
        else out[used] = '?', n = 1;
        used += n;
        text += n;
    }
    out[used] = '\0';
}

static double width_of(cairo_t *cr, double size, const char *text)
{
    cairo_text_extents_t extents;
    cairo_set_font_size(cr, size * kl_plot_sheet_of(cr)->letters);
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

double kl_plot_text_width(cairo_t *cr, double size, const char *text)
{
    char printable[LONGEST];
    clean(printable, text);
    return width_of(cr, size, printable);
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* As much of text's two ends as there is room for, dots between them: names of a kind often differ at
   their ends alone. */
static void shorten(char out[KL_TEXT], cairo_t *cr, double size, double room, const char *text)
{
    static const char dots[] = "\xe2\x80\xa6";
    const size_t n = strlen(text);
    size_t head = n / 2, tail;
    while (head > 0 && continues(text[head])) head--;
    tail = head;
    memcpy(out, text, n + 1);
    while (width_of(cr, size, out) > room && head + n - tail > 1) {
        if (head > n - tail) {
            do head--;
            while (head > 0 && continues(text[head]));
        } else {
            do tail++;
            while (tail < n && continues(text[tail]));
        }
        memcpy(out, text, head);
        memcpy(out + head, dots, sizeof dots - 1);
        memcpy(out + head + sizeof dots - 1, text + tail, n - tail + 1);
    }
}

void kl_plot_text_cut(char cut[KL_TEXT], cairo_t *cr, double size, double room, const char *text)
{
    char whole[LONGEST];
    clean(whole, text);
    shorten(cut, cr, size, room, whole);
}

/* A font draws what it lacks as its glyph 0, a box. */
static bool is_lacking(cairo_t *cr, const char *character, size_t n)
{
    cairo_glyph_t *glyphs = NULL;
    int found = 0;
    const cairo_status_t status = cairo_scaled_font_text_to_glyphs(
        cairo_get_scaled_font(cr), 0, 0, character, (int)n, &glyphs, &found, NULL, NULL, NULL);
    const bool box = !status && found == 1 && glyphs[0].index == 0;
    cairo_glyph_free(glyphs);
    return box;
}

static void note_size(cairo_t *cr, double size)
{
    double *least = kl_plot_sheet_of(cr)->least, dx = 0, dy = size * kl_plot_sheet_of(cr)->letters;
    cairo_user_to_device_distance(cr, &dx, &dy);
    if (least) *least = fmin(*least, hypot(dx, dy));
}

static void look_for_boxes(cairo_t *cr, const char *text)
{
    char *lacking = kl_plot_sheet_of(cr)->lacking;
    for (size_t n; lacking && !*lacking && *text; text += n) {
        n = kl_plot_text_character(text);
        if (n == 0) n = 1;
        if (n > 1 && is_lacking(cr, text, n)) memcpy(lacking, text, n), lacking[n] = '\0';
    }
}

void kl_plot_text_within(cairo_t *cr, double x, double y, double size, enum kl_align align, double room,
                         const char *text)
{
    char printable[KL_TEXT];
    kl_plot_text_cut(printable, cr, size, room, text);
    const double wide = width_of(cr, size, printable);
    cairo_move_to(cr, x - (align == KL_LEFT ? 0 : align == KL_CENTRE ? wide / 2 : wide), y);
    look_for_boxes(cr, printable);
    if (*printable) note_size(cr, size);
    cairo_show_text(cr, printable);
    cairo_new_path(cr); /* no current point: the next line begins anew */
}

void kl_plot_text(cairo_t *cr, double x, double y, double size, enum kl_align align, const char *text)
{
    kl_plot_text_within(cr, x, y, size, align, INFINITY, text);
}

void kl_plot_black(cairo_t *cr, double x, double y, double size, enum kl_align align, const char *text)
{
    kl_plot_black_within(cr, x, y, size, align, INFINITY, text);
}

void kl_plot_black_within(cairo_t *cr, double x, double y, double size, enum kl_align align, double room,
                          const char *text)
{
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, x, y, size, align, room, text);
}

/* So many bytes of a text as words that are no wider than there is room for; a word at least. */
static size_t line_of(cairo_t *cr, double size, double room, const char *text)
{
    char line[KL_TEXT];
    size_t kept = 0;
    for (size_t n = 0; text[n]; kept = n) {
        n += strspn(text + n, " ");
        n += strcspn(text + n, " ");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        if (kept && kl_plot_text_width(cr, size, line) > room) break;
    }
    return kept;
}

int kl_plot_text_lines(cairo_t *cr, double size, double room, const char *text)
{
    int lines = 0;
    for (; *text; lines++) text += line_of(cr, size, room, text);
    return lines;
}

static double step_of(cairo_t *cr, double size)
{
    return 1.25 * size * kl_plot_sheet_of(cr)->letters;
}

double kl_plot_black_down(cairo_t *cr, double x, double y, double size, enum kl_align align, double room,
                          const char *text)
{
    char line[KL_TEXT];
    for (size_t n; *text; text += n, y += step_of(cr, size)) {
        n = line_of(cr, size, room, text);
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        kl_plot_black_within(cr, x, y, size, align, room, line + strspn(line, " "));
    }
    return y;
}

void kl_plot_black_lines(cairo_t *cr, double x, double y, double size, double room, const char *text)
{
    const int above = kl_plot_text_lines(cr, size, room, text) - 1;
    kl_plot_black_down(cr, x, y - step_of(cr, size) * above, size, KL_LEFT, room, text);
}

/* cairo takes another font for one that is absent: has a text the width that any unknown name gives it?
 */
bool kl_plot_has_font(const char *family)
{
    static const char *const any[] = { "DejaVu Sans", "sans-serif", "serif", "monospace" };
    static const char text[] = "Hamburgefonstiv, 0123456789";
    double wide[2];
    cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, NULL);
    cairo_t *cr = cairo_create(surface);
    for (int i = 0; i < 2; i++) {
        cairo_select_font_face(cr, i ? "no family has this name" : family, CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
        wide[i] = width_of(cr, 100, text);
    }
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        if (strcasecmp(family, any[i]) == 0) return true;
    return fabs(wide[0] - wide[1]) > 1e-9;
}

void kl_plot_text_upwards(cairo_t *cr, double x, double y, double size, enum kl_align align, double room,
                          const char *text)
{
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_rotate(cr, -M_PI / 2);
    kl_plot_text_within(cr, 0, 0, size, align, room, text);
    cairo_restore(cr);
}

void kl_plot_name(char text[KL_NAME], const char *names, size_t n, size_t size, size_t k)
{
    if (k >= n) snprintf(text, KL_NAME, "%zu", k);
    else snprintf(text, KL_NAME, "%.*s", (int)(size < KL_NAME ? size : KL_NAME - 1), names + k * size);
}
