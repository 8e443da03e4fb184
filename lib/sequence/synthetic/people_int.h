/* SPDX-License-Identifier: MIT
   Private to lib/sequence/synthetic: time courses of a synthetic person's run. Each is a function of
   (seed, person, run) alone. noise: work of n (pink) or 2 n (rhythm) numbers. */
#ifndef KL_SEQUENCE_PEOPLE_INT_H
#define KL_SEQUENCE_PEOPLE_INT_H

#include "sequence/synthetic/synthetic.h"

enum { KL_PEOPLE_PINK = 12, KL_PEOPLE_OCTAVES = 7 };
enum { KL_PEOPLE_LEFT, KL_PEOPLE_RIGHT, KL_PEOPLE_ALPHA };
struct kl_run_place {
    const struct kl_sequence_people *o;
    struct kl_sequence_person p;
    size_t person, n; /* samples */
    int run;
};
/* Returns how many annotations the run has. */
size_t kl_sequence_course_trials(struct kl_sequence_annotation *a, const struct kl_run_place *r);
void kl_sequence_course_pink(double *out, const struct kl_run_place *r, int source, double *noise);
void kl_sequence_course_rhythm(double *out, const struct kl_run_place *r, int which, double hz,
                               double *noise);
void kl_sequence_course_desynchronise(double *left, double *right, const struct kl_run_place *r,
                                      const struct kl_sequence_annotation *a, size_t n);
void kl_sequence_course_blinks(double *out, const struct kl_run_place *r);
void kl_sequence_course_sensor(double *out, const struct kl_run_place *r, size_t channel);
void kl_sequence_course_background_place(double to[2], const struct kl_run_place *r, int source);
/* Gain, or with phase: radians, of mains at an electrode. */
double kl_sequence_course_mains(const struct kl_run_place *r, size_t channel, bool phase);

#endif
