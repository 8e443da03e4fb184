/* SPDX-License-Identifier: MIT
   Parameters of heads to and from other programs. The names are ours (struct kl_head_model), with
   preceded by a dimension over replicas where there are several. */
#ifndef KL_HEAD_EXCHANGE_H
#define KL_HEAD_EXCHANGE_H

#include "head/head.h"
#include "weights/weights.h"

struct kl_file;
struct kl_writer;

/* The parameters of one replica of a head file, or of all (-1), which then have a leading dimension.
   KL_EDATA, KL_EUSAGE (no such replica), KL_ENOMEM. Free with kl_weights_free. */
int kl_head_export(struct kl_weights **weights, struct kl_file *head, int64_t replica,
                   struct kl_error *err);
/* The file of these weights, with the head's key, configuration, classes and the origin of the features
   that it was trained on (exchange.c). malloc'ed.
   KL_EDATA, KL_ENOMEM. */
int kl_head_export_bytes(unsigned char **bytes, size_t *n, const struct kl_weights *weights,
                         struct kl_file *head, int64_t replica, enum kl_weights_format format,
                         struct kl_error *err);

/* A program in Python that is one replica: PyTorch's layers around a circuit in PennyLane, weights by
   h5py from the head's file, which must lie beside it; tests/python/head_in_torch.py. malloc'ed; it
   begins with the mark. KL_EUSAGE: the head has no circuit, or no such replica; KL_EDATA, KL_ENOMEM.
   (python.c) */
#define KL_PYTHON_MARK "#!/usr/bin/env python3\n\"\"\""
int kl_head_python(char **text, size_t *n, struct kl_file *head, int64_t replica,
                   const struct kl_log *log, struct kl_error *err);
/* Is such a program, n bytes of text, as it was written? KL_ENOMEM. */
int kl_head_python_unedited(bool *unedited, const char *text, size_t n, struct kl_error *err);

struct kl_head_import {
    const struct kl_head_options *options;
    const struct kl_weights *weights;
    const char *path; /* of the weights, for messages */
    const char *map;  /* "reduce.0=fc1,vqc.weight=initial+layers"; "": none (exchange.c) */
    const struct kl_log *log;
};
/* Datasets and attributes of a head that qeval takes: its parameters out of weights, the classes and the
   number of inputs of the features, config. A weight of a layer is [out, in], as in PyTorch; the
   circuit's are a list, or have the shape of kl_circuit_weight_shape. KL_EDATA: a tensor is absent, has
   another shape, or holds a value that is not finite, or the weights name other classes; KL_EUSAGE,
   KL_ENOMEM. */
int kl_head_import(struct kl_writer *writer, const struct kl_head_import *import,
                   const struct kl_features *features, const char *config, struct kl_error *err);

/* A caution on each option of the head, by name, that is not what the weights' own configuration says
   (`made`, `taken`: JSON as of kl_options_json; exchange.c). KL_EDATA, KL_ENOMEM. */
int kl_head_import_options(const struct kl_log *log, const char *path, const char *made,
                           const char *taken, struct kl_error *err);

/* ---- exchange.c ---- */
/* The file's name for our tensor `name`: one name or several joined by '+'; an entry of a layer
   ("reduce.0=fc1") is one of its weight and its bias. KL_EUSAGE if it is too long. */
enum { KL_THEIR_NAME = 512 };

#endif
