/* SPDX-License-Identifier: MIT
   Bits in a stream of bytes: packed ones; and bytes of which each holds some, a symbol or a
   character of hexadecimal or base64 text. Row after row without a gap. */
#include "qrng/bits/bits_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- words and bytes ---- */
/* Between words, whose lowest bit comes first, and bytes, whose highest bit does. */

uint64_t kl_bits_reverse(uint64_t w)
{
    w = (w >> 1 & 0x5555555555555555) | (w & 0x5555555555555555) << 1;
    w = (w >> 2 & 0x3333333333333333) | (w & 0x3333333333333333) << 2;
    return (w >> 4 & 0x0f0f0f0f0f0f0f0f) | (w & 0x0f0f0f0f0f0f0f0f) << 4;
}

static void mask_tail(uint64_t *words, size_t n_bits)
{
    if (n_bits % 64) words[n_bits / 64] &= UINT64_MAX >> (64 - n_bits % 64);
}

/* n_bits of a stream from `first` on; reads one word after them. */
static void cut(uint64_t *words, const uint64_t *stream, size_t first, size_t n_bits)
{
    const size_t n = (n_bits + 63) / 64, shift = first % 64;
    stream += first / 64;
    if (shift == 0) memcpy(words, stream, n * sizeof *words);
    else
        for (size_t w = 0; w < n; w++) words[w] = stream[w] >> shift | stream[w + 1] << (64 - shift);
    mask_tail(words, n_bits);
}

void kl_bits_unpack(uint64_t *words, const uint8_t *bytes, size_t n_bits)
{
    const size_t n = (n_bits + 63) / 64;
    words[n - 1] = 0;
    memcpy(words, bytes, (n_bits + 7) / 8);
    for (size_t w = 0; w < n; w++) words[w] = kl_bits_reverse(words[w]);
    mask_tail(words, n_bits);
}

void kl_bits_pack(uint8_t *bytes, const uint64_t *words, size_t n_bits)
{
    const size_t n = (n_bits + 7) / 8;
    for (size_t w = 0; 8 * w < n; w++) {
        const uint64_t reversed = kl_bits_reverse(words[w]);
        memcpy(bytes + 8 * w, &reversed, n - 8 * w < 8 ? n - 8 * w : 8);
    }
}

/* ---- packed ---- */
/* Bits as a generator delivers them: bytes, the most significant bit first. */

struct packed {
    size_t n_rows;
    uint64_t *buffer; /* a block of rows as one stream of bits, and a word */
};

static bool packed_knows(const unsigned char *first, size_t n, const struct kl_bits_how *how)
{
    (void)first, (void)n;
    return how->packed;
}

static int packed_open(struct kl_bits_source *s, struct kl_error *err)
{
    const size_t n = s->how.row_bits;
    if (s->state) return KL_OK; /* rewound: rows are found by their number */
    if (n > KL_BITS_ROW)
        return kl_fail(err, KL_EUSAGE, "%s: packed rows of %zu bits; expected at most %d", s->path, n,
                       (int)KL_BITS_ROW);
    if (s->size > UINT64_MAX / 8)
        return kl_fail(err, KL_EDATA, "%s: %llu bytes are too many", s->path,
                       (unsigned long long)s->size);
    struct packed *f = s->state = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    f->n_rows = (size_t)(8 * s->size / n);
    s->block.n_dropped = (size_t)(8 * s->size % n);
    if (s->how.max_rows && f->n_rows >= s->how.max_rows) s->block.n_dropped = 0;
    if (f->n_rows == 0)
        return kl_fail(err, KL_EDATA, "%s: %llu byte%s hold no row of %zu bits", s->path,
                       (unsigned long long)s->size, kl_s(s->size), n);
    s->expected_rows = f->n_rows;
    int rc = kl_bits_check(s, err);
    if (!rc) rc = kl_bits_make_block(s, n, err);
    const size_t bytes = (s->block_rows * n / 64 + 2) * sizeof *f->buffer;
    if (!rc && !(f->buffer = calloc(1, bytes))) rc = kl_fail_memory(err, bytes);
    return rc;
}

/* A block begins with a whole byte, because the rows before it are a multiple of eight. */
static int packed_next(struct kl_bits_source *s, size_t max_rows, struct kl_error *err)
{
    const struct packed *f = s->state;
    struct kl_bits *b = &s->block;
    const size_t left = f->n_rows - s->row, n = max_rows < left ? max_rows : left;
    const size_t bytes = (n * b->n_bits + 7) / 8;
    int rc = kl_store_pread_all(s->fd, f->buffer, bytes, (uint64_t)s->row / 8 * b->n_bits, s->path, err);
    if (rc) return rc;
    for (size_t w = 0; w < (bytes + 7) / 8; w++) f->buffer[w] = kl_bits_reverse(f->buffer[w]);
    for (size_t r = 0; r < n; r++)
        cut(b->words + r * b->words_per_row, f->buffer, r * b->n_bits, b->n_bits);
    memset(b->device, 0, n * sizeof *b->device);
    b->n_rows = n;
    return KL_OK;
}

static void packed_close(struct kl_bits_source *s)
{
    struct packed *f = s->state;
    if (f) free(f->buffer);
}

const struct kl_bits_format kl_bits_packed = { "packed", packed_knows, packed_open, packed_next,
                                               packed_close };

/* ---- coded ---- */

enum { ROOM = 1 << 16, NONE = -1, BLANK = -2, PADDING = -3 };

struct coded {
    int width;              /* bits of a byte of the input */
    int unit;               /* so many bits are passed on at once: of base64 a byte */
    signed char value[256]; /* of a byte; or NONE, BLANK, PADDING */
    unsigned char *buffer;  /* of the input: [at, end), then what is after offset */
    size_t at, end;
    uint64_t offset;
    uint64_t *stream; /* a block of rows, and a word: n bits */
    size_t n;
    unsigned waiting, n_waiting; /* bits that make no unit yet */
    unsigned set;                /* bits that any symbol has */
    /* of text: where it is, and its groups, which blanks part */
    uint64_t line, column, characters;
    size_t group, first,
        shorter; /* characters of this one, of the first, of one that ended before; 0: none */
    int padding;
};

static bool coded_knows(const unsigned char *first, size_t n, const struct kl_bits_how *how)
{
    (void)first, (void)n;
    return how->encoding != NULL;
}

/* ---- what bytes mean ---- */

static void set_alphabet(struct coded *f, const char *characters)
{
    for (int i = 0; characters[i]; i++) f->value[(unsigned char)characters[i]] = (signed char)i;
}

static void set_values(struct coded *f, enum kl_bits_coding coding, int symbol_bits)
{
    memset(f->value, NONE, sizeof f->value);
    f->width = coding == KL_BITS_SYMBOLS ? symbol_bits : coding == KL_BITS_HEX ? 4 : 6;
    f->unit = coding == KL_BITS_BASE64 ? 8 : f->width;
    if (coding == KL_BITS_SYMBOLS) return;
    for (const char *c = " \t\r\n"; *c; c++) f->value[(unsigned char)*c] = BLANK;
    if (coding == KL_BITS_HEX) {
        set_alphabet(f, "0123456789abcdef");
        set_alphabet(f, "0123456789ABCDEF");
    } else {
        set_alphabet(f, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
        f->value['='] = PADDING;
    }
}

/* ---- bits ---- */

static void add(struct coded *f, unsigned value)
{
    f->waiting = f->waiting << f->width | value;
    f->n_waiting += (unsigned)f->width;
    if (f->n_waiting < (unsigned)f->unit) return;
    f->n_waiting -= (unsigned)f->unit;
    const unsigned unit = f->waiting >> f->n_waiting;
    for (int i = f->unit; i--; f->n++) f->stream[f->n / 64] |= (uint64_t)(unit >> i & 1) << f->n % 64;
    f->waiting &= (1u << f->n_waiting) - 1;
}

static int refuse_symbol(const struct kl_bits_source *s, unsigned byte, struct kl_error *err)
{
    const struct coded *f = s->state;
    return kl_fail(err, KL_EDATA,
                   "%s: byte %llu is %u, expected a symbol of %d bit%s, at most %d; --symbol-bits says "
                   "how many a byte has",
                   s->path, (unsigned long long)(f->offset - f->end + f->at), byte, f->width,
                   kl_s((unsigned)f->width), (1 << f->width) - 1);
}

static int add_symbol(struct kl_bits_source *s, unsigned byte, struct kl_error *err)
{
    struct coded *f = s->state;
    if (byte >> f->width) return refuse_symbol(s, byte, err);
    f->set |= byte;
    add(f, byte);
    return KL_OK;
}

/* ---- text ---- */

static int refuse_character(const struct kl_bits_source *s, unsigned char c, struct kl_error *err)
{
    const struct coded *f = s->state;
    char what[16];
    snprintf(what, sizeof what, c > ' ' && c < 127 ? "'%c'" : "byte 0x%02x", c);
    const char *remedy = "";
    if (s->coding == KL_BITS_HEX && (c == 'x' || c == 'X'))
        remedy = "; take prefixes out: sed 's/0[xX]//g'";
    else if (c == ',' || c == ';' || c == ':') remedy = "; take separators out: tr -d ',;:'";
    else if (c == '-' && !f->characters) remedy = "; take lines of dashes out: grep -v -- ---";
    else if (s->coding == KL_BITS_BASE64 && (c == '-' || c == '_'))
        remedy = "; convert it: tr -- '-_' '+/'";
    return kl_fail(err, KL_EDATA, "%s: line %llu, position %llu: found %s, expected %s%s", s->path,
                   (unsigned long long)f->line, (unsigned long long)f->column, what,
                   f->padding                 ? "nothing after the padding"
                   : s->coding == KL_BITS_HEX ? "a hexadecimal digit"
                                              : "a character of base64",
                   remedy);
}

/* Numbers of unequal width, as without their leading zeros, would run into each other. So groups are
   equal, and the last may be shorter; of base64 each holds whole bytes, if another follows. */
static int check_group(struct kl_bits_source *s, struct kl_error *err)
{
    struct coded *f = s->state;
    const size_t wrong = f->shorter ? f->shorter : f->group > f->first ? f->group : 0;
    if (wrong)
        return kl_fail(
            err, KL_EDATA,
            "%s: line %llu: groups of %zu and %zu characters, expected equal ones, but for the "
            "last",
            s->path, (unsigned long long)f->line, f->first, wrong);
    if (s->coding == KL_BITS_BASE64 && f->first % 4)
        return kl_fail(err, KL_EDATA,
                       "%s: line %llu: follows one of %zu characters, expected a multiple of 4; decode "
                       "each line by itself: base64 -d",
                       s->path, (unsigned long long)f->line, f->first);
    return KL_OK;
}

static void end_group(struct coded *f)
{
    if (f->first && f->group && f->group < f->first) f->shorter = f->group;
    if (!f->first) f->first = f->group;
    f->group = 0;
}

static int add_character(struct kl_bits_source *s, unsigned char c, struct kl_error *err)
{
    struct coded *f = s->state;
    const int value = f->value[c];
    f->column++;
    if (value == BLANK) {
        end_group(f);
        if (c == '\n') f->line++, f->column = 0;
        return KL_OK;
    }
    if (value == NONE || (value >= 0 && f->padding)) return refuse_character(s, c, err);
    f->group++;
    const int code =
        f->first && (f->shorter || f->group > f->first || f->group == 1) ? check_group(s, err) : KL_OK;
    if (code) return code;
    if (value == PADDING) f->padding++;
    else f->characters++, add(f, (unsigned)value);
    return KL_OK;
}

/* Base64 holds whole bytes: what is left of its last character is zeros, and padding fills up four. */
static int end_base64(const struct kl_bits_source *s, struct kl_error *err)
{
    const struct coded *f = s->state;
    const int over = (int)(f->characters % 4);
    if (over == 1 || f->waiting || (f->padding && (!over || over + f->padding != 4)))
        return kl_fail(err, KL_EDATA,
                       "%s: %llu characters of base64 and %d of padding at the end hold no whole bytes; "
                       "is it cut short?",
                       s->path, (unsigned long long)f->characters, f->padding);
    return KL_OK;
}

/* ---- a format ---- */

static int fill(struct kl_bits_source *s, struct kl_error *err)
{
    struct coded *f = s->state;
    f->at = 0;
    f->end = s->size - f->offset < ROOM ? (size_t)(s->size - f->offset) : ROOM;
    const int rc = kl_store_pread_all(s->fd, f->buffer, f->end, f->offset, s->path, err);
    f->offset += f->end;
    return rc;
}

static void rewind_coded(struct kl_bits_source *s)
{
    struct coded *f = s->state;
    f->at = f->end = f->group = f->first = f->shorter = 0;
    f->offset = f->column = f->characters = 0;
    f->waiting = f->n_waiting = f->set = 0;
    f->padding = 0;
    f->line = 1;
    s->block.n_dropped = 0;
}

static int coded_open(struct kl_bits_source *s, struct kl_error *err)
{
    const size_t n = s->how.row_bits;
    struct coded *f = s->state;
    if (f) return rewind_coded(s), KL_OK;
    if (!(f = s->state = calloc(1, sizeof *f))) return kl_fail_memory(err, sizeof *f);
    set_values(f, s->coding, s->how.symbol_bits);
    rewind_coded(s);
    s->expected_rows = (size_t)((double)s->size * f->width / (double)n) + 1;
    int rc = kl_bits_check(s, err);
    if (!rc) rc = kl_bits_make_block(s, n, err);
    if (rc) return rc;
    const size_t bytes = (s->block_rows * n / 64 + 2) * sizeof *f->stream;
    f->stream = malloc(bytes);
    f->buffer = malloc(ROOM);
    return f->stream && f->buffer ? KL_OK : kl_fail_memory(err, bytes + ROOM);
}

/* A full block ends with a whole byte, because its rows are a multiple of eight; after one that is not
   full none comes. */
static int coded_next(struct kl_bits_source *s, size_t max_rows, struct kl_error *err)
{
    struct coded *f = s->state;
    struct kl_bits *b = &s->block;
    const size_t need = max_rows * b->n_bits;
    int rc = KL_OK;
    f->n = 0;
    memset(f->stream, 0, (s->block_rows * b->n_bits / 64 + 2) * sizeof *f->stream);
    while (!rc && f->n < need) {
        if (f->at == f->end && f->offset == s->size) break;
        if (f->at == f->end && (rc = fill(s, err))) return rc;
        const unsigned char c = f->buffer[f->at++];
        rc = s->coding == KL_BITS_SYMBOLS ? add_symbol(s, c, err) : add_character(s, c, err);
    }
    if (!rc && f->n < need && s->coding == KL_BITS_BASE64) rc = end_base64(s, err);
    if (rc) return rc;
    const size_t rows = f->n < need ? f->n / b->n_bits : max_rows;
    if (rows == 0 && s->row == 0)
        return kl_fail(err, KL_EDATA, "%s: %zu bit%s, expected a row of %zu at least", s->path, f->n,
                       kl_s(f->n), b->n_bits);
    for (size_t r = 0; r < rows; r++)
        cut(b->words + r * b->words_per_row, f->stream, r * b->n_bits, b->n_bits);
    memset(b->device, 0, rows * sizeof *b->device);
    b->n_rows = rows;
    if (f->n < need) b->n_dropped += f->n - rows * b->n_bits; /* the next call has none */
    while (s->coding == KL_BITS_SYMBOLS && f->set >> b->used_bits) b->used_bits++;
    return KL_OK;
}

static void coded_close(struct kl_bits_source *s)
{
    struct coded *f = s->state;
    if (f) free(f->buffer), free(f->stream);
}

const struct kl_bits_format kl_bits_coded = { "encoded", coded_knows, coded_open, coded_next,
                                              coded_close };
