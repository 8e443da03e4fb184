/* SPDX-License-Identifier: MIT
   pulse: pulses for a system: what they are made of, the problem that they solve, how they are found,
   their file. */
#ifndef KL_CONTROL_PULSE_H
#define KL_CONTROL_PULSE_H

#include "control/model/model.h"

/* ---- a low pass of the first order (waveform.c): y' = (a - y) / tau, y(0) = 0 ---- */
struct kl_control_low_pass {
    double decay, mean; /* over a segment: exp(-dt/tau), and what its mean keeps of y at its start */
};
/* dt: of a segment; tau 0: what goes in comes out. */
void kl_control_low_pass_make(struct kl_control_low_pass *f, double tau, double dt);
/* Of samples [n][row], each held for `oversample` segments: means of y over these, and y at their ends
   (NULL: not asked for), both [n * oversample][row]. */
void kl_control_low_pass(double *means, double *ends, const struct kl_control_low_pass *f,
                         const double *samples, int n, int oversample, int row);
/* back [n][row] += the adjoint of the means, applied to by_means [n * oversample][row]. */
void kl_control_low_pass_back(double *back, const double *by_means, const struct kl_control_low_pass *f,
                              int n, int oversample, int row);

/* ---- waveforms (waveform.c): free numbers x to samples of a generator to the controls of the qubit
 * ---- */
/* In units of the limits of the controls. Samples of control k are those of its functions: one a sample;
   cubic B-splines; sines and cosines (with zero ends: sines alone, over the time from the first sample
   to the last, which are 0); or one constant. Where they are not the free numbers themselves, they are
   kept within the limits, round their middle, by v / (1 + v^4)^(1/4), of two controls with a limit of
   their modulus both by their |v|. Free samples of such a pair lie in a square that is mapped on the
   disc by x = u sqrt(1 - v^2/2), y = v sqrt(1 - u^2/2) (Fong 2015, arXiv:1509.06344), which reaches all
   of it. A low pass of the first order with the time constant tau stands between them and the qubit: a
   sample lasts `oversample` segments, and a control's is the mean of the filter's output over its own.
   Everything is differentiated exactly. */
enum kl_control_functions { KL_CONTROL_PIECEWISE, KL_CONTROL_SPLINES, KL_CONTROL_FOURIER };
struct kl_control_waveform {
    enum kl_control_functions functions;
    int samples, controls, oversample;
    int count;      /* functions of a control that is neither piecewise nor constant */
    bool zero_ends; /* the pulse begins and ends at 0 */
    bool constant[KL_CONTROL_MAX_CONTROLS];
    double low[KL_CONTROL_MAX_CONTROLS], high[KL_CONTROL_MAX_CONTROLS]; /* of samples; both 0: -1, 1 */
    int n_moduli; /* pairs whose modulus is at most 1; `most` says nothing here */
    struct kl_control_modulus moduli[KL_CONTROL_MAX_CONTROLS / 2];
    double duration, tau; /* tau 0: no low pass */
    double slew;          /* largest change a unit of time; 0: any */
    int n;                /* free numbers; those of control k stand from first[k] on */
    int first[KL_CONTROL_MAX_CONTROLS + 1];
    double *values; /* [samples][count] */
};
/* From the fields above `n`. KL_EUSAGE, KL_ENOMEM. Free it in any case. */
int kl_control_waveform_make(struct kl_control_waveform *w, struct kl_error *err);
void kl_control_waveform_free(struct kl_control_waveform *w);
/* Any samples within the limits are such a waveform; and all free numbers are samples that play as they
   are. */
bool kl_control_waveform_is_free(const struct kl_control_waveform *w);
bool kl_control_waveform_plain(const struct kl_control_waveform *w);
/* Of `lanes` points side by side: samples [samples][controls][lanes] and controls u [samples *
   oversample] [controls][lanes] of x [n][lanes]; and the way back, gx += (du/dx)^T gu + (dsamples/dx)^T
   back, where back, like samples, is overwritten. */
void kl_control_waveform_play(double *samples, double *u, const struct kl_control_waveform *w,
                              const double *x, int lanes);
void kl_control_waveform_back(double *gx, const double *gu, const struct kl_control_waveform *w,
                              const double *x, double *back, int lanes);
/* f [lanes] += what samples that change faster than slew cost, its gradient into back (samples'). */
void kl_control_waveform_slew(double *f, double *back, const struct kl_control_waveform *w,
                              const double *samples, int lanes);
/* Of free samples [samples][controls] that are to be played the numbers that make them: themselves, but
   for pairs. */
void kl_control_waveform_unplay(double *samples, const struct kl_control_waveform *w);
/* One pulse's samples [samples][controls] as near as they may be: no change is faster than slew, with
   zero ends the pulse leaves and reaches 0 no faster, and no modulus grows beyond 1 by that. */
void kl_control_waveform_limit(double *samples, const struct kl_control_waveform *w);
/* Samples of one pulse to its controls. */
void kl_control_waveform_filter(double *u, const struct kl_control_waveform *w, const double *samples);

/* ---- problems (problem.c): the loss of an ensemble as a function of what is free, many points at once
 * ---- */
/* The aggregate of an ensemble's losses: their weighted mean; a smooth upper bound of the worst, log(sum
   of exp(k L)) / k with k the sharpness, whatever the weights; the mean of the worst share (conditional
   value at risk, Rockafellar and Uryasev 2000). */
enum kl_control_aggregate { KL_CONTROL_MEAN, KL_CONTROL_WORST, KL_CONTROL_CVAR };
/* Of n losses, a number every `stride`, the second and the third (together.c): share says what each
   counts, the derivative by it. tail: the weight of the worst, of which the last counts in part; weights
   [n], NULL: each 1. */
#define KL_CONTROL_TOGETHER_DECLARE(real, p)                                                            \
    double kl_control_worst_##p(real *share, const real *loss, int n, int stride, double sharpness);    \
    double kl_control_tail_##p(real *share, const real *loss, const double *weights, int n, int stride, \
                               double tail);
KL_CONTROL_TOGETHER_DECLARE(float, f32)
KL_CONTROL_TOGETHER_DECLARE(double, f64)
#define kl_control_worst KL_NAME(kl_control_worst)
#define kl_control_tail KL_NAME(kl_control_tail)
struct kl_control_problem {
    const struct kl_control_system *system;
    const struct kl_control_objective *objective;
    int segments;
    double duration;
    double limit[KL_CONTROL_MAX_CONTROLS];                              /* of |u| */
    double low[KL_CONTROL_MAX_CONTROLS], high[KL_CONTROL_MAX_CONTROLS]; /* both 0: -limit, limit */
    const struct kl_control_waveform *waveform; /* NULL: the controls themselves are free */
    const struct kl_control_task *members;      /* NULL: the system's own values alone */
    int n_members;
    const double *weights; /* [n_members], their sum 1; NULL: equal */
    const double (
        *targets)[9]; /* of one qubit: of each member [columns][3] in place of the objective's weights */
    enum kl_control_aggregate aggregate;
    double sharpness, tail; /* of the worst (INFINITY: the worst itself); of the share, in (0, 1] */
    double energy;          /* factor of the mean square of u / limit in the loss */
};
enum { KL_CONTROL_LANES = 16 };
struct kl_control_evaluator;
/* Values that evaluations share; one a thread. KL_ENOMEM, KL_EUSAGE. Close accepts NULL. */
int kl_control_evaluator_open(struct kl_control_evaluator **e, const struct kl_control_problem *problem,
                              struct kl_error *err);
void kl_control_evaluator_close(struct kl_control_evaluator **e);
int kl_control_evaluator_size(const struct kl_control_evaluator *e); /* n: numbers of a point */
/* Points are in units of the limits, so that one size of step serves controls of any unit.
   f [16] and its gradient g [n][16] (NULL: not asked for) at 16 points x [n][16], those that are wanted;
   a point's numbers do not depend on the others. Points lie within low and high [n]. */
void kl_control_evaluate(struct kl_control_evaluator *e, double *f, double *g, const double *x,
                         const bool wanted[KL_CONTROL_LANES]);
/* Losses [members][16] of that evaluation. */
const double *kl_control_evaluator_losses(const struct kl_control_evaluator *e);
const double *kl_control_evaluator_low(const struct kl_control_evaluator *e);
const double *kl_control_evaluator_high(const struct kl_control_evaluator *e);
/* The same and the Hessian's products hv [n][16] with v [n][16]; of one qubit and a mean alone: see
   kl_control_has_hessian. */
void kl_control_evaluate_hessian(struct kl_control_evaluator *e, double *f, double *g, double *hv,
                                 const double *x, const double *v);
bool kl_control_has_hessian(const struct kl_control_evaluator *e);
/* The largest difference between the gradient at a random point and central differences of the loss, and
   between a Hessian product, where there is one, and central differences of the gradient; each as a
   share of its largest component. KL_ENOMEM, KL_EUSAGE. */
int kl_control_check_gradients(double *gradient, double *hessian,
                               const struct kl_control_problem *problem, uint64_t seed,
                               struct kl_error *err);
/* A point's samples, as they may be played, and its controls u [segments][controls]; samples NULL: there
   is no waveform, or they are not asked for. KL_ENOMEM. */
int kl_control_amplitudes(double *samples, double *u, const struct kl_control_problem *problem,
                          const double *x, struct kl_error *err);

/* ---- optimisation from many starts (optimize.c) ---- */
/* Auto: newton where there are Hessian products and one member, else lbfgs, which of an ensemble comes
   as far in a tenth of the time. */
#define KL_CONTROL_METHODS "auto|lbfgs|newton|adam|krotov"
enum kl_control_method {
    KL_CONTROL_AUTO,
    KL_CONTROL_LBFGS,
    KL_CONTROL_NEWTON,
    KL_CONTROL_ADAM,
    KL_CONTROL_KROTOV
};
enum kl_control_stop {
    KL_CONTROL_RUNS,       /* it has not stopped */
    KL_CONTROL_REACHED,    /* the loss that was asked for */
    KL_CONTROL_FLAT,       /* the projected gradient vanishes */
    KL_CONTROL_STALLED,    /* the loss no longer falls */
    KL_CONTROL_NO_DESCENT, /* no step along the gradient lowers it: rounding */
    KL_CONTROL_ITERATIONS, /* their limit */
    KL_CONTROL_NO_NUMBER,  /* the loss is none */
    KL_CONTROL_BEHIND,     /* others were ahead (race.c) */
    KL_CONTROL_STOPS
};
const char *kl_control_stop_words(enum kl_control_stop stop);
struct kl_control_search {
    enum kl_control_method method;
    int starts, iterations;
    double target;   /* loss at which a start stops; below every loss: never */
    double gradient; /* largest component of the projected gradient at which it stops */
    double progress; /* relative fall of the loss over ten iterations at which it stops */
    double size;     /* starts are normal numbers times this, in units of the limits */
    double lr;       /* of Adam */
    uint64_t seed;
    const double *first; /* the first n_first starts [n_first][n], in these units */
    int n_first;
};
void kl_control_search_default(struct kl_control_search *search);
/* L-BFGS crawls along the floor that decay makes: a looser progress, at which what it has is within a
   few thousandths of its end. */
#define KL_CONTROL_LBFGS_PROGRESS 1e-5
/* *method, which may be auto, becomes the one that auto is. KL_EUSAGE, KL_ENOMEM. */
int kl_control_method_of(enum kl_control_method *method, const struct kl_control_problem *problem,
                         struct kl_error *err);
struct kl_control_start {
    double loss;
    int iterations, evaluations;
    enum kl_control_stop stop;
};
/* results [starts] and their points [starts][n]. Neither the threads of pool (NULL: none) nor starts
   beside it change a start. KL_ENOMEM; KL_ESIGNAL where watch says so. */
int kl_control_optimize(struct kl_control_start *results, double *points,
                        const struct kl_control_problem *problem, const struct kl_control_search *search,
                        struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err);
/* The same on a GPU, but for Krotov's method (optimize_gpu.c): searches for `tasks` problems at
   once, of which the problem's members are as many each, one after another; results, points and
   gradients (NULL: not asked for) [tasks][starts]. A start's bits depend on the model of GPU, but on no
   start beside it. KL_EUSAGE: not on a GPU; KL_EDEVICE. */
struct kl_device;
int kl_control_optimize_gpu(struct kl_control_start *results, double *points, double *gradients,
                            const struct kl_control_problem *problem, int tasks,
                            const struct kl_control_search *search, const struct kl_device *device,
                            const struct kl_watch *watch, struct kl_error *err);

/* Of the starts KL_CONTROL_RACE_ITERATIONS iterations, then of the `finalists` best (at least 1; as many
   as there are starts: all) the rest, on the device (race.c); others end as KL_CONTROL_BEHIND. points
   [starts][n]. What goes on has no memory of its way. search->iterations is more than
   KL_CONTROL_RACE_ITERATIONS, unless all go on. The codes of the two above. */
enum {
    KL_CONTROL_RACE_ITERATIONS = 20,
    KL_CONTROL_FINALISTS = 4 /* the usual number, of which lookup believes */
};
int kl_control_race(struct kl_control_start *results, double *points, size_t n, int finalists,
                    const struct kl_control_problem *problem, const struct kl_control_search *search,
                    const struct kl_device *device, struct kl_pool *pool, const struct kl_watch *watch,
                    struct kl_error *err);
/* Is a start so costly that a race is usual: an ensemble of more than one qubit, or a system of more
   numbers than two qubits have? */
bool kl_control_is_costly(const struct kl_control_problem *problem);

/* ---- a problem from options (setup.c; options.h has their rows) ---- */
struct kl_control_options {
    const char *system, *model, *gate, *fidelity,
        *jump;                           /* model: a file in place of a built-in system */
    const char *set;                     /* "gamma_phi=0.085 J=2" */
    const char *over;                    /* another over it, of no key and no file; NULL: none */
    const char *limit;                   /* "3.14", "x=3,y=2", "x=0:3", "x+iy=3" */
    const char *levels;                  /* of a transmon; NULL: 3 */
    const char *range;                   /* of a family of tasks: "detuning=-1:1"; NULL: there is none */
    const char *spread;                  /* of an ensemble: "detuning=0.3 amplitude=0.05" */
    const char *law;                     /* gauss|uniform: what spread is of */
    const char *ensemble;                /* mean|worst|cvar */
    int64_t segments, controls, members; /* controls 0: those of the system; members: of each that is
                                            spread, 0: as many as its law needs */
    struct kl_quantity duration;         /* 0: the system's */
    double sharpness, tail, energy;
    const char *functions, *constant; /* piecewise|splines|fourier; names of constant controls */
    int64_t count, oversample;
    bool zero_ends;
    struct kl_quantity slew, tau; /* without units behind kl_control_options_files */
};
void kl_control_options_default(struct kl_control_options *o);
enum {
    KL_CONTROL_MOST_MEMBERS = 4096,
    KL_CONTROL_MOST_CHECKS = 65536,
    KL_CONTROL_MOST_SEGMENTS = 16384
};
/* If nothing is spread, the number of members has no effect, and is this one in keys and files. */
enum { KL_CONTROL_NO_MEMBERS = 5 };
/* Files that options name, the model's and the gate's, become what is in them: then key, provenance and
   file of a pulse say what was computed. The texts live as long as the options; said: what was
   understood of the files, a line each. KL_EUSAGE: options contradict each other. */
struct kl_control_texts {
    char *model, *gate, *said;
};
int kl_control_options_files(struct kl_control_options *o, struct kl_control_texts *texts,
                             struct kl_error *err);
void kl_control_texts_free(struct kl_control_texts *texts);
/* A model in JSON that would not fit an attribute of a file stands in key and config as "sha256:HEX",
   for which there is room in `digest`, and *model is its text; NULL: it fits. json: the options with it.
 */
enum { KL_CONTROL_DIGEST = 72 };
int kl_control_texts_shorten(char digest[KL_CONTROL_DIGEST], const char **model,
                             struct kl_control_options *o, const char *json, struct kl_error *err);
/* The model that stands in a file for its digest among the options (pulse_file.c): written (NULL: none);
   and read, malloc'ed, into the options. KL_EDATA, KL_EIO, KL_ENOMEM. */
struct kl_file;
struct kl_writer;
int kl_control_model_put(struct kl_writer *writer, const char *model, struct kl_error *err);
int kl_control_model_load(char **model, struct kl_control_options *o, struct kl_file *file,
                          struct kl_error *err);
/* A parameter that is spread. */
struct kl_control_spread {
    int param;              /* of the system; -1: the amplitude */
    double size, turn;      /* turn: of noise.h's law */
    int n, needed, n_check; /* nodes: of members, that its law needs, of the check */
};
/* A parameter that differs between the tasks of a family. */
struct kl_control_ranged {
    int param; /* of the system; -1: the amplitude */
    double low, high;
};
enum { KL_CONTROL_MAX_RANGES = 8 };
struct kl_control_setup {
    struct kl_control_system system; /* with --set and --limit, and the middle of each --range */
    double usual_limit;              /* the largest of its controls before --limit; 0: there is none */
    struct kl_control_target target;
    bool is_state; /* the target is the model's state, and no gate */
    struct kl_control_objective objective;
    enum kl_control_fidelity fidelity;
    /* The members of the search, and a finer set that it never sees, with which all is judged. */
    struct kl_control_task *members, *checks;
    double *weights, *check_weights;
    int n_members, n_checks;
    struct kl_control_spread spreads[KL_CONTROL_MAX_PARAMS + 1];
    int n_spreads;
    bool is_normal;                                         /* their law; else uniform */
    struct kl_control_ranged ranges[KL_CONTROL_MAX_RANGES]; /* by parameter, the amplitude last */
    int n_ranges;
    struct kl_control_waveform waveform;
    struct kl_control_problem problem; /* its segments are samples times oversample */
    struct kl_control_problem law;     /* the same over the checks; of worst the worst itself */
};
/* Describe the problem that the options define, a line each: system, rates and limits in use, what is a
   default; pulse, target, ensemble (setup.c). said: the lines that were said of a model, beside which
   only what options changed is written; NULL: there is none. */
void kl_control_setup_write(FILE *to, const struct kl_control_setup *setup,
                            const struct kl_control_options *o, const char *said);
/* The files' lines, then these, as notes, and cautions of numbers that seem to lack a unit. KL_ENOMEM.
 */
int kl_control_setup_say(const struct kl_log *log, const struct kl_control_setup *setup,
                         const struct kl_control_options *o, const struct kl_control_texts *texts,
                         struct kl_error *err);
/* KL_EUSAGE names the option; what reading a model returns. Free it in any case. */
int kl_control_setup_make(struct kl_control_setup *setup, const struct kl_control_options *o,
                          struct kl_error *err);
void kl_control_setup_free(struct kl_control_setup *setup);

/* ---- a pulse and its file (pulse_file.c), kind "pulse" ---- */
extern const struct kl_kind kl_control_pulse_kind;
enum { KL_CONTROL_PULSE_SCHEMA = 1 };
/* The report on a pulse in its problem. */
struct kl_control_report {
    double loss;       /* over the law, by the checks, without the factor of energy */
    double of_members; /* the same by the members, with which it was sought */
    double nominal;    /* of the system's own values */
    double worst;      /* of the members and the checks */
    double gradient; /* largest component of the projected gradient of the ensemble's loss by controls in
                                          units of their limits */
    struct kl_control_channel channel; /* of the nominal transfer matrix; NaN: fidelities of a gate,
                                          where the target is a state */
    double *members;                   /* [n_members]: losses */
    double *transfer;                  /* [dim][dim], nominal */
};
int kl_control_report_make(struct kl_control_report *report, const struct kl_control_setup *setup,
                           const double *u, struct kl_error *err);
void kl_control_report_free(struct kl_control_report *report);
/* Do members and law tell the same of a pulse? A share of the loss by which they differ is a caution,
   a factor makes what was found none; below ROUNDING neither. */
#define KL_CONTROL_LAW_SHARE 0.01
#define KL_CONTROL_LAW_FACTOR 2
#define KL_CONTROL_LAW_ROUNDING 1e-12
enum kl_control_agreement { KL_CONTROL_AGREES, KL_CONTROL_IS_OFF, KL_CONTROL_IS_FITTED };
enum kl_control_agreement kl_control_law_agrees(double law, double members);
/* samples: of the generator, NULL where they are the controls. starts, n_starts: of the optimisation,
   best the one whose pulse u is; config: the options as JSON; model: JSON of a model that is too long
   for them, where its digest stands (kl_control_texts_shorten), or NULL. */
int kl_control_pulse_save(struct kl_writer *writer, const struct kl_control_setup *setup,
                          const double *samples, const double *u, const struct kl_control_report *report,
                          const struct kl_control_start *starts, int n_starts, int best,
                          const char *config, const char *model, struct kl_error *err);
/* A pulse and the problem that it was made for. Close it in any case. KL_EDATA, KL_ENOMEM. */
struct kl_control_stored {
    struct kl_control_options options; /* its words are in config, and in model */
    struct kl_control_setup setup;
    double *u;       /* [segments][controls] */
    double *samples; /* of the generator [samples][controls]; NULL: they are the controls */
    double loss;
    /* Was the loss of an ensemble judged on what the search had not seen? Of one member: yes. */
    bool judged;
    struct json_t *config;
    char *model; /* JSON that is no part of config; NULL: there is none */
};
int kl_control_pulse_load(struct kl_control_stored *stored, struct kl_file *file, struct kl_error *err);
void kl_control_stored_close(struct kl_control_stored *stored);

/* ---- what the first words of qcontrol do (mode_WORD.c) ---- */
struct kl_mode;
struct kl_tool;
struct kl_kind;
extern const struct kl_mode kl_control_mode_optimize;
extern const struct kl_mode kl_control_mode_export;
extern const struct kl_mode kl_control_mode_score;
extern const struct kl_mode kl_control_mode_bench;
extern const struct kl_tool kl_control_optimize_tool;
extern const struct kl_tool kl_control_export_tool;
extern const struct kl_tool kl_control_score_tool;
extern const struct kl_tool kl_control_bench_tool;

#endif
