/* SPDX-License-Identifier: MIT
   synthetic: people whose truth is known, as recordings like those of eegmmidb; pairs of functions whose
   forrelation is known, as windows. */
#ifndef KL_SEQUENCE_SYNTHETIC_H
#define KL_SEQUENCE_SYNTHETIC_H

#include "base/base.h"
struct json_t;
struct kl_mode;
struct kl_sequence_annotation;

enum { KL_SEQUENCE_RUNS = 3, KL_SEQUENCE_PEOPLE = 999 };
struct kl_sequence_people {
    uint64_t seed;
    size_t people, channels; /* 1 to 999; 8 to 64 */
    size_t trials;           /* a run: 15 as in eegmmidb, T1 and T2 in an order drawn at random */
    double effect;   /* share of the mu rhythm's power that the hand's opposite side loses: 0 to 1 */
    double rate;     /* Hz */
    double mains;    /* Hz; 0: none */
    bool odd_rate;   /* the last person's recordings have 128 Hz */
    bool short_last; /* the first person's last recording ends after two fifths */
};
void kl_sequence_people_default(struct kl_sequence_people *o);

/* One person's law, drawn from (seed, number) alone. Amplitudes: standard deviations in microvolts at a
   source's own place, of blinks their height. */
struct kl_sequence_person {
    double mu_hz, alpha_hz;
    double mu_uv, alpha_uv, background_uv, sensor_uv, mains_uv, blink_uv;
    double loss;              /* of the mu rhythm's power on the side opposite to the imagined hand */
    double rotation;          /* of all rhythms about the vertex, radians, counterclockwise from above */
    double spread;            /* of the mu sources, in radii of the head */
    double left[2], right[2]; /* places of the hemispheres' mu sources, near C3 and C4 */
    double rate;
};
void kl_sequence_person_draw(struct kl_sequence_person *p, const struct kl_sequence_people *o,
                             size_t person);
/* Name of a channel from 0 on, of 64; fewer are frontal, central and occipital ones. */
const char *kl_sequence_people_channel(size_t channel);
size_t kl_sequence_people_samples(const struct kl_sequence_people *o, size_t person, int run);
/* Samples (channels, kl_sequence_people_samples) in microvolts before they are rounded, and the run's
   annotations (room for 2 trials). KL_ENOMEM. */
int kl_sequence_people_run(double *samples, struct kl_sequence_annotation *annotations,
                           size_t *n_annotations, const struct kl_sequence_people *o, size_t person,
                           int run, struct kl_error *err);
/* The run as the bytes of an EDF+C file, malloc'ed, and its name, "S001R04.edf". KL_ENOMEM. */
int kl_sequence_people_file(char **bytes, size_t *n, const struct kl_sequence_people *o, size_t person,
                            int run, struct kl_error *err);
void kl_sequence_people_name(char name[32], size_t person, int run);
/* The facts that hold for all of them: a new JSON object. */
int kl_sequence_people_truth(struct json_t **truth, const struct kl_sequence_people *o,
                             struct kl_error *err);

/* ---- sequential forrelation (mode_forrelation.c; Aaronson & Ambainis 2015; hydra.md 11) ---- */
/* Phi(f, g) = 2^(-3b/2) sum over x, y of f(x) (-1)^(x.y) g(y). work: 2^bits numbers. */
double kl_sequence_forrelation_phi(const double *f, const double *g, int bits, double *work);
enum { KL_SEQUENCE_FORRELATION_BITS = 12 };
struct kl_sequence_forrelation {
    uint64_t seed;
    size_t pairs, steps;
    int bits;
    /* The reference's first pairs. High: f = -1 but at one point (drawn here), g that point's character,
       so Phi is 2^(-b/2) and the mean of f gives the label away; and what is sampled of g is its
       transform, as the reference transforms in place. Low: signs, and a transform again. */
    bool reference;
};
/* Tables (2^bits) of pair i, which is high if i is odd, and its Phi, which is that of f and the g that
   was meant. High: f = sign(r), g = sign(transform of r), r normal: Phi about 2/pi. Low: signs drawn
   until |Phi| < 0.15. work: 2^bits. */
double kl_sequence_forrelation_pair(double *f, double *g, const struct kl_sequence_forrelation *o,
                                    size_t i, double *work);
/* Window of pair i, (2 bits + 2, steps): at each step x and y are drawn; bits of x, f(x), bits of y,
   g(y), the least significant bit first. */
void kl_sequence_forrelation_window(float *window, const double *f, const double *g,
                                    const struct kl_sequence_forrelation *o, size_t i);

/* `qseq generate` and `qseq forrelation` (mode_generate.c, mode_forrelation.c) */
extern const struct kl_tool kl_sequence_generate_tool, kl_sequence_forrelation_tool;
extern const struct kl_mode kl_sequence_mode_generate, kl_sequence_mode_forrelation;

#endif
