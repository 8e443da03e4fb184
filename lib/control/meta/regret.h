/* SPDX-License-Identifier: MIT
   regret: what adapting a policy to a task is worth, against what needs no policy: the best fixed pulse,
   the same network trained on the mean loss, and each task's own optimum. */
#ifndef KL_CONTROL_REGRET_H
#define KL_CONTROL_REGRET_H

#include "control/meta/meta_train.h"
#include "stats/stats.h"
struct kl_ranks;

struct kl_control_regret_options {
    int tasks, steps;  /* test tasks; steps of adaptation that are looked at; the policy's own, if fewer,
                          are  what is judged, else these */
    int starts;        /* of each task's optimum, and of the fixed pulse */
    int scales;        /* of the family's spread, at which the gain is measured; 0: none */
    double lr;         /* of the adaptation; 0: the policy's own */
    int64_t gradients; /* that the policy's training took, of one task each */
    int64_t batch;     /* tasks of one of its steps */
    double meta_lr, clip;
    uint64_t seed;
};
/* gain(k) = c (1 - exp(-beta k)) by least squares; r2: the share of the variance that it explains. */
struct kl_control_gain_fit {
    double c, beta, r2;
};
/* a + b x by least squares. */
struct kl_control_line_fit {
    double a, b, r2;
};
/* Of gains [n] after k = 0, 1, ... steps, beta within [0.01, 10] (KL_ENOMEM); of y [n] against x. */
int kl_control_gain_fit_make(struct kl_control_gain_fit *fit, const double *gain, int n,
                             struct kl_error *err);
void kl_control_line_fit_make(struct kl_control_line_fit *fit, const double *x, const double *y, int n);
enum { KL_CONTROL_REGRET_SHOTS = 9 };
struct kl_control_regret {
    int tasks, steps, scales;
    double *policy;  /* [tasks][steps + 1]: losses after so many steps */
    double *adapted; /* [tasks]: of these after the policy's own steps */
    double *fixed;   /* [tasks]: of the pulse that is best for the mean of other tasks of the family */
    double *steered; /* [tasks]: of that pulse after as many steps of gradient descent on its controls */
    double *mean;    /* [tasks]: of the network trained on the mean loss with as many gradients */
    double *optimum; /* [tasks]: the task's own best of many starts */
    double *params;  /* [tasks][numbers]: of a qubit rates, detuning, factor of the controls, angle */
    int numbers;
    char names[KL_CONTROL_NAMES]; /* theirs, ", " between them */
    double *pulse;                /* [segments][controls]: the fixed one */
    double *spread, *gain;        /* [scales]: the test tasks' variance, gain at the policy's steps */
    struct kl_control_gain_fit fit;
    /* If experiments tell the network of a task: its losses on the mean, by shots of each experiment. */
    int n_shots;              /* 0: it is not */
    double *shots, *by_shots; /* [n_shots]; [tasks][n_shots] */
    int64_t enough_shots;     /* 0: none are shown to be */
    struct kl_control_line_fit line;
    int own_steps;       /* of adaptation, that are judged */
    int64_t gradients;   /* of the optima, in all: searches of 20 to 400 iterations a start */
    int64_t of_training; /* of the policy's training, or as --gradients says */
};
/* On a GPU the searches alone are done, those of all tasks at once. ranks (NULL: alone) share the tasks'
   optima; only the first has the other numbers. KL_EUSAGE, KL_ENOMEM, KL_ESIGNAL, KL_EDEVICE. Free it in
   any case. */
struct kl_device;
int kl_control_regret_run(struct kl_control_regret *r, const struct kl_control_policy *policy,
                          const struct kl_control_regret_options *o, const struct kl_device *device,
                          struct kl_pool *pool, struct kl_ranks *ranks, const struct kl_watch *watch,
                          struct kl_error *err);
/* In its place: the seconds that it would take alone, by the first moments of its parts. KL_ENO: a
   part's first step takes too long to be tried. */
int kl_control_regret_estimate(double *seconds, struct kl_control_regret *r,
                               const struct kl_control_policy *policy,
                               const struct kl_control_regret_options *o, const struct kl_device *device,
                               struct kl_pool *pool, struct kl_error *err);
void kl_control_regret_free(struct kl_control_regret *r);
/* The verdict (verdict.c): does adapting pay? */
enum kl_control_verdict {
    KL_CONTROL_PAYS,          /* less loss than all others that could be had */
    KL_CONTROL_STEERING_PAYS, /* adapting does, but the fixed pulse, adapted by as many gradients, is not
                                 shown to be worse */
    KL_CONTROL_NETWORK_PAYS,  /* a network is better than the fixed pulse; that adapting it adds to that
                                 is not shown */
    KL_CONTROL_DOES_NOT_PAY,  /* the best fixed pulse is not shown to be worse */
    KL_CONTROL_VERDICTS
};
enum kl_control_verdict kl_control_regret_verdict(const struct kl_control_regret *r);
/* The verdict in words, with whether the other one is better, as good (the 95 % interval of their
   paired difference lies within a hundredth of the loss), or not told apart by so few tasks. */
enum { KL_CONTROL_VERDICT = 200 };
void kl_control_verdict_words(char text[KL_CONTROL_VERDICT], const struct kl_control_regret *r);
/* The network's losses [tasks] with so many shots, more than those before, into enough_shots: from which
   on it has less loss than the best fixed pulse, by the intervals of the verdict. */
void kl_control_regret_more_shots(struct kl_control_regret *r, int64_t shots, const double *losses);
#endif
