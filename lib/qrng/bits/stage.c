/* SPDX-License-Identifier: MIT
   What all stages on bits that were read do around their computation. */
#include <jansson.h>
#include <stdlib.h>

#include "qrng/bits/bits.h"

int kl_bits_begin(enum kl_stage_answer *answer, struct json_t **raw, struct kl_stage *stage,
                  const struct kl_bits *bits, const char *kind, int schema, int numerical_version,
                  FILE *out, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = (*raw = json_object()) ? KL_OK : kl_fail_memory(err, 64);
    if (!code) code = kl_store_key_begin(&key, kind, schema, stage->tool->name, numerical_version, err);
    if (!code) code = kl_store_key_options(key, stage->tool, stage->values, err);
    if (!code) code = kl_store_key_integer(key, "seed", stage->common->seed, err);
    /* The bits' digest has it, but who compares two keys should not look for other data. */
    if (!code) code = kl_store_key_integer(key, "symbol_bits", bits->symbol_bits, err);
    if (!code) code = kl_bits_identify(key, *raw, bits, stage->inputs, stage->n_inputs, err);
    if (!code) code = kl_store_stage_begin(stage, answer, &key, out, err);
    kl_store_key_abort(&key);
    return code;
}

int kl_bits_publish(struct kl_stage *stage, struct kl_writer **writer, const struct kl_bits *bits,
                    const struct json_t *raw, struct kl_error *err)
{
    char *text = NULL;
    int code = kl_json_dump(&text, raw, err);
    if (!code)
        code = kl_store_stage_publish(stage, writer, (const struct kl_file *const *)bits->files,
                                      bits->n_files, text, NULL, err);
    free(text);
    return code;
}
