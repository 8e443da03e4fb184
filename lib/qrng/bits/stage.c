/* SPDX-License-Identifier: MIT
   What all stages on bits do around their computation, and what identifies bits in keys and in
   records. */
#include "qrng/bits/bits_int.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- identity ---- */
/* The bits themselves, whatever the format they came in. */

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
        if (strcmp(kl_store_file_path(bits->files[i]), path) == 0) return true;
    return false;
}

/* A file by its own digest; what was read from a pipe is gone: by that of the bits. */
static int record_input(struct json_t *record, const char *path, const char *bits, struct kl_error *err)
{
    char hex[65];
    struct stat st;
    const bool piped = strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
    if (piped)
        return kl_store_input_record_as(record, "bits", strcmp(path, "-") == 0 ? KL_BITS_STDIN : path,
                                        "bits", bits, err);
    const int rc = kl_store_input_content(hex, path, err);
    return rc ? rc : kl_store_input_record(record, "bits", path, hex, err);
}

int kl_bits_identify(struct kl_key *key, struct json_t *record, const struct kl_bits *bits,
                     const char *const *paths, size_t n, struct kl_error *err)
{
    char hex[65];
    int rc = kl_bits_content(hex, bits, err);
    if (!rc) rc = kl_store_key_input(key, "bits", hex, err);
    for (size_t i = 0; i < n && !rc; i++)
        if (!is_parent(bits, strcmp(paths[i], "-") == 0 ? KL_BITS_STDIN : paths[i]))
            rc = record_input(record, paths[i], hex, err);
    return rc;
}

/* Compute the digest of a spooled input: it has no name by which the digest could be remembered. */
static int find_spooled(struct kl_bits_source *s, struct kl_error *err)
{
    enum { ROOM = 1 << 18 };
    struct kl_sha256 sha;
    char *buffer = malloc(ROOM);
    if (!buffer) return kl_fail_memory(err, ROOM);
    int rc = kl_sha256_begin(&sha, err);
    if (rc) {
        free(buffer);
        return rc;
    }
    for (uint64_t at = 0; at < s->size && !rc; at += ROOM) {
        const size_t n = s->size - at < ROOM ? (size_t)(s->size - at) : ROOM;
        rc = kl_store_pread_all(s->fd, buffer, n, at, s->path, err);
        if (!rc) kl_sha256_add(&sha, buffer, n);
    }
    kl_sha256_end(&sha, rc ? NULL : s->content);
    free(buffer);
    return rc;
}

static int source_content(char hex[65], struct kl_bits_source *s, struct kl_error *err)
{
    if (!s->spooled) return kl_store_input_content(hex, s->path, err);
    const int rc = *s->content ? KL_OK : find_spooled(s, err);
    memcpy(hex, s->content, sizeof s->content);
    return rc;
}

/* The name of a device without a label is part of the result; the folder it is in is not. */
static int key_name(struct kl_key *key, size_t i, const char *path, struct kl_error *err)
{
    char part[32], name[KL_BITS_NAME];
    snprintf(part, sizeof part, "name %zu", i + 1);
    kl_bits_name(name, path);
    return kl_store_key_text(key, part, name, err);
}

int kl_bits_inputs_identify(struct kl_key *key, struct json_t *record, struct kl_file **files,
                            size_t *n_files, const struct kl_bits_inputs *in, struct kl_error *err)
{
    int rc = KL_OK;
    *n_files = 0;
    for (size_t i = 0; i < in->n && !rc; i++) {
        char hex[65];
        struct kl_bits_source *s = in->sources[i];
        if (s->file) {
            files[(*n_files)++] = s->file;
            rc = kl_store_key_input(key, "bits", kl_store_file_content(s->file), err);
            continue;
        }
        rc = source_content(hex, s, err);
        if (!rc) rc = kl_store_key_input(key, "bits", hex, err);
        if (!rc && !s->labelled) rc = key_name(key, i, s->path, err);
        if (!rc) rc = kl_store_input_record(record, "bits", s->path, hex, err);
    }
    return rc;
}

/* ---- begin and end of a stage ---- */

int kl_bits_key(struct kl_key *key, struct json_t *record, const struct kl_bits *bits,
                const struct kl_stage *stage, struct kl_error *err)
{
    /* The bits' digest has it, but who compares two keys should not look for other data. */
    const int code = kl_store_key_integer(key, "symbol_bits", bits->symbol_bits, err);
    return code ? code : kl_bits_identify(key, record, bits, stage->inputs, stage->n_inputs, err);
}

int kl_bits_note(const struct kl_stage *stage, const struct kl_bits *bits, bool repeats,
                 struct kl_error *err)
{
    const struct kl_log *log = stage->log;
    kl_bits_note_dropped(log, bits->n_dropped, bits->n_bits);
    kl_bits_note_narrow(log, bits->used_bits, bits->symbol_bits);
    if (repeats && !bits->n_files) kl_bits_note_rows(log, bits->n_rows, bits->n_bits, bits->n_devices);
    const int code = repeats ? kl_bits_note_repeats(log, bits, true, err) : KL_OK;
    return code ? code : kl_bits_note_names(log, stage->inputs, bits->names, stage->n_inputs, err);
}
