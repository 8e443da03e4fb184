/* SPDX-License-Identifier: MIT
   tournament --extract METHOD BITS... -o OUT.bin: rows one after another to nearly uniform bytes, by
   blocks, so that inputs may be larger than memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/inline/philox.h"
#include "qrng/bits/bits.h"
#include "qrng/bits/options.h"
#include "qrng/extractor/extractor.h"
#include "qrng/nist/nist.h"
#include "store/mode.h"

#define METHODS "toeplitz|von-neumann"

struct values {
    struct kl_common common;
    int64_t symbol_bits, row_bits, block_bits;
    double entropy, security;
    const char *method, *hash_seed, *encoding;
    bool packed;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "extract", 0, KL_OPT_CHOICE, AT(method), METHODS, 0, 0, true, "nearly uniform bits", "Bits",
      NULL },
    { "symbol-bits", 0, KL_OPT_INT, AT(symbol_bits), "N", 1, KL_BITS_SYMBOL, true,
      "bits measured together, as 2 of two qubits; else the file's, or 1", NULL, NULL },
    KL_PACKED_OPTIONS(AT(packed), AT(encoding), AT(row_bits), NULL),
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
               "  tournament --extract von-neumann devices.txt --symbol-bits 2 -o fair.bin",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store dry-run key threads note no-provenance",
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
    struct kl_extraction e;
    struct kl_dependence dependence; /* of von Neumann's symbols */
    char dependent[KL_BITS_NAME];    /* the device of it; empty: none */
    struct kl_entropy_claim claim;   /* of --min-entropy */
    struct kl_first_rows first;
};

/* ---- Toeplitz ---- */

/* The diagonal: bytes of a file, or Philox's numbers of --seed. */
static int draw_diagonal(uint8_t *diagonal, size_t n, const struct work *w, struct kl_error *err)
{
    const struct kl_stage *stage = &w->run->stage;
    if (w->v->hash_seed)
        return kl_extractor_hash_seed_read(diagonal, n, w->v->hash_seed, stage->inputs, stage->n_inputs,
                                           err);
    for (size_t i = 0; i < n; i += 16) {
        uint32_t words[4];
        kl_philox(words, (uint64_t)w->v->common.seed, (uint32_t)(i / 16), KL_RANDOM_HASH, 0, 0);
        memcpy(diagonal + i, words, n - i < 16 ? n - i : 16);
    }
    return KL_OK;
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
    w->e.n_in = (size_t)v->block_bits;
    w->e.n_out = kl_nist_leftover_bits(v->entropy * (double)w->e.n_in, v->security) / 8 * 8;
    if (w->e.n_out > w->e.n_in) w->e.n_out = w->e.n_in;
    if (w->e.n_out == 0)
        return kl_fail(err, KL_EUSAGE,
                       "blocks of %zu bits with %g bits of min-entropy hold nothing within 2^-%g of "
                       "uniform; give a larger --block-bits, or a smaller --security",
                       w->e.n_in, v->entropy * (double)w->e.n_in, v->security);
    const size_t bytes = (w->e.n_in + w->e.n_out) / 8;
    uint8_t *diagonal = malloc(bytes);
    if (!diagonal) return kl_fail_memory(err, bytes);
    int code = draw_diagonal(diagonal, bytes, w, err);
    if (!code) code = kl_extractor_toeplitz_create(&w->e.hash, diagonal, w->e.n_in, w->e.n_out, err);
    free(diagonal);
    return code;
}

/* ---- rows in, bytes out ---- */

/* Von Neumann's bits are uniform only if symbols are independent. */
static int judge_symbols(struct work *w, const struct kl_bits_inputs *in, struct kl_error *err)
{
    char p[KL_DEPENDENCE_TEXT];
    const int code = kl_bits_dependence_counted(&w->dependence, &w->e.counts, err);
    if (code || !kl_bits_may_depend(&w->dependence)) return code;
    memcpy(w->dependent, in->names[w->dependence.device], sizeof w->dependent);
    kl_bits_dependence_p(p, &w->dependence);
    kl_caution(w->run->stage.log,
               "symbols of %d bit%s %s on each other (%s, device %s), so what comes out need not be "
               "uniform; %stake --extract toeplitz",
               in->symbol_bits, kl_s((unsigned)in->symbol_bits), kl_bits_depend_words(&w->dependence), p,
               w->dependent,
               w->v->symbol_bits || in->symbol_bits > 1 ? "" : "declare --symbol-bits, or ");
    return KL_OK;
}

/* "0", "01101" */
static void name_word(char text[KL_BITS_SYMBOL + 1], const struct kl_entropy_verdict *of)
{
    for (int i = 0; i < of->width; i++) text[i] = (char)('0' + (of->word >> i & 1));
    text[of->width] = '\0';
}

/* Compare the entropy that was vouched for with what the bits show. */
static int judge_claim(struct work *w, const struct kl_bits_inputs *in, struct kl_error *err)
{
    const struct kl_entropy_verdict of = kl_extractor_entropy_claim_judge(&w->claim);
    const double claimed = w->v->entropy, most = floor(1000 * of.most) / 1000;
    char word[KL_BITS_SYMBOL + 1], remedy[64] = "no extraction makes random bits of these";
    if (claimed <= of.most) return KL_OK;
    if (!of.refuted) {
        kl_caution(
            w->run->stage.log,
            "--min-entropy %g is above %.3f, the most that the commonest value of the bits allows "
            "(SP 800-90B, 6.3.1): vouch for it by more of them, or give at most %.3f",
            claimed, most, most);
        return KL_OK;
    }
    name_word(word, &of);
    if (most > 0) snprintf(remedy, sizeof remedy, "give at most %.3f (SP 800-90B, 6.3.1)", most);
    return kl_fail(
        err, KL_EDATA,
        "%s: --min-entropy %g: found %.3f bits a bit by the commonest value alone (device %s: "
        "%s comes %llu times in %llu); %s",
        in->paths[in->n > 1 ? of.device : 0], claimed,
        fabs(log2((double)of.count / (double)of.words)) / of.width, in->names[of.device], word,
        (unsigned long long)of.count, (unsigned long long)of.words, remedy);
}

/* Any two rows whose bits hold what was vouched for are equal with a probability of 2^-(H n). */
static bool are_copies(const struct kl_bits_repeats *r, double claimed, size_t n_bits)
{
    const double rows = (double)r->n_rows;
    return r->copies || (r->n && 0.5 * rows * rows * exp2(-claimed * (double)n_bits) < 1e-9);
}

static int judge_repeats(const struct work *w, struct kl_error *err)
{
    const struct kl_bits *first = &w->first.bits;
    struct kl_bits_repeats r;
    const int code = kl_bits_repeats(&r, first, err);
    if (code || !are_copies(&r, w->e.hash ? w->v->entropy : 0, first->n_bits)) return code;
    kl_caution(
        w->run->stage.log,
        "%zu of %s%zu rows occur more than once, which is no chance: a copy holds nothing new, so "
        "what comes out is not uniform",
        r.n, w->first.all ? "" : "the first ", r.n_rows);
    return KL_OK;
}

static int judge(struct work *w, const struct kl_bits_inputs *in, struct kl_error *err)
{
    const int code = w->e.hash ? judge_claim(w, in, err) : judge_symbols(w, in, err);
    return code ? code : judge_repeats(w, err);
}

static int take_block(struct work *w, const struct kl_bits *block, struct kl_error *err)
{
    int code = kl_extractor_take(&w->e, block, err);
    if (!code && w->e.hash) code = kl_extractor_entropy_claim_take(&w->claim, block, err);
    return code ? code : kl_bits_first_rows_take(&w->first, block, err);
}

static int take_inputs(struct work *w, const struct kl_watch *watch, struct kl_error *err)
{
    const struct kl_stage *stage = &w->run->stage;
    const struct kl_bits_how how = { .symbol_bits = (int)w->v->symbol_bits,
                                     .packed = w->v->packed,
                                     .encoding = w->v->encoding,
                                     .row_bits = (size_t)w->v->row_bits };
    struct kl_bits_inputs in = { 0 };
    const struct kl_bits *block = NULL;
    int code = kl_bits_inputs_open(&in, stage->inputs, stage->n_inputs, &how, err);
    if (!code) code = kl_extractor_begin(&w->e, in.n_bits, err);
    while (!code && !(code = kl_bits_inputs_next(&in, &block, err)) && block->n_rows) {
        code = take_block(w, block, err);
        if (!code && kl_watch_step(watch, w->e.read, (uint64_t)in.expected_rows * in.n_bits, NULL))
            code = kl_fail(err, KL_ESIGNAL, "stopped");
    }
    if (!code) kl_bits_note_dropped(stage->log, in.n_dropped, in.n_bits);
    if (!code) kl_bits_note_narrow(stage->log, in.used_bits, in.symbol_bits);
    if (!code) code = judge(w, &in, err);
    if (!code && w->e.hash && w->e.n_waiting)
        kl_caution(stage->log, "%zu bit%s at the end fill no block of %zu: left out", w->e.n_waiting,
                   kl_s(w->e.n_waiting), w->e.n_in);
    if (!code && w->e.filled)
        kl_caution(stage->log, "%d bit%s at the end fill no byte: left out", w->e.filled,
                   kl_s((unsigned long long)w->e.filled));
    kl_bits_inputs_close(&in);
    return code;
}

static int report(const struct work *w, FILE *out, struct kl_error *err)
{
    const struct values *v = w->v;
    const double seconds = kl_clock() - w->run->stage.start;
    const double share = w->e.read ? (double)w->e.written / (double)w->e.read : 0;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, v->common.output, 0 },
        { "method", KL_JSON_TEXT, v->method, 0 },
        { "bits", KL_JSON_COUNT, NULL, (double)w->e.read },
        { "extracted", KL_JSON_COUNT, NULL, (double)w->e.written },
        { "rate", KL_JSON_NUMBER, NULL, share },
        { "block_bits", KL_JSON_COUNT, NULL, (double)w->e.n_in },
        { "block_extracted", KL_JSON_COUNT, NULL, (double)w->e.n_out },
        { "dependence_log10_p", KL_JSON_NUMBER, NULL, w->e.hash ? NAN : w->dependence.log10_p },
        { "dependence_device", KL_JSON_TEXT, w->dependent, 0 },
        kl_json_cautions(w->run->stage.log),
        { "seconds", KL_JSON_NUMBER, NULL, seconds },
    };
    if (v->common.json) return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
    if (v->common.quiet) return KL_OK;
    fprintf(out, "%s: %llu of %llu bits, %.4f a bit", v->common.output, (unsigned long long)w->e.written,
            (unsigned long long)w->e.read, share);
    if (w->e.hash)
        fprintf(out, "; blocks of %zu to %zu, 2^-%g from uniform if they hold %g a bit", w->e.n_in,
                w->e.n_out, v->security, v->entropy);
    fprintf(out, "; %.1f MB/s, %.1f s\n", (double)w->e.read / 8e6 / seconds, seconds);
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

/* Refuse options that were given and have no effect. */
static int refuse(const struct values *v, struct kl_error *err)
{
    struct values none = { 0 };
    int code = KL_OK;
    defaults(&none);
    if (strcmp(v->method, "toeplitz") != 0)
        code = kl_options_refuse(&kl_extractor_tool, v, &none,
                                 "min-entropy security block-bits hash-seed seed",
                                 "is of --extract toeplitz alone", err);
    if (!code && v->hash_seed)
        code = kl_options_refuse(&kl_extractor_tool, v, &none, "seed",
                                 "draws nothing beside --hash-seed", err);
    return code;
}

static int work(struct work *w, struct kl_error *err)
{
    const struct kl_stage *stage = &w->run->stage;
    const struct kl_common *common = &w->v->common;
    struct kl_progress progress;
    int code = refuse(w->v, err);
    if (!code) code = kl_store_target_no_input(common->output, stage->inputs, stage->n_inputs, err);
    if (!code && w->v->hash_seed)
        code = kl_store_target_no_input(common->output, &w->v->hash_seed, 1, err);
    if (!code) code = check_target(common, err);
    if (!code && strcmp(w->v->method, "toeplitz") == 0) code = begin_toeplitz(w, err);
    if (!code) code = kl_store_raw_open(&w->e.raw, common->output, err);
    kl_progress_begin(&progress, stage->log, common->progress, "bits");
    if (!code) code = take_inputs(w, &progress.watch, err);
    kl_progress_end(&progress);
    if (!code && !w->e.written)
        code =
            kl_fail(err, KL_EDATA, "%s: %llu bits give none; expected more of them%s", stage->inputs[0],
                    (unsigned long long)w->e.read, w->e.hash ? ", or a smaller --block-bits" : "");
    if (!code) code = kl_store_raw_publish(&w->e.raw, err);
    return code ? code : report(w, kl_words_to(common), err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    w.claim.entropy = w.v->entropy;
    int code = work(&w, err);
    kl_store_raw_abort(&w.e.raw);
    kl_extractor_toeplitz_free(&w.e.hash);
    kl_extractor_end(&w.e);
    kl_extractor_entropy_claim_free(&w.claim);
    kl_bits_first_rows_free(&w.first);
    return code;
}

const struct kl_mode kl_mode_extractor = { .tool = &kl_extractor_tool,
                                           .defaults = defaults,
                                           .run = run };
