/* SPDX-License-Identifier: MIT
   weights: tensors by name, as other programs keep them: .safetensors, .npz of NumPy, .pth of PyTorch.
   Nothing in a file is executed or trusted. */
#ifndef KL_WEIGHTS_H
#define KL_WEIGHTS_H

#include "base/base.h"

enum { KL_WEIGHTS_RANK = 4 };
struct kl_weight {
    char name[128]; /* "layer1.0.conv1.weight" */
    int rank;
    size_t dims[KL_WEIGHTS_RANK];
    size_t n;        /* product of dims */
    float *data;     /* converted to float32, row-major */
    char unread[12]; /* a type that is not read, "BOOL": n is 0, and there are no data; else "" */
};
struct kl_weights {
    struct kl_weight *tensors;
    size_t n;
    char *path;              /* of the file, for messages; NULL: it was not read from one */
    char sha256[65];         /* of the file */
    char *config, *features; /* texts that stand beside the tensors under these names; NULL: none */
    /* n_classes strings of name_size bytes each, likewise; NULL: none, or (odd_names) no list of texts
     */
    char *class_names;
    bool odd_names;
    size_t n_classes, name_size;
    char note[256];  /* where in a checkpoint they were, and what there is not used; or "" */
    char prefix[64]; /* before the names that kl_weights_find is asked for, "module."; or "" */
};

/* ---- reading (read.c chooses; safetensors.c, npy.c, pth.c read) ---- */
/* The formats are told apart by their first bytes. KL_ENOINPUT, KL_EDATA, KL_ENOMEM. Free with
   kl_weights_free. */
int kl_weights_read(struct kl_weights **weights, const char *path, struct kl_error *err);
/* The same, of a file whose name may carry its digest (resnet18-f37072fd.pth), which is then checked. */
int kl_weights_read_named(struct kl_weights **weights, const char *path, struct kl_error *err);
const struct kl_weight *kl_weights_find(const struct kl_weights *weights,
                                        const char *name); /* NULL: absent */
/* If there is no tensor `first`, but with the same prefix before it, once, and before `second`: that is
   the prefix, as wrappers of a model leave it. */
void kl_weights_find_prefix(struct kl_weights *weights, const char *first, const char *second);
/* Notes: where they were, the prefix. */
void kl_weights_say(const struct kl_weights *weights, const struct kl_log *log);
const char *kl_weights_path(const struct kl_weights *weights);
/* KL_EDATA: the tensor is of a type that is not read, and it is needed. */
int kl_weights_check_read(const struct kl_weights *weights, const struct kl_weight *tensor,
                          struct kl_error *err);
void kl_weights_free(struct kl_weights **weights); /* accepts NULL, clears the pointer */

/* ---- one array as NumPy keeps it (npy.c) ---- */
struct kl_npy {
    char descr[32]; /* of an element: "<f4", "<U25" */
    bool fortran;
    int rank; /* up to 32; dims has only the first ones */
    size_t dims[KL_WEIGHTS_RANK];
    size_t begin; /* of the elements, from the array's first byte */
};
/* From the first n bytes of an array: all of it, or enough for its header (KL_NPY_HEADER). name: of the
   array, for messages. KL_EDATA. */
enum { KL_NPY_HEADER = 65536 + 12 };
int kl_weights_npy_header(struct kl_npy *array, const char *path, const char *name,
                          const unsigned char *data, size_t n, struct kl_error *err);

/* ---- writing (write_safetensors.c chooses and writes; write_npz.c) ---- */
/* Append a copy of one tensor. KL_EDATA (a name twice or too long), KL_ENOMEM. */
int kl_weights_put(struct kl_weights *weights, const char *name, int rank, const size_t *dims,
                   const float *data, struct kl_error *err);
/* A text that stands beside the tensors, UTF-8. */
struct kl_weights_word {
    const char *name;
    const char *text;
    size_t n_strings, size; /* so many strings of `size` bytes each, padded with NUL; n_strings 0: one */
};
enum kl_weights_format { KL_SAFETENSORS, KL_NPZ, KL_NO_FORMAT };
/* By the ending of the name. */
enum kl_weights_format kl_weights_format(const char *path);
/* The whole file, malloc'ed: float32, in the tensors' order, without a date. The first of the words
   is created_by. In safetensors several strings are one JSON array. KL_EDATA: too large for an .npz
   (4 GiB), KL_ENOMEM. */
int kl_weights_make(unsigned char **bytes, size_t *n, enum kl_weights_format format,
                    const struct kl_weights *weights, const struct kl_weights_word *words,
                    size_t n_words, struct kl_error *err);
/* The bytes by which such a file is known, and where they are. */
const char *kl_weights_mark(size_t *at, enum kl_weights_format format);

#endif
