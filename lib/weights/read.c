/* SPDX-License-Identifier: MIT
   Files of weights: which format, and their tensors as float32. */
#include "weights/weights_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TENSORS = 10000 };
static const size_t MAX_FILE = (size_t)4 << 30;

int kl_weights_count(size_t *n, const char *path, const char *name, int rank, const size_t *dims,
                     struct kl_error *err)
{
    size_t product = 1;
    for (int i = 0; i < rank; i++)
        if (dims[i] > INT64_MAX || __builtin_mul_overflow(product, dims[i], &product))
            return kl_fail(err, KL_EDATA, "%s: tensor %.100s: the product of its sizes overflows", path,
                           name);
    if (product > SIZE_MAX / 16)
        return kl_fail(err, KL_EDATA, "%s: tensor %.100s: %zu elements are too many", path, name,
                       product);
    *n = product;
    return 0;
}

static void convert(struct kl_weight *t, const size_t *strides, const struct kl_cells *elements)
{
    if (!strides) {
        for (size_t i = 0; i < t->n; i++) t->data[i] = (float)kl_weights_element(elements, i);
        return;
    }
    size_t place[4] = { 0 }, at = 0;
    for (size_t i = 0; i < t->n; i++) {
        t->data[i] = (float)kl_weights_element(elements, at);
        for (int d = t->rank - 1; d >= 0; d--) {
            at += strides[d];
            if (++place[d] < t->dims[d]) break;
            at -= strides[d] * t->dims[d];
            place[d] = 0;
        }
    }
}

int kl_weights_add(struct kl_weights *weights, const char *path, const char *name, int rank,
                   const size_t *dims, const size_t *strides, const struct kl_cells *elements,
                   struct kl_error *err)
{
    struct kl_weight t = { .rank = rank };
    if (strlen(name) >= sizeof t.name)
        return kl_fail(err, KL_EDATA, "%s: tensor %.60s...: the name is too long", path, name);
    strcpy(t.name, name);
    if (rank > 4)
        return kl_fail(err, KL_EDATA, "%s: tensor %s: rank %d, expected at most 4", path, name, rank);
    if (weights->n >= MAX_TENSORS)
        return kl_fail(err, KL_EDATA, "%s: more than %d tensors", path, (int)MAX_TENSORS);
    if (kl_weights_find(weights, name))
        return kl_fail(err, KL_EDATA, "%s: tensor %s occurs twice", path, name);
    for (int i = 0; i < rank; i++) t.dims[i] = dims[i];
    int rc = kl_weights_count(&t.n, path, name, rank, dims, err);
    if (rc) return rc;
    if ((weights->n & (weights->n - 1)) == 0) { /* full at each power of two */
        size_t room = weights->n ? 2 * weights->n : 1;
        struct kl_weight *more = realloc(weights->tensors, room * sizeof *more);
        if (!more) return kl_fail_memory(err, room * sizeof *more);
        weights->tensors = more;
    }
    t.data = malloc(t.n ? t.n * sizeof *t.data : 1);
    if (!t.data) return kl_fail_memory(err, t.n * sizeof *t.data);
    convert(&t, strides, elements);
    weights->tensors[weights->n++] = t;
    return 0;
}

int kl_weights_put(struct kl_weights *weights, const char *name, int rank, const size_t *dims,
                   const float *data, struct kl_error *err)
{
    const struct kl_cells elements = { .type = KL_EL_F32, .data = (const unsigned char *)data };
    return kl_weights_add(weights, "tensors", name, rank, dims, NULL, &elements, err);
}

const struct kl_weight *kl_weights_find(const struct kl_weights *weights, const char *name)
{
    const size_t before = strlen(weights->prefix);
    for (size_t i = 0; i < weights->n; i++)
        if (strncmp(weights->tensors[i].name, weights->prefix, before) == 0 &&
            strcmp(weights->tensors[i].name + before, name) == 0)
            return &weights->tensors[i];
    return NULL;
}

void kl_weights_find_prefix(struct kl_weights *weights, const char *first, const char *second)
{
    char prefix[sizeof weights->prefix] = "";
    size_t found = 0;
    if (kl_weights_find(weights, first)) return;
    for (size_t i = 0; i < weights->n; i++) {
        const char *name = weights->tensors[i].name;
        const size_t m = strlen(name), n = strlen(first);
        if (m <= n || m - n >= sizeof prefix || name[m - n - 1] != '.' ||
            strcmp(name + m - n, first) != 0)
            continue;
        snprintf(weights->prefix, sizeof weights->prefix, "%.*s", (int)(m - n), name);
        if (kl_weights_find(weights, second)) memcpy(prefix, weights->prefix, sizeof prefix), found++;
        weights->prefix[0] = 0;
    }
    if (found == 1) memcpy(weights->prefix, prefix, sizeof prefix);
}

void kl_weights_say(const struct kl_weights *weights, const struct kl_log *log)
{
    if (*weights->note) kl_note(log, 1, "%s: %s", kl_weights_path(weights), weights->note);
    if (*weights->prefix)
        kl_note(log, 1, "%s: names are read behind '%s'", kl_weights_path(weights), weights->prefix);
}

int kl_weights_check_read(const struct kl_weights *weights, const struct kl_weight *t,
                          struct kl_error *err)
{
    if (!*t->unread) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: tensor %s: dtype %s, expected F16, BF16, F32, F64, I32 or I64",
                   kl_weights_path(weights), t->name, t->unread);
}

const char *kl_weights_path(const struct kl_weights *weights)
{
    return weights->path ? weights->path : "weights";
}

void kl_weights_free(struct kl_weights **weights)
{
    if (!weights || !*weights) return;
    for (size_t i = 0; i < (*weights)->n; i++) free((*weights)->tensors[i].data);
    free((*weights)->tensors);
    free((*weights)->path);
    free((*weights)->config);
    free((*weights)->features);
    free((*weights)->class_names);
    free(*weights);
    *weights = NULL;
}

static int read_whole(unsigned char **data, size_t *n, const char *path, struct kl_error *err)
{
    int rc;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot open the weights", path);
    if (fstat(fd, &st) < 0) {
        rc = kl_fail_errno(err, KL_EIO, "%s", path);
        goto out;
    }
    if ((rc = kl_regular(&st, path, err))) goto out;
    if ((uint64_t)st.st_size > MAX_FILE) {
        rc = kl_fail(err, KL_EDATA, "%s: %lld bytes are too many for weights", path,
                     (long long)st.st_size);
        goto out;
    }
    *n = (size_t)st.st_size;
    *data = malloc(*n ? *n : 1);
    if (!*data) {
        rc = kl_fail_memory(err, *n);
        goto out;
    }
    for (size_t done = 0; done < *n;) {
        ssize_t got = read(fd, *data + done, *n - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            rc = got < 0 ? kl_fail_errno(err, KL_EIO, "%s: reading", path)
                         : kl_fail(err, KL_EIO, "%s: became shorter while it was read", path);
            goto out;
        }
        done += (size_t)got;
    }
out:
    close(fd);
    return rc;
}

static bool is_hex(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f'))) return false;
    return true;
}

/* torchvision's habit: the first eight digits of the SHA-256 at the end of the name,
   "resnet18-f37072fd.pth". */
static int check_name(const char *path, const char *sha256, struct kl_error *err)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *dot = strrchr(base, '.'), *dash = strrchr(base, '-');
    if (!dot || !dash || dash > dot) return 0;
    size_t n = (size_t)(dot - dash) - 1;
    if (n < 8 || n > 64 || !is_hex(dash + 1, n) || strncmp(dash + 1, sha256, n) == 0) return 0;
    return kl_fail(err, KL_EDATA, "%s: its SHA-256 begins with %.*s, its name says %.*s; fetch it again",
                   path, (int)n, sha256, (int)n, dash + 1);
}

/* An archive whose first member is an array; torch.save begins with its pickle. */
static bool is_npz(const struct kl_bytes *f)
{
    if (f->n < 30 || memcmp(f->data, "PK\3\4", 4) != 0) return false;
    const size_t name = f->data[26] | (size_t)f->data[27] << 8;
    return name >= 4 && f->n - 30 >= name && memcmp(f->data + 30 + name - 4, ".npy", 4) == 0;
}

static int read_weights(struct kl_weights **weights, const char *path, bool named, struct kl_error *err)
{
    struct kl_weights *w = NULL;
    unsigned char *data = NULL;
    struct kl_bytes file = { .path = path };
    int rc = read_whole(&data, &file.n, path, err);
    if (rc) goto out;
    file.data = data;
    if ((rc = kl_no_stand_in(data, file.n, path, err))) goto out;
    if (!(w = calloc(1, sizeof *w)) || !(w->path = strdup(path))) {
        rc = kl_fail_memory(err, sizeof *w);
        goto out;
    }
    if ((rc = kl_sha256_hex(w->sha256, data, file.n, err)) ||
        (named && (rc = check_name(path, w->sha256, err))))
        goto out;
    if (is_npz(&file)) rc = kl_weights_npz_parse(w, &file, err);
    else if (file.n >= 4 && memcmp(data, "PK\3\4", 4) == 0) rc = kl_weights_pth_parse(w, &file, err);
    else if (file.n >= 9 && data[8] == '{') rc = kl_weights_safetensors_parse(w, &file, err);
    else if (file.n >= 2 && data[0] == 0x80 && data[1] >= 1 && data[1] <= 5)
        rc = kl_fail(err, KL_EDATA,
                     "%s: in the old format of torch.save (before PyTorch 1.6), which is not read; "
                     "load it in PyTorch and torch.save it again",
                     path);
    else
        rc = kl_fail(err, KL_EDATA,
                     "%s: neither a .safetensors file, nor an .npz archive of NumPy, nor a .pth archive "
                     "of torch.save",
                     path);
out:
    free(data);
    if (rc) kl_weights_free(&w);
    *weights = w;
    return rc;
}

int kl_weights_read(struct kl_weights **weights, const char *path, struct kl_error *err)
{
    return read_weights(weights, path, false, err);
}

int kl_weights_read_named(struct kl_weights **weights, const char *path, struct kl_error *err)
{
    return read_weights(weights, path, true, err);
}
