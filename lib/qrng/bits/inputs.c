/* SPDX-License-Identifier: MIT
   Inputs of bits, read by blocks of rows: one input, in whichever format it has, and several as one
   sequence of rows. */
#include "qrng/bits/bits_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one input ---- */
/* The choice of its format, and what all formats share. */

enum { BLOCK_WORDS = 1 << 16 };

/* The first that knows an input reads it: for packed and encoded bytes there are options, and what
   nothing else knows is text. */
static const struct kl_bits_format *const formats[] = { &kl_bits_packed, &kl_bits_coded, &kl_bits_h5,
                                                        &kl_bits_npy, &kl_bits_text };

int kl_bits_wrong(const struct kl_bits_source *s, size_t row, size_t column, uint32_t found,
                  struct kl_error *err)
{
    char what[16];
    if (found == 0) snprintf(what, sizeof what, "a NUL byte");
    else if (found > ' ' && found < 127) snprintf(what, sizeof what, "'%c'", (int)found);
    else snprintf(what, sizeof what, found < 256 ? "byte 0x%02x" : "U+%04X", found);
    char advice[KL_BITS_ADVICE] = "";
    const char *remedy = advice;
    if (row == 1) kl_bits_advise(advice, s);
    if (*advice) remedy = advice;
    else if (column > 1 && found == ',') remedy = "; take separators out: tr -d ','";
    else if (column > 1 && found == ';') remedy = "; take separators out: tr -d ';'";
    else if (column > 1 && found == '\t') remedy = "; take separators out: tr -d '\\t'";
    return kl_fail(err, KL_EDATA, "%s: row %zu, position %zu: found %s, expected 0 or 1%s", s->path, row,
                   column, what, remedy);
}

/* Rows of each device that hold how.max_bits. */
static void limit_rows(struct kl_bits_source *s, size_t n_bits)
{
    struct kl_bits_how *how = &s->how;
    if (!how->max_bits) return;
    how->max_rows = (how->max_bits + n_bits - 1) / n_bits;
    if (how->max_rows < how->least_rows) how->max_rows = how->least_rows;
}

/* Of several devices the input is read to its end, whatever how.max_rows. */
static bool may_be_several(const struct kl_bits_source *s)
{
    return s->labelled || s->format == &kl_bits_h5;
}

/* Refuse rows of no whole number of symbols, and list the values that --symbol-bits may have. */
static int refuse_width(const struct kl_bits_source *s, size_t n_bits, struct kl_error *err)
{
    char widths[4 * KL_BITS_SYMBOL] = "1";
    for (size_t w = 2, at = 1; w <= KL_BITS_SYMBOL; w++)
        if (n_bits % w == 0) at += (size_t)snprintf(widths + at, sizeof widths - at, ", %zu", w);
    return kl_fail(err, KL_EUSAGE,
                   "%s: rows of %zu bits hold no whole number of symbols of %d bits; --symbol-bits that "
                   "divides them: %s",
                   s->path, n_bits, s->block.symbol_bits, widths);
}

int kl_bits_make_block(struct kl_bits_source *s, size_t n_bits, struct kl_error *err)
{
    struct kl_bits *b = &s->block;
    if (n_bits > KL_BITS_ROW)
        return kl_fail(err, KL_EDATA, "%s: rows of %zu bits, expected 1 to %d", s->path, n_bits,
                       (int)KL_BITS_ROW);
    if (!b->symbol_bits) b->symbol_bits = s->how.symbol_bits ? s->how.symbol_bits : 1;
    if (n_bits % (size_t)b->symbol_bits) return refuse_width(s, n_bits, err);
    b->n_bits = n_bits;
    limit_rows(s, n_bits);
    if (!s->expected_rows)
        s->expected_rows = (size_t)(s->size / (n_bits + 1 + 2 * s->labelled)); /* of text */
    if (s->how.max_rows && !may_be_several(s) && s->expected_rows > s->how.max_rows)
        s->expected_rows = s->how.max_rows;
    b->words_per_row = (n_bits + 63) / 64;
    s->block_rows = b->words_per_row < BLOCK_WORDS / 8 ? BLOCK_WORDS / b->words_per_row / 8 * 8 : 8;
    b->words = malloc(s->block_rows * b->words_per_row * sizeof *b->words);
    b->device = malloc(s->block_rows * sizeof *b->device);
    return b->words && b->device
               ? 0
               : kl_fail_memory(err, s->block_rows * b->words_per_row * sizeof *b->words);
}

/* Standard input, pipes and character devices become an unlinked file. */
static int open_input(struct kl_bits_source *s, const char *path, struct kl_error *err)
{
    struct stat st;
    const struct kl_bits_how *how = &s->how; /* an endless stream is read as far as it is needed */
    uint64_t bits, limit = UINT64_MAX;
    const uint64_t width = how->packed                    ? 8
                           : s->coding == KL_BITS_SYMBOLS ? (uint64_t)how->symbol_bits
                                                          : 0;
    if (width && how->max_rows && !__builtin_mul_overflow(how->max_rows, how->row_bits, &bits))
        limit = bits / width + (bits % width > 0);
    if (strcmp(path, "-") == 0) {
        s->path = KL_BITS_STDIN;
        s->spooled = true;
        int rc = kl_store_spool(&s->fd, STDIN_FILENO, limit, s->path, err);
        if (rc) return rc;
    } else {
        int rc = kl_no_folder(path, err);
        if (rc) return rc;
        s->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (s->fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", path);
    }
    if (fstat(s->fd, &st)) return kl_fail_errno(err, KL_EIO, "%s", s->path);
    if (S_ISCHR(st.st_mode) && limit == UINT64_MAX && !isatty(s->fd))
        return kl_fail(
            err, KL_EUSAGE,
            "%s: a device may have no end; give its first bytes: head -c 1000000 %s | ... -%s", s->path,
            s->path, s->coding ? "" : ", with --packed");
    if (!S_ISREG(st.st_mode)) {
        s->spooled = true;
        int from = s->fd, rc = kl_store_spool(&s->fd, from, limit, s->path, err);
        close(from);
        if (rc) return rc;
        if (fstat(s->fd, &st)) return kl_fail_errno(err, KL_EIO, "%s", s->path);
    }
    s->size = (uint64_t)st.st_size;
    return KL_OK;
}

static int open_source(struct kl_bits_source **source, const char *path, const struct kl_bits_how *how,
                       struct kl_error *err)
{
    unsigned char first[8] = { 0 };
    struct kl_bits_source *s = *source = calloc(1, sizeof *s);
    if (!s) return kl_fail_memory(err, sizeof *s);
    *s = (struct kl_bits_source){ .path = path, .fd = -1, .how = *how };
    s->count = calloc(2 * KL_BITS_DEVICES, sizeof *s->count);
    if (!s->count) return kl_fail_memory(err, 2 * KL_BITS_DEVICES * sizeof *s->count);
    s->seen = s->count + KL_BITS_DEVICES;
    s->coding = how->packed ? KL_BITS_PACKED : KL_BITS_ROWS;
    if (how->encoding)
        s->coding = KL_BITS_SYMBOLS + (enum kl_bits_coding)kl_choice(KL_BITS_ENCODINGS, how->encoding);
    if (s->coding) limit_rows(s, how->row_bits);
    int rc = open_input(s, path, err);
    const size_t n = s->size < sizeof first ? (size_t)s->size : sizeof first;
    if (!rc) rc = kl_store_pread_all(s->fd, first, n, 0, s->path, err);
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !s->format; i++)
        if (formats[i]->knows(first, n, how)) s->format = formats[i];
    return rc ? rc : s->format->open(s, err);
}

void kl_bits_name(char name[KL_BITS_NAME], const char *path)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
    const char *dot = strrchr(from, '.');
    const size_t n = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    snprintf(name, KL_BITS_NAME, "%.*s", (int)(n < KL_BITS_NAME ? n : KL_BITS_NAME), from);
}

/* All rows have been read: are all devices there? */
static int finish(struct kl_bits_source *s, struct kl_error *err)
{
    struct kl_bits *b = &s->block;
    int n = 0;
    if (s->row == 0) return kl_fail(err, KL_EDATA, "%s: holds no rows", s->path);
    for (int d = 0; d < KL_BITS_DEVICES; d++)
        if (s->count[d]) n = d + 1;
    if (b->names) /* said by the file, or before a rewinding */
        n = b->n_devices;
    for (int d = 0; d < n; d++)
        if (!s->count[d] && s->format == &kl_bits_h5)
            return kl_fail(err, KL_EDATA, "%s: device %s has no rows", s->path, b->names[d]);
        else if (!s->count[d])
            return kl_fail(err, KL_EDATA,
                           "%s: device %d has no rows, though labels go up to %d (first in row %zu)",
                           s->path, d + 1, n, s->seen[n - 1]);
    if (b->names) return KL_OK;
    b->n_devices = n;
    b->names = calloc((size_t)n, sizeof *b->names);
    if (!b->names) return kl_fail_memory(err, (size_t)n * sizeof *b->names);
    for (int d = 0; d < n && s->labelled; d++) snprintf(b->names[d], KL_BITS_NAME, "%d", d + 1);
    if (!s->labelled) kl_bits_name(b->names[0], s->path);
    return KL_OK;
}

/* The block's rows that are taken: of each device the first ones. */
static void take(struct kl_bits_source *s)
{
    struct kl_bits *b = &s->block;
    const size_t n = b->n_rows, words = b->words_per_row;
    b->n_rows = 0;
    for (size_t r = 0; r < n; r++) {
        const int32_t d = b->device[r];
        if (s->how.max_rows && s->count[d] == s->how.max_rows) continue;
        if (!s->count[d]++) s->seen[d] = s->row + r + 1;
        if (b->n_rows < r)
            memcpy(b->words + b->n_rows * words, b->words + r * words, words * sizeof *b->words);
        b->device[b->n_rows++] = d;
    }
    s->row += n;
}

/* The next rows, in *block until the next call: its words, device, n_rows (0: at the end; then n_devices
   and names are known and checked). */
static int next_rows(struct kl_bits_source *s, const struct kl_bits **block, struct kl_error *err)
{
    struct kl_bits *b = &s->block;
    size_t read;
    *block = b;
    do {
        size_t max = s->block_rows;
        if (s->how.max_rows && !may_be_several(s) && max > s->how.max_rows - s->row)
            max = s->how.max_rows - s->row;
        b->n_rows = 0;
        int rc = max ? s->format->next(s, max, err) : KL_OK;
        if (rc) return rc;
        read = b->n_rows;
        take(s);
    } while (read && !b->n_rows);
    return read ? KL_OK : finish(s, err);
}

static int rewind_source(struct kl_bits_source *s, struct kl_error *err)
{
    s->row = 0;
    memset(s->count, 0, 2 * KL_BITS_DEVICES * sizeof *s->count);
    return s->format->open(s, err);
}

/* Accepts NULL, clears the caller's pointer. */
static void close_source(struct kl_bits_source **source)
{
    struct kl_bits_source *s = *source;
    if (!s) return;
    if (s->format) s->format->close(s);
    free(s->state);
    if (s->fd >= 0) close(s->fd);
    kl_store_file_close(&s->file);
    kl_bits_free(&s->block);
    free(s->count);
    free(s);
    *source = NULL;
}

/* ---- several inputs ---- */
/* Several inputs as one sequence of rows, each input a device. */

/* Check which options need and exclude each other. */
static int check_how(const struct kl_bits_how *how, struct kl_error *err)
{
    const char *encoding = how->encoding;
    if (how->packed && encoding)
        return kl_fail(err, KL_EUSAGE, "--packed and --encoding %s: bytes are one or the other",
                       encoding);
    if (how->packed && !how->row_bits)
        return kl_fail(err, KL_EUSAGE, "--packed: bytes have no rows; give --bits N, the bits of one");
    if (encoding && strcmp(encoding, "symbols") == 0 && !how->symbol_bits)
        return kl_fail(err, KL_EUSAGE,
                       "--encoding symbols: give --symbol-bits N, the bits that a byte has");
    if (encoding && !how->row_bits)
        return kl_fail(err, KL_EUSAGE, "--encoding %s: has no rows; give --bits N, the bits of one",
                       encoding);
    if (how->row_bits && !how->packed && !encoding)
        return kl_fail(err, KL_EUSAGE,
                       "--bits belongs to --packed and --encoding; other inputs say how long rows are");
    return KL_OK;
}

int kl_bits_inputs_open(struct kl_bits_inputs *in, const char *const *paths, size_t n,
                        const struct kl_bits_how *how, struct kl_error *err)
{
    *in = (struct kl_bits_inputs){ .paths = paths, .n = n };
    if (n == 0) return kl_fail(err, KL_EUSAGE, "no input");
    int rc = check_how(how, err);
    if (rc) return rc;
    in->sources = calloc(n, sizeof *in->sources);
    if (!in->sources) return kl_fail_memory(err, n * sizeof *in->sources);
    for (size_t i = 0; i < n; i++) {
        rc = open_source(&in->sources[i], paths[i], how, err);
        if (rc) return rc;
        in->expected_rows += in->sources[i]->expected_rows;
        const struct kl_bits *b = &in->sources[i]->block, *first = &in->sources[0]->block;
        if (b->n_bits != first->n_bits || b->symbol_bits != first->symbol_bits)
            return kl_fail(err, KL_EDATA,
                           "%s: rows of %zu bits and symbols of %d, in %s they have %zu and %d",
                           in->sources[i]->path, b->n_bits, b->symbol_bits, in->sources[0]->path,
                           first->n_bits, first->symbol_bits);
    }
    in->n_bits = in->sources[0]->block.n_bits;
    in->symbol_bits = in->sources[0]->block.symbol_bits;
    return KL_OK;
}

static bool is_taken(const struct kl_bits_inputs *in, const char *name)
{
    for (int d = 0; d < in->n_devices; d++)
        if (strcmp(in->names[d], name) == 0) return true;
    return false;
}

/* Files of one name in two folders are two devices, and so is one file that is given twice: the second
   one's name ends in its number, "bits#2". */
static void tell_apart(char name[KL_BITS_NAME], const struct kl_bits_inputs *in)
{
    char own[KL_BITS_NAME], number[16];
    memcpy(own, name, sizeof own);
    for (int i = in->n_devices + 1; is_taken(in, name); i++) {
        const int n = snprintf(number, sizeof number, "#%d", i);
        memset(name, 0, KL_BITS_NAME);
        snprintf(name, KL_BITS_NAME, "%.*s%s", KL_BITS_NAME - 1 - n, own, number);
    }
}

/* The devices of an input that has been read to its end. */
static int take_names(struct kl_bits_inputs *in, const struct kl_bits_source *s, struct kl_error *err)
{
    const struct kl_bits *b = &s->block;
    const size_t n = (size_t)(in->n_devices + b->n_devices);
    if (in->n > 1 && b->n_devices > 1)
        return kl_fail(err, KL_EDATA, "%s: holds %d devices; of several inputs each is one", s->path,
                       b->n_devices);
    char(*names)[KL_BITS_NAME] = realloc(in->names, n * sizeof *names);
    if (!names) return kl_fail_memory(err, n * sizeof *names);
    memcpy(names + in->n_devices, b->names, (size_t)b->n_devices * sizeof *names);
    in->names = names;
    if (in->n > 1) tell_apart(names[in->n_devices], in);
    in->n_devices = (int)n;
    in->n_dropped += b->n_dropped;
    if (b->used_bits && (!in->used_bits || b->used_bits < in->used_bits)) in->used_bits = b->used_bits;
    return KL_OK;
}

int kl_bits_inputs_next(struct kl_bits_inputs *in, const struct kl_bits **block, struct kl_error *err)
{
    for (; in->at < in->n; in->at++) {
        struct kl_bits_source *s = in->sources[in->at];
        int rc = next_rows(s, block, err);
        for (size_t r = 0; r < s->block.n_rows && !rc; r++) s->block.device[r] += in->n_devices;
        in->n_rows += s->block.n_rows;
        if (rc || s->block.n_rows) return rc;
        if ((rc = take_names(in, s, err))) return rc;
    }
    return KL_OK;
}

int kl_bits_inputs_rewind(struct kl_bits_inputs *in, struct kl_error *err)
{
    in->at = in->n_rows = in->n_dropped = 0;
    in->n_devices = in->used_bits = 0;
    for (size_t i = 0; i < in->n; i++) {
        int rc = rewind_source(in->sources[i], err);
        if (rc) return rc;
    }
    return KL_OK;
}

void kl_bits_inputs_close(struct kl_bits_inputs *in)
{
    for (size_t i = 0; i < in->n && in->sources; i++) close_source(&in->sources[i]);
    free(in->sources);
    free(in->names);
    *in = (struct kl_bits_inputs){ 0 };
}
