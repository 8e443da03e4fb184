/* SPDX-License-Identifier: MIT
   The controls of a head with a trained circuit: the same training with another core (head.h), one after
   another, for the same replicas on the same split in the same order of batches. */
#ifndef KL_CONTROLS_H
#define KL_CONTROLS_H

#include "head/head.h"
#include "stats/stats.h"

enum { KL_CONTROLS = KL_CORES - 1 }; /* control i has core i + 1 */

struct kl_controls {
    struct kl_head_model models[KL_CONTROLS];
    struct kl_head_train trains[KL_CONTROLS]; /* whose divergence is borne */
    int n;                                    /* KL_CONTROLS, or 0: not open */
};
const char *kl_head_control_name(int i);
/* features must outlive it. KL_EUSAGE, KL_EDATA, KL_ENOMEM. Close it in any case. */
int kl_head_controls_open(struct kl_controls *c, const struct kl_head_options *head,
                          const struct kl_features *features, const struct kl_train_options *options,
                          int n_threads, struct kl_error *err);
/* As kl_train_run, from wherever each of them is to its end; watch counts the epochs of all. */
int kl_head_controls_run(struct kl_controls *c, struct kl_pool *pool, const struct kl_watch *watch,
                         struct kl_error *err);
/* whole: for a checkpoint, from which those that have begun can go on. */
int kl_head_controls_save(struct kl_writer *writer, const struct kl_controls *c, bool whole,
                          struct kl_error *err);
/* Out of a checkpoint; what it does not hold has not begun. */
int kl_head_controls_restore(struct kl_controls *c, struct kl_file *file, struct kl_error *err);
void kl_head_controls_close(struct kl_controls *c);
double kl_head_controls_seconds(const struct kl_controls *c); /* spent in training */
/* A line for each replica that diverged. */
void kl_head_controls_note_diverged(const struct kl_controls *c, const struct kl_log *log);

/* A line on the controls that do not tell all classes apart, of so many replicas each; their differences
   rest on them. */
void kl_head_controls_say_collapsed(const struct kl_log *log, const size_t collapsed[KL_CONTROLS],
                                    size_t replicas);

/* Validation accuracy of the head less that of control i, each at its best epoch, paired over replicas.
   There must be validation samples. KL_ENOMEM. */
int kl_head_controls_difference(struct kl_paired *difference, const struct kl_controls *c, int i,
                                const struct kl_head_train *head, struct kl_error *err);

/* Such differences as named numbers, for JSON and reports: minus_twin, and with more than one replica
   minus_twin_low and minus_twin_high; the others alike. told: NaN, null in JSON, for the ends of what is
   no interval; a report keeps them. `names` holds the texts of `pairs`. */
struct kl_control_numbers {
    size_t n;
    struct kl_json_pair pairs[3 * KL_CONTROLS];
    char names[3 * KL_CONTROLS][32];
};
void kl_head_control_numbers(struct kl_control_numbers *to, const struct kl_paired *differences, int n,
                             bool told);
/* "  circuit - twin   +0.0012 (95 % ...)", a line each. */
void kl_head_controls_write(FILE *to, const struct kl_paired *differences, int n);

#endif
