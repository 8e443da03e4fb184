/* SPDX-License-Identifier: MIT
   What bits are, for keys and records: the bits themselves, whatever the format they came in. */
#include <string.h>

#include "qrng/bits.h"

int kl_bits_content(char hex[65], const struct kl_bits *b, struct kl_error *err)
{
    struct kl_sha256 sha;
    char head[128];
    int rc = kl_sha256_begin(&sha, err);
    if (rc) return rc;
    snprintf(head, sizeof head, "device bits: %zu rows of %zu, symbols of %d, %d devices", b->n_rows,
             b->n_bits, b->symbol_bits, b->n_devices);
    kl_sha256_add(&sha, head, sizeof "" + strlen(head));
    kl_sha256_add(&sha, b->names, (size_t)b->n_devices * sizeof *b->names);
    kl_sha256_add(&sha, b->device, b->n_rows * sizeof *b->device);
    kl_sha256_add(&sha, b->words, b->n_rows * b->words_per_row * sizeof *b->words);
    kl_sha256_end(&sha, hex);
    return KL_OK;
}

/* Our files are parents of the record. */
static bool is_parent(const struct kl_bits *bits, const char *path)
{
    for (size_t i = 0; i < bits->n_files; i++)
        if (strcmp(kl_file_path(bits->files[i]), path) == 0) return true;
    return false;
}

int kl_bits_identify(struct kl_key *key, struct json_t *record, const struct kl_bits *bits,
                     const char *const *paths, size_t n, struct kl_error *err)
{
    char hex[65];
    int rc = kl_bits_content(hex, bits, err);
    if (!rc) rc = kl_key_input(key, "bits", hex, err);
    for (size_t i = 0; i < n && !rc; i++) {
        const char *path = strcmp(paths[i], "-") == 0 ? KL_BITS_STDIN : paths[i];
        if (!is_parent(bits, path)) rc = kl_input_record(record, "bits", path, hex, err);
    }
    return rc;
}
