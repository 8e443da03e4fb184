/* SPDX-License-Identifier: MIT
   Reading and writing weights in every format while memory and reads fail. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/test_folder.h"
#include "each.h"
#include "weights/weights.h"

static const char *path;
static char digest[65];

static int digest_of(char hex[65], const struct kl_weights *w, struct kl_error *err)
{
    struct kl_sha256 sha;
    int rc = kl_sha256_begin(&sha, err);
    if (rc) return rc;
    for (size_t i = 0; i < w->n; i++) {
        kl_sha256_add(&sha, w->tensors[i].name, strlen(w->tensors[i].name));
        kl_sha256_add(&sha, w->tensors[i].data, w->tensors[i].n * sizeof *w->tensors[i].data);
    }
    if (w->config) kl_sha256_add(&sha, w->config, strlen(w->config));
    kl_sha256_end(&sha, hex);
    return 0;
}

/* The digest of the first run is what all others must have. */
static int read_file(struct kl_error *err)
{
    struct kl_weights *w = NULL;
    char hex[65];
    int rc = kl_weights_read_named(&w, path, err);
    if (!rc) rc = digest_of(hex, w, err);
    if (!rc && !digest[0]) strcpy(digest, hex);
    if (!rc && strcmp(digest, hex)) rc = kl_fail(err, KL_EINTERNAL, "other weights");
    kl_weights_free(&w);
    return rc;
}

static enum kl_weights_format format;
static const struct kl_weights *written;

static int make(struct kl_error *err)
{
    static const struct kl_weights_word words[] = { { .name = "created_by", .text = "test" },
                                                    { .name = "config", .text = "{}" },
                                                    { "class_names", "ab\0c\0\0", 2, 3 } };
    unsigned char *bytes = NULL;
    size_t n = 0;
    char hex[65];
    int rc = kl_weights_make(&bytes, &n, format, written, words, 3, err);
    if (!rc) rc = kl_sha256_hex(hex, bytes, n, err);
    if (!rc && !digest[0]) strcpy(digest, hex);
    if (!rc && strcmp(digest, hex)) rc = kl_fail(err, KL_EINTERNAL, "other bytes");
    free(bytes);
    return rc;
}

/* Written weights are read again, the words beside the tensors too. */
static void read_back(const char *name)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    struct kl_error err = { 0 };
    static const struct kl_weights_word words[] = { { .name = "created_by", .text = "test" },
                                                    { .name = "config", .text = "{}" } };
    CHECK(kl_weights_make(&bytes, &n, format, written, words, 2, &err) == 0, "%s", err.text);
    FILE *f = fopen(name, "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "%s", name);
    free(bytes);
    path = name;
    digest[0] = 0;
    CHECK(read_file(&err) == 0, "%s", err.text);
    check_each("read back", read_file, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    unlink(name);
}

int main(void)
{
    const char *const files[] = {
        corpus_file("npz/two.npz"),         corpus_file("npz/two-deflated.npz"),
        corpus_file("pth/archive"),         corpus_file("safetensors/config"),
        corpus_file("safetensors/types"),   "tests/golden/weights/strong.pth",
        "tests/golden/weights/design.npz"
    };
    struct kl_error err = { 0 };
    struct kl_weights *w = NULL;
    make_test_folder();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        path = files[i];
        if (access(path, R_OK)) continue;
        digest[0] = 0;
        CHECK(read_file(&err) == 0, "%s", err.text);
        check_each(path, read_file, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
        check_each(path, read_file, FAULT_READ, KL_EIO, KL_EIO);
        check_each(path, read_file, FAULT_OPEN, KL_ENOINPUT, KL_ENOINPUT);
        check_interrupted(path, read_file);
    }
    CHECK(kl_weights_read(&w, files[0], &err) == 0, "%s", err.text);
    written = w;
    for (format = KL_SAFETENSORS; format < KL_NO_FORMAT && written; format++) {
        digest[0] = 0;
        CHECK(make(&err) == 0, "%s", err.text);
        check_each(format == KL_NPZ ? "npz" : "safetensors", make, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
        char name[1024];
        read_back(in_folder(name, "read-back"));
    }
    kl_weights_free(&w);
    return failures != 0;
}
