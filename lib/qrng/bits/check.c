/* SPDX-License-Identifier: MIT
   What an input is not: raw bytes may be taken for bits whatever they are, and what is made of them then
   looks fine. So whatever can be told from bits is refused, with what makes bits of it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qrng/bits/bits_int.h"

enum {
    PART = 1 << 16, /* bytes whose bits are looked at in one go */
    MOST = 1 << 20, /* in all */
    SAMPLES = 256   /* so many that could be characters are rather told by the bits that they lack */
};

static const char *expected(const struct kl_bits_source *s)
{
    switch (s->coding) {
    case KL_BITS_ROWS: return "rows of 0 and 1";
    case KL_BITS_PACKED: return "packed bytes";
    case KL_BITS_SYMBOLS: return "a symbol a byte";
    case KL_BITS_HEX: return "hexadecimal digits";
    case KL_BITS_BASE64: return "base64";
    }
    return "";
}

/* Of text that a decoder would take as well: so many characters of it are of a narrower alphabet in one
   of 2^64 inputs at most (0 and 1 of sixteen digits, ten of sixteen, 22 of 64). */
static bool is_other(const struct kl_bits_source *s, const struct kl_bits_look *look)
{
    const bool digits = look->form == KL_FORM_ROWS || look->form == KL_FORM_DIGITS,
               dump = look->form == KL_FORM_TEXT && look->remedy;
    if (look->form == KL_FORM_NONE) return false;
    if (look->form == KL_FORM_OWN || look->form == KL_FORM_FILE) return true;
    switch (s->coding) {
    case KL_BITS_ROWS: return false; /* the reader says where it is wrong */
    case KL_BITS_PACKED: return look->form != KL_FORM_TEXT || look->prose || look->n < SAMPLES;
    case KL_BITS_SYMBOLS: return look->form != KL_FORM_TEXT || look->prose;
    case KL_BITS_HEX: return dump || (digits && look->n >= (look->binary ? 22 : 95));
    case KL_BITS_BASE64:
        return dump || look->few || ((digits || look->form == KL_FORM_HEX) && look->n >= 42);
    }
    return false;
}

static int refuse_look(const struct kl_bits_source *s, const struct kl_bits_look *look,
                       const char *first, struct kl_error *err)
{
    char remedy[160] = "", begin[40] = "";
    const bool hex = look->form == KL_FORM_HEX, packed = s->coding == KL_BITS_PACKED;
    const size_t line = strcspn(first, "\t\r\n");
    if (look->form == KL_FORM_ROWS || look->form == KL_FORM_OWN)
        snprintf(remedy, sizeof remedy, "; leave out %s and --bits", packed ? "--packed" : "--encoding");
    else if (hex || look->form == KL_FORM_BASE64)
        snprintf(remedy, sizeof remedy, "; take --encoding %s%s, or convert it: %s",
                 hex ? "hex" : "base64", packed ? " in place of --packed" : "", look->remedy);
    else if (look->remedy) snprintf(remedy, sizeof remedy, "; convert it: %s", look->remedy);
    else if (look->form == KL_FORM_TEXT)
        snprintf(begin, sizeof begin, " ('%.*s')", line < 24 ? (int)line : 24, first);
    return kl_fail(err, KL_EDATA, "%s: %s%s, expected %s%s", s->path, look->what, begin, expected(s),
                   remedy);
}

/* Bits of the input's first bytes, until each place of a byte is seen to be used, or of all. */
static int measure(struct kl_bits_widths *w, const struct kl_bits_source *s, struct kl_error *err)
{
    const uint64_t size = s->size < MOST ? s->size : MOST;
    unsigned char *part = malloc(PART);
    int code = part ? KL_OK : kl_fail_memory(err, PART);
    *w = (struct kl_bits_widths){ 0 };
    for (bool used = false; !code && w->n < size && !used;) {
        const size_t n = size - w->n < PART ? (size_t)(size - w->n) : PART;
        code = kl_store_pread_all(s->fd, part, n, w->n, s->path, err);
        if (!code) kl_bits_widths_add(w, part, n);
        used = w->other;
        for (size_t j = 0; j < 8; j++) used &= w->set[j] >= 128;
    }
    free(part);
    return code;
}

static int refuse_signs(const struct kl_bits_source *s, const struct kl_bits_widths *w,
                        struct kl_error *err)
{
    if (w->zero && w->one)
        return kl_fail(err, KL_EDATA, "%s: every byte is 0, 1 or 255 (-1), expected %s", s->path,
                       expected(s));
    return kl_fail(err, KL_EDATA,
                   "%s: every byte is %d or 255: a bit a byte? expected %s; convert it: tr '\\377' "
                   "'\\00%d', then --encoding symbols --symbol-bits 1",
                   s->path, w->one, expected(s), !w->one);
}

static int refuse_widths(const struct kl_bits_source *s, const struct kl_bits_widths *w,
                         struct kl_error *err)
{
    int below;
    const int width = kl_bits_width(&below, w), stride = kl_bits_stride(w);
    if (stride > 1)
        return kl_fail(err, KL_EDATA,
                       "%s: numbers of %d bytes each, some bits of which are never set, expected %s; if "
                       "they are 0 and 1 alone: (numpy.fromfile(F, TYPE) != 0).astype('u1').tofile(G)",
                       s->path, stride, expected(s));
    if (kl_bits_signs(w)) return refuse_signs(s, w, err);
    if (s->coding != KL_BITS_PACKED || width == 8) return KL_OK;
    if (below)
        return kl_fail(err, KL_EDATA,
                       "%s: the lowest %d bit%s of all bytes are never set: %d bit%s a byte? expected "
                       "packed bytes; shift them: (numpy.fromfile(F, 'u1') >> %d).tofile(G), then "
                       "--encoding symbols --symbol-bits %d",
                       s->path, below, kl_s((unsigned)below), width, kl_s((unsigned)width), below,
                       width);
    return kl_fail(err, KL_EDATA,
                   "%s: no byte is %d or more: %d bit%s a byte? expected packed bytes; take "
                   "--encoding symbols --symbol-bits %d in place of --packed",
                   s->path, 1 << width, width, kl_s((unsigned)width), width);
}

int kl_bits_check(const struct kl_bits_source *s, struct kl_error *err)
{
    unsigned char first[KL_BITS_LOOK];
    struct kl_bits_widths w;
    const size_t n = s->size < sizeof first ? (size_t)s->size : sizeof first;
    int code = kl_store_pread_all(s->fd, first, n, 0, s->path, err);
    if (!code) code = kl_no_stand_in(first, n, s->path, err);
    if (code) return code;
    const struct kl_bits_look look = kl_bits_look(first, n);
    if (is_other(s, &look)) return refuse_look(s, &look, (const char *)first, err);
    if (s->coding != KL_BITS_PACKED && s->coding != KL_BITS_SYMBOLS) return KL_OK;
    code = measure(&w, s, err);
    return code ? code : refuse_widths(s, &w, err);
}

/* ---- rows that are none: what is said beside the place ---- */

/* Bytes that no text has. */
static bool is_raw(const unsigned char *first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (first[i] > 126 || (first[i] < ' ' && !memchr("\t\n\r", first[i], 3))) return true;
    return false;
}

static void advise_raw(char words[KL_BITS_ADVICE], const unsigned char *first, size_t n)
{
    struct kl_bits_widths w = { 0 };
    int below = 0;
    kl_bits_widths_add(&w, first, n);
    const bool bits = w.one && !w.other && !w.changes; /* however few */
    const int width = bits ? 1 : kl_bits_width(&below, &w);
    if (width == 8 || below)
        snprintf(words, KL_BITS_ADVICE, "; raw bytes are taken with --packed --bits N");
    else
        snprintf(words, KL_BITS_ADVICE,
                 "; no byte is %d or more: bytes of %d bit%s each are taken with --encoding symbols "
                 "--symbol-bits %d --bits N",
                 1 << width, width, kl_s((unsigned)width), width);
}

/* A line of names above the rows. */
static bool has_head(const char *text, size_t n)
{
    const char *end = memchr(text, '\n', n);
    return end && *text != '0' && *text != '1' && kl_bits_is_row(end + 1, (size_t)(text + n - end - 1));
}

void kl_bits_advise(char words[KL_BITS_ADVICE], const struct kl_bits_source *s)
{
    unsigned char first[KL_BITS_LOOK];
    const ssize_t n = s->format == &kl_bits_text ? pread(s->fd, first, sizeof first, 0) : 0;
    words[0] = 0;
    if (n <= 0) return;
    const struct kl_bits_look look = kl_bits_look(first, (size_t)n);
    if (n >= 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0)
        snprintf(words, KL_BITS_ADVICE, "; take the mark of byte order out: tail -c +4");
    else if (is_raw(first, (size_t)n)) advise_raw(words, first, (size_t)n);
    else if (has_head((const char *)first, (size_t)n))
        snprintf(words, KL_BITS_ADVICE, "; line 2 is a row: take line 1 out: tail -n +2");
    else if (look.form == KL_FORM_HEX || look.form == KL_FORM_BASE64)
        snprintf(words, KL_BITS_ADVICE, "; %s is taken with --encoding %s --bits N", look.what,
                 look.form == KL_FORM_HEX ? "hex" : "base64");
    else if (look.form == KL_FORM_TEXT && look.remedy)
        snprintf(words, KL_BITS_ADVICE, "; %s: %s gives packed bytes", look.what, look.remedy);
}
