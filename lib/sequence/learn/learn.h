/* SPDX-License-Identifier: MIT
   learn: what trains a net on windows (qseq train): options, its learner, its file, and that file read
   again. */
#ifndef KL_SEQUENCE_LEARN_H
#define KL_SEQUENCE_LEARN_H

#include "sequence/learn/fitted.h"
#include "sequence/model/model.h"
#include "sequence/windows/windows.h"
#include "store/kind.h"
#include "train/stage.h"

enum { KL_SEQUENCE_MODEL_SCHEMA = 1, KL_SEQUENCE_TRAIN_VERSION = 2 };
extern const struct kl_kind kl_sequence_model_kind;
extern const struct kl_tool kl_sequence_train_tool, kl_sequence_sweep_tool;
extern const struct kl_mode kl_sequence_mode_train, kl_sequence_mode_sweep;
extern const struct kl_train_stage kl_sequence_train_stage;

/* ---- what a user says (mode_train.c) ---- */
struct kl_sequence_train_values {
    struct kl_common common;
    struct kl_train_settings train;
    const char *model, *revision, *twin_of, *split, *standardise, *align, *profile, *judge, *tested;
    int64_t qubits, layers, gate_layers, width, state, filters, spatial, taps, fold, folds, split_seed;
    double dropout, test_fraction; /* dropout negative: the net's usual one */
    bool bare, logit_dropout, frozen;
    /* settled */
    struct kl_sequence_model_options net;
    struct kl_sequence_split_options parts;
    struct kl_sequence_standard_options standard;
    bool reference, by_accuracy, last;
};
struct kl_sequence_sweep_values {
    struct kl_sequence_train_values v;
    struct kl_sweep_settings sweep;
};
void kl_sequence_train_defaults(void *values);
/* The split that the words name. */
struct kl_sequence_split_options kl_sequence_train_parts(const struct kl_sequence_train_values *v);
/* Words into the settled fields. Of standardise, judge, tested what is NULL takes the profile's
   value. */
int kl_sequence_train_settle(void *values, struct kl_error *err);

/* ---- a model's file (model_file.c) ---- */
struct kl_sequence_learner;
int kl_sequence_model_save(const struct kl_sequence_learner *learner, struct kl_writer *writer,
                           struct kl_error *err);
/* The contents of a model's file. */
struct kl_sequence_learned {
    struct kl_sequence_fitted
        *fitted; /* of qseq fit: in place of net (shape, n_parameters) and params */
    struct kl_sequence_net net;
    size_t replicas;
    int64_t first_replica;
    float *params; /* (replicas, net.block.size), aligned: those that are to be tested */
    struct kl_sequence_standard standard; /* own: of those in training */
    char *model, *twin_of, *split, *unit,
        *preprocessing;  /* the last two of the windows; NULL: not said */
    double steps_before; /* of a window, before its event; NaN: not said */
    bool leak, across;   /* the split's windows are random; its people are apart */
    char **class_names, **channel_names;
    size_t n_classes, n_channels;
    /* Every window that the split was made of. */
    size_t n, n_files, n_people, n_recordings;
    char **contents; /* (n_files) of the files of windows, in the set's order */
    int32_t *file_n; /* (n_files) windows of each */
    int32_t *part;   /* (n) -1: none */
    int32_t *person, *recording;
    int64_t *digests; /* (n) kl_sequence_split_digest; NULL: a file from before version 2 */
    char **people, **recordings;
};
/* A file of kind sequence-model or sequence-fit. Close it in any case. KL_EDATA: what is no such file.
 */
int kl_sequence_learned_open(struct kl_sequence_learned *m, struct kl_file *file, struct kl_error *err);
void kl_sequence_learned_close(struct kl_sequence_learned *m);
/* As kl_sequence_transductive. */
const char *kl_sequence_learned_transductive(const struct kl_sequence_learned *m);
/* The model's name in tables: "hydra", "hydra-frozen", "hydra-twin", "csp-lda". */
enum { KL_SEQUENCE_NAME = 80 };
void kl_sequence_learned_name(char name[KL_SEQUENCE_NAME], const struct kl_sequence_learned *m);

#endif
