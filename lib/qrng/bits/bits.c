/* SPDX-License-Identifier: MIT
   Rows of bits in memory: whole inputs, the first rows of those that come by blocks, and what is
   said of both. */
#include "qrng/bits/bits_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- whole inputs ---- */

/* Room for `more` rows behind those that are there. */
static int grow(struct kl_bits *b, size_t *room, size_t more, struct kl_error *err)
{
    if (b->n_rows + more <= *room) return KL_OK;
    const size_t rows = b->n_rows + more > 2 * *room ? b->n_rows + more : 2 * *room;
    uint64_t *words = realloc(b->words, rows * b->words_per_row * sizeof *words);
    if (words) b->words = words;
    int32_t *device = realloc(b->device, rows * sizeof *device);
    if (device) b->device = device;
    if (!words || !device) return kl_fail_memory(err, rows * b->words_per_row * sizeof *words);
    *room = rows;
    return KL_OK;
}

static int append(struct kl_bits *b, size_t *room, const struct kl_bits *block, struct kl_error *err)
{
    int rc = grow(b, room, block->n_rows, err);
    if (rc) return rc;
    memcpy(b->words + b->n_rows * b->words_per_row, block->words,
           block->n_rows * b->words_per_row * sizeof *b->words);
    memcpy(b->device + b->n_rows, block->device, block->n_rows * sizeof *b->device);
    b->n_rows += block->n_rows;
    return KL_OK;
}

/* Names and our own files go over to the bits. */
static int finish(struct kl_bits *b, struct kl_bits_inputs *in, struct kl_error *err)
{
    b->files = calloc(in->n, sizeof *b->files);
    if (!b->files) return kl_fail_memory(err, in->n * sizeof *b->files);
    for (size_t i = 0; i < in->n; i++)
        if (in->sources[i]->file) {
            b->files[b->n_files++] = in->sources[i]->file;
            in->sources[i]->file = NULL;
        }
    b->n_devices = in->n_devices;
    b->n_dropped = in->n_dropped;
    b->used_bits = in->used_bits;
    b->names = in->names;
    in->names = NULL;
    return KL_OK;
}

int kl_bits_read_files(struct kl_bits *bits, const char *const *paths, size_t n,
                       const struct kl_bits_how *how, struct kl_error *err)
{
    struct kl_bits_inputs in;
    const struct kl_bits *block;
    size_t room = 0;
    *bits = (struct kl_bits){ 0 };
    int rc = kl_bits_inputs_open(&in, paths, n, how, err);
    bits->n_bits = in.n_bits;
    bits->words_per_row = (in.n_bits + 63) / 64;
    bits->symbol_bits = in.symbol_bits;
    while (!rc && !(rc = kl_bits_inputs_next(&in, &block, err)) && block->n_rows)
        rc = append(bits, &room, block, err);
    if (!rc) rc = finish(bits, &in, err);
    kl_bits_inputs_close(&in);
    if (rc) kl_bits_free(bits);
    return rc;
}

void kl_bits_note_dropped(const struct kl_log *log, size_t n_dropped, size_t n_bits)
{
    if (n_dropped)
        kl_caution(log, "%zu bit%s at the ends of inputs make no row of %zu: left out", n_dropped,
                   kl_s(n_dropped), n_bits);
}

void kl_bits_note_narrow(const struct kl_log *log, int used_bits, int symbol_bits)
{
    if (used_bits && used_bits < symbol_bits)
        kl_caution(log, "--symbol-bits %d, but a device has no symbol of %d or more: %d bit%s a byte?",
                   symbol_bits, 1 << used_bits, used_bits, kl_s((unsigned)used_bits));
}

void kl_bits_count_rows(size_t *rows, const struct kl_bits *bits)
{
    memset(rows, 0, (size_t)bits->n_devices * sizeof *rows);
    for (size_t r = 0; r < bits->n_rows; r++) rows[bits->device[r]]++;
}

void kl_bits_note_rows(const struct kl_log *log, size_t n_rows, size_t n_bits, int n_devices)
{
    if (n_bits == 1)
        kl_caution(log,
                   "rows of 1 bit; if lines are no rows, make rows of 100: tr -d '\\n' | fold -w 100");
    else if (n_bits >= 200 && n_rows == (size_t)n_devices)
        kl_caution(log, "one row of %zu bits a device; rows of 100, which can be compared: fold -w 100",
                   n_bits);
}

void kl_bits_free(struct kl_bits *bits)
{
    for (size_t i = 0; i < bits->n_files; i++) kl_store_file_close(&bits->files[i]);
    free(bits->files);
    free(bits->words);
    free(bits->device);
    free(bits->names);
    *bits = (struct kl_bits){ 0 };
}

/* ---- names ---- */
/* Files of one name in two folders are two devices, a and a#2: which is which. */

enum { TOLD = 8 };

/* Has another input the same name? */
static bool is_shared(const char *const *paths, size_t i, size_t n)
{
    char own[KL_BITS_NAME], other[KL_BITS_NAME];
    kl_bits_name(own, paths[i]);
    for (size_t k = 0; k < n; k++) {
        if (k == i) continue;
        kl_bits_name(other, paths[k]);
        if (strcmp(own, other) == 0) return true;
    }
    return false;
}

static void list_shared(FILE *to, const char *const *paths, const char (*names)[KL_BITS_NAME], size_t n,
                        size_t *shared)
{
    for (size_t i = 0; i < n; i++)
        if (is_shared(paths, i, n) && ++*shared <= TOLD)
            fprintf(to, "%s%.*s is %s", *shared > 1 ? ", " : "", KL_BITS_NAME, names[i],
                    strcmp(paths[i], "-") == 0 ? KL_BITS_STDIN : paths[i]);
    if (*shared > TOLD) fprintf(to, ", and so on in the order of the inputs");
}

int kl_bits_note_names(const struct kl_log *log, const char *const *paths,
                       const char (*names)[KL_BITS_NAME], size_t n, struct kl_error *err)
{
    char *text = NULL;
    size_t size, shared = 0;
    if (n < 2) return KL_OK;
    FILE *to = open_memstream(&text, &size);
    if (!to) return kl_fail_memory(err, 256);
    list_shared(to, paths, names, n, &shared);
    const bool lost = ferror(to) != 0;
    const int code = fclose(to) || lost ? kl_fail_memory(err, 256) : KL_OK;
    if (!code && shared) kl_caution(log, "inputs of one name: device %s", text);
    free(text);
    return code;
}

/* ---- first rows ---- */

enum { OF_DEVICE = 1 << 14, OF_ALL = 1 << 22 }; /* words */

static int see_device(struct kl_first_rows *f, int32_t device, struct kl_error *err)
{
    const size_t n = (size_t)device + 1, known = (size_t)f->bits.n_devices;
    if (n <= known) return KL_OK;
    size_t *more = realloc(f->words, n * sizeof *more);
    if (!more) return kl_fail_memory(err, n * sizeof *more);
    memset(more + known, 0, (n - known) * sizeof *more);
    f->words = more, f->bits.n_devices = (int)n;
    return KL_OK;
}

static int make_room(struct kl_first_rows *f, struct kl_error *err)
{
    struct kl_bits *b = &f->bits;
    if (b->n_rows < f->room) return KL_OK;
    const size_t rows = 2 * f->room + 1;
    uint64_t *words = realloc(b->words, rows * b->words_per_row * sizeof *words);
    if (words) b->words = words;
    int32_t *device = realloc(b->device, rows * sizeof *device);
    if (device) b->device = device;
    if (!words || !device) return kl_fail_memory(err, rows * b->words_per_row * sizeof *words);
    f->room = rows;
    return KL_OK;
}

static int take_row(struct kl_first_rows *f, const uint64_t *row, int32_t device, struct kl_error *err)
{
    struct kl_bits *b = &f->bits;
    int code = see_device(f, device, err);
    if (code) return code;
    size_t *taken = &f->words[device];
    if ((*taken && *taken + b->words_per_row > OF_DEVICE) ||
        (b->n_rows + 1) * b->words_per_row > OF_ALL) {
        f->all = false;
        return KL_OK;
    }
    code = make_room(f, err);
    if (code) return code;
    memcpy(b->words + b->n_rows * b->words_per_row, row, b->words_per_row * sizeof *row);
    b->device[b->n_rows++] = device;
    *taken += b->words_per_row;
    return KL_OK;
}

int kl_bits_first_rows_take(struct kl_first_rows *f, const struct kl_bits *block, struct kl_error *err)
{
    int code = KL_OK;
    if (!f->bits.n_bits) f->all = true;
    f->bits.n_bits = block->n_bits, f->bits.words_per_row = block->words_per_row;
    for (size_t r = 0; r < block->n_rows && !code; r++)
        code = take_row(f, kl_bits_row(block, r), block->device[r], err);
    return code;
}

void kl_bits_first_rows_free(struct kl_first_rows *f)
{
    kl_bits_free(&f->bits);
    free(f->words);
    *f = (struct kl_first_rows){ 0 };
}
