/* SPDX-License-Identifier: MIT
   Bits as text: a row a line, "0110...", or "0110... 2" with the label of its device. A mark of byte
   order before the first, and CR before LF, are passed over. */
#include "qrng/bits/bits_int.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 20, LONGEST_LINE = KL_BITS_ROW + 64 };

struct text {
    char *buffer;
    size_t room, begin, end; /* what is not yet read: [begin, end) */
    uint64_t offset;         /* in the file, of what comes behind it */
};

/* Characters 0 and 1 into words that are 0; how many there were (at most n) before another one. */
static size_t digits(uint64_t *words, const char *text, size_t n)
{
    size_t j = 0;
    for (; j + 8 <= n; j += 8) { /* the low bits of eight characters gathered by one product */
        uint64_t eight;
        memcpy(&eight, text + j, 8);
        if ((eight ^ 0x3030303030303030) & 0xfefefefefefefefe) break;
        words[j / 64] |= ((eight & 0x0101010101010101) * 0x0102040810204080 >> 56) << j % 64;
    }
    for (; j < n && (text[j] == '0' || text[j] == '1'); j++)
        words[j / 64] |= (uint64_t)(text[j] & 1) << j % 64;
    return j;
}

static bool knows(const unsigned char *first, size_t n, const struct kl_bits_how *how)
{
    (void)first, (void)n, (void)how;
    return true;
}

/* More of the file into the buffer, which grows if one line fills it. */
static int fill(struct kl_bits_source *s, struct kl_error *err)
{
    struct text *t = s->state;
    memmove(t->buffer, t->buffer + t->begin, t->end - t->begin);
    t->end -= t->begin;
    t->begin = 0;
    if (t->end == t->room) {
        if (t->room > LONGEST_LINE)
            return kl_fail(err, KL_EDATA, "%s: row %zu is longer than %d bits", s->path, s->row + 1,
                           (int)KL_BITS_ROW);
        char *more = realloc(t->buffer, 2 * t->room);
        if (!more) return kl_fail_memory(err, 2 * t->room);
        t->buffer = more;
        t->room *= 2;
    }
    size_t n = t->room - t->end;
    if (n > s->size - t->offset) n = (size_t)(s->size - t->offset);
    int rc = kl_store_pread_all(s->fd, t->buffer + t->end, n, t->offset, s->path, err);
    t->end += n;
    t->offset += n;
    return rc;
}

/* Bytes of a mark of byte order that the file begins with. */
static int read_mark(uint64_t *mark, const struct kl_bits_source *s, struct kl_error *err)
{
    char first[3] = "";
    const int rc = s->size < 3 ? KL_OK : kl_store_pread_all(s->fd, first, 3, 0, s->path, err);
    *mark = memcmp(first, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return rc;
}

/* The next line without its end; *line NULL at the end of the file. */
static int next_line(struct kl_bits_source *s, const char **line, size_t *length, struct kl_error *err)
{
    struct text *t = s->state;
    for (size_t searched = 0;;) {
        const char *from = t->buffer + t->begin;
        const char *lf = memchr(from + searched, '\n', t->end - t->begin - searched);
        const size_t have = t->end - t->begin;
        if (lf || t->offset == s->size) {
            *line = lf || have ? from : NULL;
            *length = lf ? (size_t)(lf - from) : have;
            t->begin += *length + (lf != NULL);
            if (lf && *length && from[*length - 1] == '\r') (*length)--;
            return KL_OK;
        }
        searched = have;
        int rc = fill(s, err);
        if (rc) return rc;
    }
}

/* Do spaces part bits, in place of bits from a label? */
static bool spaced(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] != ' ' && text[i] != '0' && text[i] != '1') return false;
    return n > 2 && memchr(text + 1, ' ', n - 2);
}

/* The label behind n bits; *device stays -1 where there is none. */
static int read_label(const struct kl_bits_source *s, int *device, const char *line, size_t length,
                      size_t n, struct kl_error *err)
{
    const size_t row = s->row + s->block.n_rows + 1;
    int label = 0;
    size_t i = n + 1;
    *device = -1;
    if (length == n) return KL_OK;
    if (line[n] != ' ') return kl_bits_wrong(s, row, n + 1, (unsigned char)line[n], err);
    if (memchr(line + n, 0, length - n))
        return kl_fail(err, KL_EDATA, "%s: row %zu: a NUL byte in its label", s->path, row);
    for (; i < length && line[i] >= '0' && line[i] <= '9' && label <= KL_BITS_DEVICES; i++)
        label = 10 * label + line[i] - '0';
    if (i < length || label < 1 || label > KL_BITS_DEVICES || line[n + 1] == '0')
        return kl_fail(
            err, KL_EDATA, "%s: row %zu: label '%.*s', expected a whole number from 1 to %d%s", s->path,
            row, (int)(length - n - 1 < 20 ? length - n - 1 : 20), line + n + 1, (int)KL_BITS_DEVICES,
            spaced(line + n, length - n) ? "; take out spaces between bits: tr -d ' '" : "");
    *device = label - 1;
    return KL_OK;
}

static int read_row(struct kl_bits_source *s, const char *line, size_t length, struct kl_error *err)
{
    struct kl_bits *b = &s->block;
    const size_t row = s->row + b->n_rows + 1;
    int device;
    uint64_t *words = b->words + b->n_rows * b->words_per_row;
    memset(words, 0, b->words_per_row * sizeof *words);
    const size_t n = digits(words, line, length < b->n_bits ? length : b->n_bits);
    if (length == 0) return kl_fail(err, KL_EDATA, "%s: row %zu is empty", s->path, row);
    if (n < length && n < b->n_bits && line[n] != ' ')
        return kl_bits_wrong(s, row, n + 1, (unsigned char)line[n], err);
    size_t found = n;
    while (found < length && (line[found] == '0' || line[found] == '1')) found++;
    if (found != b->n_bits)
        return kl_fail(err, KL_EDATA, "%s: row %zu has %zu bit%s, row 1 has %zu", s->path, row, found,
                       kl_s(found), b->n_bits);
    int rc = read_label(s, &device, line, length, n, err);
    if (rc) return rc;
    if (s->labelled != (device >= 0))
        return kl_fail(err, KL_EDATA, "%s: row %zu has %s label, row 1 has %s", s->path, row,
                       device < 0 ? "no" : "a", device < 0 ? "one" : "none");
    b->device[b->n_rows++] = device < 0 ? 0 : device;
    return KL_OK;
}

static int text_open(struct kl_bits_source *s, struct kl_error *err)
{
    const char *line;
    int label;
    size_t length, n = 0;
    struct text *t = s->state;
    if (!t && !(t = s->state = calloc(1, sizeof *t))) return kl_fail_memory(err, sizeof *t);
    int rc = read_mark(&t->offset, s, err);
    if (rc) return rc;
    t->begin = t->end = 0;
    if (!t->buffer && !(t->buffer = malloc(t->room = ROOM))) return kl_fail_memory(err, ROOM);
    if (s->block.n_bits) return KL_OK; /* rewound */
    rc = kl_bits_check(s, err);
    if (!rc) rc = next_line(s, &line, &length, err);
    if (rc) return rc;
    if (!line) return kl_fail(err, KL_EDATA, "%s: holds no rows", s->path);
    if (length == 0) return kl_fail(err, KL_EDATA, "%s: row 1 is empty", s->path);
    while (n < length && (line[n] == '0' || line[n] == '1')) n++;
    if (n == 0) return kl_bits_wrong(s, 1, 1, (unsigned char)line[0], err);
    if ((rc = read_label(s, &label, line, length, n, err))) return rc;
    s->labelled = n < length;
    t->begin = 0; /* row 1 is read again, as all others */
    return kl_bits_make_block(s, n, err);
}

static int text_next(struct kl_bits_source *s, size_t max_rows, struct kl_error *err)
{
    const char *line;
    size_t length;
    while (s->block.n_rows < max_rows) {
        int rc = next_line(s, &line, &length, err);
        if (!rc && !line) return KL_OK;
        if (!rc) rc = read_row(s, line, length, err);
        if (rc) return rc;
    }
    return KL_OK;
}

static void text_close(struct kl_bits_source *s)
{
    struct text *t = s->state;
    if (t) free(t->buffer);
}

const struct kl_bits_format kl_bits_text = { "text", knows, text_open, text_next, text_close };
