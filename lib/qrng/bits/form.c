/* SPDX-License-Identifier: MIT
   What bytes are that may be raw bits or something else; and inputs that are not what their options
   say, which are refused. */
#include "qrng/bits/bits_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- forms ---- */
/* By their first ones, and by the bits that none of them has. */

/* ---- other formats ---- */

/* n bytes of a file, from `at` on, equal `bytes` where `mask` has ones (NULL: everywhere). The number at
   the end: one of 2^so many inputs of random bytes has them. A mark of two bytes, as gzip's 1f 8b,
   begins one of 65,536; so more of the header has to be as its format asks. All of them together, and
   all forms of text, are met less than once in 2^35. */
static const struct magic {
    const char *what, *remedy;
    enum kl_bits_form form;
    size_t at, n;
    const char *bytes, *mask;
} magics[] = {
    { "an HDF5 file", NULL, KL_FORM_OWN, 0, 8, "\x89HDF\r\n\x1a\n", NULL }, /* 64 */
    { "an array of NumPy's", NULL, KL_FORM_OWN, 0, 6, "\x93NUMPY", NULL },  /* 48 */
    { "a gzip file", "zcat", KL_FORM_FILE, 0, 10,
      "\x1f\x8b\x08\0\0\0\0\0\0\0",         /* deflate, flags, system */
      "\xff\xff\xff\xe0\0\0\0\0\xf9\xf0" }, /* 37 */
    { "a gzip file", "zcat", KL_FORM_FILE, 0, 10, "\x1f\x8b\x08\0\0\0\0\0\0\xff",
      "\xff\xff\xff\xe0\0\0\0\0\xf9\xff" },                                         /* 41 */
    { "a zstd file", "zstdcat", KL_FORM_FILE, 0, 5, "\x28\xb5\x2f\xfd\0",           /* no dictionary */
      "\xff\xff\xff\xff\x1b" },                                                     /* 36 */
    { "an lz4 file", "lz4cat", KL_FORM_FILE, 0, 6, "\x04\x22\x4d\x18\x40\0",        /* version 1 */
      "\xff\xff\xff\xff\xc2\x8f" },                                                 /* 40 */
    { "an xz file", "xzcat", KL_FORM_FILE, 0, 6, "\xfd\x37zXZ\0", NULL },           /* 48 */
    { "a bzip2 file", "bzcat", KL_FORM_FILE, 0, 10, "BZh01AY&SY",                   /* a first block */
      "\xff\xff\xff\xf0\xff\xff\xff\xff\xff\xff" },                                 /* 76 */
    { "a 7z archive", "7z e -so", KL_FORM_FILE, 0, 6, "7z\xbc\xaf\x27\x1c", NULL }, /* 48 */
    { "a zip archive (.zip, .npz, .pth)", NULL, KL_FORM_FILE, 0, 10, "PK\3\4\0\0\0\0\0\0",
      "\xff\xff\xff\xff\xc0\0\0\xf0\0\xff" },                                     /* 46 */
    { "a tar archive", "tar xOf", KL_FORM_FILE, 257, 5, "ustar", NULL },          /* 40 */
    { "a Python pickle", NULL, KL_FORM_FILE, 0, 11, "\x80\4\x95\0\0\0\0\0\0\0\0", /* protocol 4 or 5 */
      "\xff\xfe\xff\0\0\0\0\xff\xff\xff\xff" },                                   /* 55 */
    { "a Python pickle", NULL, KL_FORM_FILE, 0, 8, "\x80\2cnumpy",
      "\xff\xfe\xff\xff\xff\xff\xff\xff" },                                                     /* 63 */
    { "a Python pickle", NULL, KL_FORM_FILE, 0, 6, "\x80\2]q\0(", "\xff\xfe\xff\xff\xff\xff" }, /* 47 */
    { "a PNG file", NULL, KL_FORM_FILE, 0, 8, "\x89PNG\r\n\x1a\n", NULL },                      /* 64 */
    { "a JPEG file", NULL, KL_FORM_FILE, 0, 10, "\xff\xd8\xff\xe0\0\0JFIF",
      "\xff\xff\xff\xff\0\0\xff\xff\xff\xff" }, /* 64 */
    { "a JPEG file", NULL, KL_FORM_FILE, 0, 10, "\xff\xd8\xff\xe1\0\0Exif",
      "\xff\xff\xff\xff\0\0\xff\xff\xff\xff" },                           /* 64 */
    { "a TIFF file", NULL, KL_FORM_FILE, 0, 8, "II*\0\x08\0\0\0", NULL }, /* 64 */
    { "a WAV file", NULL, KL_FORM_FILE, 0, 12, "RIFF\0\0\0\0WAVE",
      "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff" },                             /* 64 */
    { "a PDF file", NULL, KL_FORM_FILE, 0, 5, "%PDF-", NULL },                  /* 40 */
    { "an SQLite file", NULL, KL_FORM_FILE, 0, 16, "SQLite format 3\0", NULL }, /* 128 */
    { "a Parquet file", NULL, KL_FORM_FILE, 0, 5, "PAR1\x15", NULL },           /* 40 */
    { "an ELF file (a program)", NULL, KL_FORM_FILE, 0, 7,
      "\x7f"
      "ELF\0\0\1",
      "\xff\xff\xff\xff\xfc\xfc\xff" }, /* 52 */
    { "UTF-16 text", "iconv -f utf-16 -t ascii", KL_FORM_FILE, 0, 10, "\xff\xfe\0\0\0\0\0\0\0\0",
      "\xff\xff\0\xff\0\xff\0\xff\0\xff" }, /* 48 */
    { "UTF-16 text", "iconv -f utf-16 -t ascii", KL_FORM_FILE, 0, 10, "\xfe\xff\0\0\0\0\0\0\0\0",
      "\xff\xff\xff\0\xff\0\xff\0\xff\0" }, /* 48 */
};

static bool matches(const struct magic *m, const unsigned char *first, size_t n)
{
    if (n < m->at + m->n) return false;
    for (size_t i = 0; i < m->n; i++) {
        const unsigned mask = m->mask ? (unsigned char)m->mask[i] : 0xff;
        if ((first[m->at + i] & mask) != (unsigned char)m->bytes[i]) return false;
    }
    return true;
}

/* ---- text ---- */

/* Random bytes are all of n that belong to a form of text with `width` characters with probability
   (width / 256)^n: 2^-54 or less from so many bytes on. */
static const struct text {
    enum kl_bits_form form;
    const char *characters;
    size_t least;
    const char *what, *remedy;
} texts[] = {
    { KL_FORM_ROWS, "0123456789 ,;\t\r\n", 16, "begins with digits as text", NULL },
    { KL_FORM_HEX, "0123456789abcdefABCDEF \t\r\n", 20, "hexadecimal text", "xxd -r -p" },
    { KL_FORM_BASE64, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n", 28,
      "base64 text", "base64 -d" },
};

enum { LEAST_TEXT = 48, LEAST_ALL = 28 }; /* of 98 characters, 2^-66; if there is nothing else, 2^-38 */

static size_t span(const char *text, size_t n, const char *characters)
{
    size_t i = 0;
    while (i < n && text[i] && strchr(characters, text[i])) i++;
    return i;
}

/* A line of text as rows have it: bits, then perhaps a blank and a label. */
static bool is_row(const char *text, size_t n)
{
    size_t i = span(text, n, "01");
    if (i == 0) return false;
    if (i < n && text[i] == ' ') i += 1 + span(text + i + 1, n - i - 1, "0123456789");
    i += i < n && text[i] == '\r';
    return i == n || text[i] == '\n';
}

/* One character alone may be bits that alternate, as 0x55, 'U', which a device may be made to give. */
static bool is_constant(const char *text, size_t n)
{
    return n > 1 && memcmp(text, text + 1, n - 1) == 0;
}

/* "0b0110", which are hexadecimal digits as well. */
static bool has_prefixes(const char *text, size_t n)
{
    return n >= 16 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B') &&
           span(text, n, "01bB ,;\t\r\n") == n;
}

/* Letters that stand for symbols, as H and T of a coin, are base64 by their form alone: of 64 characters
   random bytes use fewer than 16 with a probability below 2^-100, and bits that are mostly 0 are mostly
   'A'. */
static bool is_of_few_letters(const char *text, size_t n)
{
    bool used[256] = { 0 };
    size_t different = 0, zeros = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        different += !used[c] && c != '\n' && c != '\r';
        used[c] = true;
        zeros += c == 'A';
    }
    return n >= 128 && different < 16 && 2 * zeros < n;
}

/* Samples of a few bits may all be characters, but neither line ends, far below all others, nor few of
   the values that lie between their least and their largest. */
static bool is_prose(const char *text, size_t n)
{
    bool used[256] = { 0 };
    int least = 255, largest = 0, different = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        different += !used[c];
        used[c] = true;
        if (c < least) least = c;
        if (c > largest) largest = c;
    }
    return used['\n'] || used['\r'] || used['\t'] || (n >= 256 && 2 * different < largest - least + 1);
}

/* Any text: its first characters, whatever comes after them. */
static struct kl_bits_look look_any(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && ((text[i] >= ' ' && text[i] <= '~') || memchr("\t\r\n", text[i], 3))) i++;
    if (i < (i == n ? LEAST_ALL : LEAST_TEXT)) return (struct kl_bits_look){ 0 };
    const bool dump = span(text, i, "0123456789abcdef") == 8 && text[8] == ':' && text[9] == ' ' &&
                      span(text + 10, 8, "01") < 8; /* these are of xxd -b, which has no way back */
    return (struct kl_bits_look){ .form = KL_FORM_TEXT,
                                  .n = i,
                                  .prose = is_prose(text, i),
                                  .what = dump ? "a dump of xxd's" : "text",
                                  .remedy = dump ? "xxd -r" : NULL };
}

static struct kl_bits_look look_text(const char *text, size_t n)
{
    struct kl_bits_look look = { .n = n };
    if (has_prefixes(text, n))
        return (struct kl_bits_look){ .form = KL_FORM_FILE,
                                      .what = "binary digits with prefixes",
                                      .remedy = "sed 's/0[bB]//g'" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !look.what; i++)
        if (n >= texts[i].least && span(text, n, texts[i].characters) == n)
            look.form = texts[i].form, look.what = texts[i].what, look.remedy = texts[i].remedy;
    look.binary = span(text, n, "01 ,;\t\r\n") == n;
    if (look.form == KL_FORM_ROWS && !look.binary && !is_row(text, n))
        look.form = KL_FORM_DIGITS, look.what = "numbers as text";
    if (look.form != KL_FORM_ROWS && is_constant(text, n)) return (struct kl_bits_look){ 0 };
    if (look.form == KL_FORM_BASE64 && is_of_few_letters(text, n))
        return (struct kl_bits_look){
            .form = KL_FORM_TEXT, .n = n, .prose = true, .few = true, .what = "text of a few letters"
        };
    return look.what ? look : look_any(text, n);
}

struct kl_bits_look kl_bits_look(const unsigned char *first, size_t n)
{
    if (n > KL_BITS_LOOK) n = KL_BITS_LOOK;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (matches(magics + i, first, n))
            return (struct kl_bits_look){ .form = magics[i].form,
                                          .what = magics[i].what,
                                          .remedy = magics[i].remedy };
    const size_t mark = n >= 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of byte order */
    return look_text((const char *)first + mark, n - mark);
}

/* ---- bits that no byte has ---- */

void kl_bits_widths_add(struct kl_bits_widths *w, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t byte = bytes[i];
        const size_t j = (w->n + i) % 8;
        w->varies |= w->n + i >= 8 && byte != w->before[j];
        w->before[j] = byte;
        w->set[j] |= byte;
        w->ones += (size_t)__builtin_popcount(byte);
        w->changes += (w->n || i) && (byte == 255) != (w->last == 255);
        w->zero |= byte == 0;
        w->one |= byte == 1;
        w->other |= byte != 255 && byte > 1;
        w->last = byte;
    }
    w->n += n;
}

/* Bits from the lowest to the highest that a byte has. */
static int span_of(unsigned byte)
{
    return byte ? 32 - __builtin_clz(byte) - __builtin_ctz(byte) : 0;
}

static unsigned all(const struct kl_bits_widths *w)
{
    unsigned set = 0;
    for (size_t j = 0; j < 8; j++) set |= w->set[j];
    return set;
}

/* Ones lie at `places` of so many alike, all of them: in one of 2^so many inputs. They may do so in any
   of 36 parts of a byte, and of 37^8 < 2^42 of a period of eight. Bytes that repeat with it are no such
   thing. */
static double surprise(const struct kl_bits_widths *w, int places, int of)
{
    return places && w->varies ? (double)w->ones * log2((double)of / places) : 0;
}

int kl_bits_width(int *below, const struct kl_bits_widths *w)
{
    const unsigned set = all(w);
    const int width = span_of(set);
    *below = set ? __builtin_ctz(set) : 0;
    return surprise(w, width, 8) >= 64 ? width : 8;
}

int kl_bits_stride(const struct kl_bits_widths *w)
{
    int spans[8], widest = 0, places = 0, stride = 8;
    bool narrow[8];
    for (int j = 0; j < 8; j++) {
        spans[j] = span_of(w->set[j]);
        places += spans[j];
        if (spans[j] > widest) widest = spans[j];
    }
    for (int j = 0; j < 8; j++) narrow[j] = spans[j] ? spans[j] + 2 <= widest : widest > 0;
    while (stride > 1 && memcmp(narrow, narrow + stride / 2, (size_t)stride / 2 * sizeof *narrow) == 0)
        stride /= 2;
    return surprise(w, places, 8 * widest) >= 96 ? stride : 1;
}

bool kl_bits_signs(const struct kl_bits_widths *w)
{
    return !w->other && w->changes >= 22;
}

/* ---- what an input is not ---- */
/* Raw bytes may be taken for bits whatever they are, and what is made of them then looks fine. So
   whatever can be told from bits is refused, with what makes bits of it. */

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
    return end && *text != '0' && *text != '1' && is_row(end + 1, (size_t)(text + n - end - 1));
}

void kl_bits_advise(char words[KL_BITS_ADVICE], const struct kl_bits_source *s)
{
    unsigned char first[KL_BITS_LOOK];
    const ssize_t n = s->format == &kl_bits_text ? pread(s->fd, first, sizeof first, 0) : 0;
    words[0] = 0;
    if (n <= 0) return;
    const struct kl_bits_look look = kl_bits_look(first, (size_t)n);
    if (is_raw(first, (size_t)n)) advise_raw(words, first, (size_t)n);
    else if (has_head((const char *)first, (size_t)n))
        snprintf(words, KL_BITS_ADVICE, "; line 2 is a row: take line 1 out: tail -n +2");
    else if (look.form == KL_FORM_HEX || look.form == KL_FORM_BASE64)
        snprintf(words, KL_BITS_ADVICE, "; %s is taken with --encoding %s --bits N", look.what,
                 look.form == KL_FORM_HEX ? "hex" : "base64");
    else if (look.form == KL_FORM_TEXT && look.remedy)
        snprintf(words, KL_BITS_ADVICE, "; %s: %s gives packed bytes", look.what, look.remedy);
}
