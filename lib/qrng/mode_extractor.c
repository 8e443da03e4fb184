/* SPDX-License-Identifier: MIT
   tournament --extract METHOD BITS... -o OUT.bin: rows one after another to nearly uniform bytes, by
   blocks, so that inputs may be larger than memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/inline/philox.h"
#include "qrng/bits.h"
#include "qrng/bits_int.h"
#include "qrng/extractor.h"
#include "qrng/mode.h"

#define METHODS "toeplitz|von-neumann"
enum { SPARE_WORDS = 1 << 12 };

struct values {
    struct kl_common common;
    int64_t symbol_bits, row_bits, block_bits;
    double entropy, security;
    const char *method, *hash_seed;
    bool packed;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "extract", 0, KL_OPT_CHOICE, AT(method), METHODS, 0, 0, true, "nearly uniform bits", "Bits",
      NULL },
    { "symbol-bits", 0, KL_OPT_INT, AT(symbol_bits), "N", 1, KL_BITS_SYMBOL, true,
      "bits measured together: 2 for two qubits", NULL, NULL },
    { "packed", 0, KL_OPT_FLAG, AT(packed), NULL, 0, 0, false,
      "inputs are raw bytes, most significant bit first", NULL, NULL },
    { "bits", 0, KL_OPT_INT, AT(row_bits), "N", 1, KL_BITS_ROW, false, "of a row of packed bytes", NULL,
      NULL },
    { "min-entropy", 0, KL_OPT_FLOAT, AT(entropy), "H", 1e-6, 1, true,
      "bits a bit; see tournament --nist", "Toeplitz", NULL },
    { "security", 0, KL_OPT_FLOAT, AT(security), "BITS", 1, 1024, true,
      "a block is within 2^-BITS of uniform", NULL, NULL },
    { "block-bits", 0, KL_OPT_INT, AT(block_bits), "N", 64, 1 << 17, true,
      "hashed at once; a multiple of 64", NULL, NULL },
    { "hash-seed", 0, KL_OPT_STRING, AT(hash_seed), "FILE", 0, 0, true,
      "random bytes that draw the matrix; else --seed does", NULL, NULL },
    { "output", 'o', KL_OPT_STRING, AT(common.output), "FILE", 0, 0, false,
      "raw bytes, most significant bit first; - is standard output", "Result", NULL },
};
const struct kl_tool kl_extractor_tool = {
    .name = "tournament",
    .summary = "Extracts nearly uniform bits from those of devices",
    .arguments = "--extract " METHODS " BITS... -o OUT.bin",
    .example = "tournament --extract toeplitz devices.txt --min-entropy 0.5 -o out.bin\n"
               "  tournament --extract von-neumann devices.txt --symbol-bits 2 -o out.bin",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store dry-run key threads device note no-provenance",
    .chosen_by = "--extract",
};

static void defaults(void *values)
{
    struct values *v = values;
    v->security = 64;
    v->block_bits = 4096;
}

struct work {
    struct kl_mode_run *run;
    const struct values *v;
    struct kl_raw *raw;
    struct kl_toeplitz *hash;
    size_t n_in, n_out; /* of the hash, in bits */
    uint64_t *waiting;  /* bits that do not fill a block yet */
    size_t n_waiting, room;
    uint8_t *out;       /* n_out / 8 bytes, or bits 0 and 1 of a row */
    uint8_t *symbols;   /* of a row */
    unsigned char byte; /* that is being filled, of von Neumann's bits */
    int filled;
    uint64_t read, written; /* bits */
};

/* ---- Toeplitz ---- */

/* The diagonal: bytes of a file, or Philox's numbers of --seed. */
static int draw_diagonal(uint8_t *diagonal, size_t n, const struct values *v, struct kl_error *err)
{
    FILE *file;
    for (size_t i = 0; !v->hash_seed && i < n; i++) {
        uint32_t words[4];
        if (i % 16 == 0) {
            kl_philox(words, (uint64_t)v->common.seed, (uint32_t)(i / 16), KL_RANDOM_HASH, 0, 0);
            memcpy(diagonal + i, words, n - i < 16 ? n - i : 16);
        }
    }
    if (!v->hash_seed) return KL_OK;
    if (!(file = fopen(v->hash_seed, "rb")))
        return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", v->hash_seed);
    const size_t found = fread(diagonal, 1, n, file);
    fclose(file);
    return found == n ? KL_OK
                      : kl_fail(err, KL_EDATA, "%s: %zu bytes, expected at least %zu to draw the matrix",
                                v->hash_seed, found, n);
}

static int begin_toeplitz(struct work *w, struct kl_error *err)
{
    const struct values *v = w->v;
    if (!(v->entropy > 0))
        return kl_fail(err, KL_EUSAGE,
                       "--extract toeplitz needs --min-entropy H, bits a bit; tournament --nist "
                       "estimates it");
    if (v->block_bits % 64)
        return kl_fail(err, KL_EUSAGE, "--block-bits: found %lld, expected a multiple of 64",
                       (long long)v->block_bits);
    w->n_in = (size_t)v->block_bits;
    w->n_out = kl_leftover_bits(v->entropy * (double)w->n_in, v->security) / 8 * 8;
    if (w->n_out > w->n_in) w->n_out = w->n_in;
    if (w->n_out == 0)
        return kl_fail(err, KL_EUSAGE,
                       "blocks of %zu bits with %g bits of min-entropy hold nothing within 2^-%g of "
                       "uniform; give a larger --block-bits, or a smaller --security",
                       w->n_in, v->entropy * (double)w->n_in, v->security);
    const size_t bytes = (w->n_in + w->n_out) / 8;
    uint8_t *diagonal = malloc(bytes);
    if (!diagonal) return kl_fail_memory(err, bytes);
    int code = draw_diagonal(diagonal, bytes, v, err);
    if (!code) code = kl_toeplitz_create(&w->hash, diagonal, w->n_in, w->n_out, err);
    free(diagonal);
    return code;
}

static void append(struct work *w, const uint64_t *row, size_t n)
{
    for (size_t i = 0; 64 * i < n; i++) {
        const size_t at = (w->n_waiting + 64 * i) / 64, shift = (w->n_waiting + 64 * i) % 64;
        if (shift == 0) w->waiting[at] = row[i];
        else {
            w->waiting[at] = (w->waiting[at] & (((uint64_t)1 << shift) - 1)) | row[i] << shift;
            w->waiting[at + 1] = row[i] >> (64 - shift);
        }
    }
    w->n_waiting += n;
}

static unsigned char reversed(unsigned char byte)
{
    return (unsigned char)kl_bits_reverse(byte);
}

/* All whole blocks that wait. */
static int hash_blocks(struct work *w, struct kl_error *err)
{
    const size_t words = w->n_in / 64, blocks = w->n_waiting / w->n_in;
    int code = KL_OK;
    for (size_t b = 0; !code && b < blocks; b++) {
        kl_toeplitz_apply(w->hash, w->out, (const uint8_t *)(w->waiting + b * words));
        for (size_t i = 0; i < w->n_out / 8; i++) w->out[i] = reversed(w->out[i]);
        code = kl_raw_write(w->raw, w->out, w->n_out / 8, err);
        w->written += w->n_out;
    }
    w->n_waiting -= blocks * w->n_in;
    memmove(w->waiting, w->waiting + blocks * words, (w->n_waiting + 63) / 64 * sizeof *w->waiting);
    return code;
}

/* ---- von Neumann: symbols are paired within rows, so never those of two devices ---- */

static int keep_bits(struct work *w, size_t n, struct kl_error *err)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        w->byte = (unsigned char)(w->byte << 1 | w->out[i]);
        if (++w->filled < 8) continue;
        w->out[bytes++] = w->byte; /* overtakes nothing: eight bits were read for it */
        w->filled = 0;
    }
    w->written += 8 * bytes;
    return bytes ? kl_raw_write(w->raw, w->out, bytes, err) : KL_OK;
}

/* Whole bytes of a block of rows at once. */
static int pair_rows(struct work *w, const struct kl_bits *block, struct kl_error *err)
{
    const size_t n = block->n_bits / (size_t)block->symbol_bits;
    int code = KL_OK;
    for (size_t r = 0; !code && r < block->n_rows; r++) {
        const uint64_t *row = kl_bits_row(block, r);
        for (size_t k = 0; k < n; k++)
            w->symbols[k] = (uint8_t)kl_bits_symbol(row, k, block->symbol_bits);
        code = keep_bits(w, kl_von_neumann(w->out, w->symbols, n), err);
    }
    return code;
}

/* ---- both ---- */

static int make_room(struct work *w, size_t n, struct kl_error *err)
{
    w->room = (n + w->n_in) / 64 + SPARE_WORDS;
    w->out = malloc(n + w->n_out + 1);
    w->symbols = malloc(n + 1);
    w->waiting = malloc(w->room * sizeof *w->waiting);
    return w->out && w->symbols && w->waiting ? KL_OK
                                              : kl_fail_memory(err, w->room * sizeof *w->waiting);
}

static int take_block(struct work *w, const struct kl_bits *block, struct kl_error *err)
{
    int code = KL_OK;
    w->read += (uint64_t)block->n_rows * block->n_bits;
    if (!w->hash) return pair_rows(w, block, err);
    for (size_t r = 0; !code && r < block->n_rows; r++) {
        append(w, kl_bits_row(block, r), block->n_bits);
        if (w->n_waiting >= w->n_in) code = hash_blocks(w, err);
    }
    return code;
}

static int take_inputs(struct work *w, const struct kl_watch *watch, struct kl_error *err)
{
    const struct kl_stage *stage = &w->run->stage;
    const struct kl_bits_how how = { .symbol_bits = (int)w->v->symbol_bits,
                                     .packed = w->v->packed,
                                     .row_bits = (size_t)w->v->row_bits };
    struct kl_bits_inputs in = { 0 };
    const struct kl_bits *block = NULL;
    int code = kl_bits_inputs_open(&in, stage->inputs, stage->n_inputs, &how, err);
    if (!code) code = make_room(w, in.n_bits, err);
    while (!code && !(code = kl_bits_inputs_next(&in, &block, err)) && block->n_rows) {
        code = take_block(w, block, err);
        if (!code && kl_watch_step(watch, w->read, (uint64_t)in.expected_rows * in.n_bits, NULL))
            code = kl_fail(err, KL_ESIGNAL, "stopped");
    }
    if (!code) kl_bits_note_dropped(stage->log, in.n_dropped, in.n_bits);
    if (!code && w->hash && w->n_waiting)
        kl_note(stage->log, 1, "%zu bit%s at the end fill no block of %zu: left out", w->n_waiting,
                kl_s(w->n_waiting), w->n_in);
    kl_bits_inputs_close(&in);
    return code;
}

static int report(const struct work *w, FILE *out, struct kl_error *err)
{
    const struct values *v = w->v;
    const double seconds = kl_clock() - w->run->stage.start;
    const double share = w->read ? (double)w->written / (double)w->read : 0;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, v->common.output, 0 },
        { "method", KL_JSON_TEXT, v->method, 0 },
        { "bits", KL_JSON_COUNT, NULL, (double)w->read },
        { "extracted", KL_JSON_COUNT, NULL, (double)w->written },
        { "rate", KL_JSON_NUMBER, NULL, share },
        { "block_bits", KL_JSON_COUNT, NULL, (double)w->n_in },
        { "block_extracted", KL_JSON_COUNT, NULL, (double)w->n_out },
        { "seconds", KL_JSON_NUMBER, NULL, seconds },
    };
    if (v->common.json) return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
    if (v->common.quiet) return KL_OK;
    fprintf(out, "%s: %llu of %llu bits, %.4f a bit", v->common.output, (unsigned long long)w->written,
            (unsigned long long)w->read, share);
    if (w->hash)
        fprintf(out, "; blocks of %zu to %zu, 2^-%g from uniform if they hold %g a bit", w->n_in,
                w->n_out, v->security, v->entropy);
    fprintf(out, "; %.1f MB/s, %.1f s\n", (double)w->read / 8e6 / seconds, seconds);
    return KL_OK;
}

/* Bits bear no mark of ours: what is there could be anything. */
static int check_target(const struct kl_common *common, struct kl_error *err)
{
    struct stat s;
    if (common->force || stat(common->output, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size == 0)
        return KL_OK;
    return kl_fail(err, KL_EUSAGE, "%s: is there already; give another name, or --force to replace it",
                   common->output);
}

static int work(struct work *w, struct kl_error *err)
{
    const struct kl_stage *stage = &w->run->stage;
    const struct kl_common *common = &w->v->common;
    struct kl_progress progress;
    if (!stage->n_inputs)
        return kl_fail(err, KL_EUSAGE, "no input, expected BITS...; see tournament --extract=%s --help",
                       w->v->method);
    if (!common->output) return kl_fail(err, KL_EUSAGE, "no output; give -o OUT.bin");
    int code = kl_target_no_input(common->output, stage->inputs, stage->n_inputs, err);
    if (!code && w->v->hash_seed) code = kl_target_no_input(common->output, &w->v->hash_seed, 1, err);
    if (!code) code = check_target(common, err);
    if (!code && strcmp(w->v->method, "toeplitz") == 0) code = begin_toeplitz(w, err);
    if (!code) code = kl_raw_open(&w->raw, common->output, err);
    kl_progress_begin(&progress, stage->log, common->progress, "bits");
    if (!code) code = take_inputs(w, &progress.watch, err);
    kl_progress_end(&progress);
    if (!code && !w->written)
        code =
            kl_fail(err, KL_EDATA, "%s: %llu bits give none; expected more of them%s", stage->inputs[0],
                    (unsigned long long)w->read, w->hash ? ", or a smaller --block-bits" : "");
    if (!code) code = kl_raw_publish(&w->raw, err);
    return code ? code : report(w, kl_words_to(common), err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    int code = work(&w, err);
    kl_raw_abort(&w.raw);
    kl_toeplitz_free(&w.hash);
    free(w.out), free(w.symbols), free(w.waiting);
    return code;
}

const struct kl_mode kl_mode_extractor = { &kl_extractor_tool, defaults, run, NULL };
