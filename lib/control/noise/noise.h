/* SPDX-License-Identifier: MIT
   noise: spectra and the rates that they become, filter functions of pulses, averages over classical
   noise. */
#ifndef KL_CONTROL_NOISE_H
#define KL_CONTROL_NOISE_H

#include "control/model/model.h"

/* ---- noise: spectra and rates (noise.c) ---- */
/* one_over_f: A/(|w|^alpha + omega_c^alpha), A where alpha <= 0; lorentzian: A/(w^2 + omega_c^2);
   double_exp: with f = alpha/5 within [0, 1], a share 1 - f of such a line and f of one 1 + alpha times
   as wide. Two-sided, S(-w) = S(w), w in radians per unit of time: the mean of x(0) x(t) is the integral
   of S exp(i w t) dw/2pi. */
#define KL_CONTROL_PSD_CHOICES "one_over_f|lorentzian|double_exp"
enum kl_control_psd_model { KL_CONTROL_ONE_OVER_F, KL_CONTROL_LORENTZIAN, KL_CONTROL_DOUBLE_EXP };
struct kl_control_psd {
    enum kl_control_psd_model model;
    double alpha, amplitude, omega_c;
};
double kl_control_psd(const struct kl_control_psd *psd, double omega);
/* Its mean over a Lorentzian line of full width `width` at omega; 0: at omega itself. */
double kl_control_psd_line(const struct kl_control_psd *psd, double omega, double width);

/* STANDARD: noise x(t) (Z + X)/2 of this spectrum. Dephasing is chi/T, chi = (1/pi) int_0^inf S
   F(wT)/w^2 dw with the standard filter of a sequence (Cywinski et al. 2008,
   doi:10.1103/PhysRevB.77.174509); up and down follow from S at omega0 by the golden rule and detailed
   balance. FILTER and BAND are the mappings of an earlier system, metaqctrl 1.0.0, with its own filters
   (Ramsey twice as large), its trapezoids on 4,000, 4,001 and 500 points and its decay without a
   coupling factor: to compare with it, not to compute with. */
#define KL_CONTROL_MAPPING_CHOICES "filter|band|standard"
enum kl_control_mapping { KL_CONTROL_FILTER, KL_CONTROL_BAND, KL_CONTROL_STANDARD };
struct kl_control_noise {
    enum kl_control_mapping mapping;
    int pulses;         /* of the sequence: 0 Ramsey, 1 echo, n CPMG */
    int segments;       /* BAND: of the pulse, which make the band */
    double duration;    /* T */
    double omega0;      /* between the levels */
    double gamma_h;     /* FILTER: full width of the line */
    double line_width;  /* STANDARD: the same; 0: sharp */
    double temperature; /* STANDARD: kT/hbar in radians per unit of time; INFINITY: as much up as down */
};
void kl_control_noise_default(struct kl_control_noise *noise);
/* KL_EUSAGE: a parameter is out of its range or no number. KL_EDATA: a rate is not finite. */
int kl_control_noise_rates(struct kl_control_rates *rates, const struct kl_control_psd *psd,
                           const struct kl_control_noise *noise, struct kl_error *err);
/* "ramsey", "echo", "cpmg_N". KL_EUSAGE. */
int kl_control_sequence(int *pulses, const char *name, struct kl_error *err);
/* F(x): 2 sin^2(x/2); 8 sin^4(x/4n) sin^2(x/2)/cos^2(x/2n), n even, cos^2(x/2) in place of sin^2, n odd.
 */
double kl_control_sequence_filter(int pulses, double x);

/* ---- filter function of a pulse on one qubit (filter_function.c) ---- */
/* Noise x(t) P/2 beside H = (u_x X + u_y Y + (detuning + u_z) Z), P = X, Y or Z by axis 0, 1, 2. In the
   frame that the pulse moves P/2 is sum_k y_k(t) B_k, B_k = X, Y, Z over sqrt 2;
   F(omega) = sum_k |int_0^T y_k exp(i omega t) dt|^2, the convention of the Python package
   filter_functions; with P = Z and no control it is the standard filter of Ramsey over omega^2. To
   second order the noise costs an entanglement infidelity int S F domega/(4 pi) over both signs of
   omega. */
struct kl_control_filter; /* belongs to one thread at a time */
/* omega (n): radians per unit of time. limit: the largest sqrt(u_x^2 + u_y^2 + (detuning + u_z)^2) that
   may come. KL_EUSAGE, KL_ENOMEM. */
int kl_control_filter_open(struct kl_control_filter **filter, const double *omega, size_t n,
                           int segments, double duration, double limit, struct kl_error *err);
void kl_control_filter_close(struct kl_control_filter **filter);
/* Weights (n) with which sum of weights F is the trapezoid of S F/(4 pi) over rising omega. both_signs:
   the grid has omega > 0 alone and stands for -omega too. */
void kl_control_filter_weights(double *weights, const double *omega, const double *psd, size_t n,
                               bool both_signs);
struct kl_control_filter_gradient {
    double *values;      /* F (n), or NULL */
    double infidelity;   /* sum of weights F */
    double *u, detuning; /* its derivatives [segments][controls], and by the detuning; u NULL: neither */
};
/* pulse: of 2 or 3 controls. weights (n), or NULL: values alone. KL_EUSAGE: another grid of time, or an
   amplitude above the limit. */
int kl_control_filter_evaluate(struct kl_control_filter_gradient *to, struct kl_control_filter *filter,
                               const struct kl_control_pulse *pulse, double detuning, int axis,
                               const double *weights, struct kl_error *err);

/* ---- averages over classical noise, exact (noise_average.c) ---- */
/* x(t) is added to a parameter of the system, or all controls are multiplied by 1 + x(t). QUASI_STATIC:
   a normal number, the same for all of a pulse. TELEGRAPH: sigma or -sigma, `rate` switches a unit of
   time, <x(0) x(t)> = sigma^2 exp(-2 rate t). ORNSTEIN_UHLENBECK: Gaussian, sigma^2 exp(-rate t). */
enum kl_control_process_kind {
    KL_CONTROL_QUASI_STATIC,
    KL_CONTROL_TELEGRAPH,
    KL_CONTROL_ORNSTEIN_UHLENBECK
};
enum { KL_CONTROL_AMPLITUDE = -1, KL_CONTROL_MAX_PROCESSES = 4 };
struct kl_control_process {
    enum kl_control_process_kind kind;
    int param; /* which of the system's, or KL_CONTROL_AMPLITUDE */
    double sigma, rate;
};
/* ends [dim][columns]: the mean of R(T), from start [dim][columns]; processes are independent. Exact up
   to `tolerance` (1e-12), by which one more half of the levels may change it; levels: how many it took;
   may be NULL. KL_EUSAGE; KL_ENO: 128 levels do not suffice; KL_ENOMEM. */
int kl_control_noise_average(double *ends, const double *start, int columns,
                             const struct kl_control_system *system,
                             const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                             const struct kl_control_process *processes, int n_processes,
                             double tolerance, int *levels, struct kl_error *err);

/* ---- quadrature (quadrature.c) ---- */
/* Weight functions 1 on [-1, 1]; exp(-x) on [0, inf); the standard normal density. */
enum kl_control_weight { KL_CONTROL_LEGENDRE, KL_CONTROL_LAGUERRE, KL_CONTROL_NORMAL };
enum { KL_CONTROL_MAX_NODES = 128 };
/* n <= KL_CONTROL_MAX_NODES nodes, rising, and weights of Gauss's rule. Golub, Welsch 1969. */
void kl_control_noise_gauss(double *nodes, double *weights, int n, enum kl_control_weight weight);

/* ---- the law of what is not known exactly (quadrature.c) ---- */
/* Normal of deviation 1, uniform within +-1. */
enum kl_control_law { KL_CONTROL_LAW_NORMAL, KL_CONTROL_LAW_UNIFORM };
#define KL_CONTROL_LAWS "gauss|uniform"
enum { KL_CONTROL_LAW_NODES = 1024, KL_CONTROL_LAW_REACH = 3 };
/* The least number of nodes that leave less than `tolerance` of the mean of exp(i turn x), and so of any
   loss whose argument turns by at most `turn`: size times duration times the norm of the parameter's
   generator. More than KL_CONTROL_LAW_NODES (of a uniform law KL_CONTROL_MAX_NODES): none do. */
int kl_control_law_count(enum kl_control_law law, double turn, double tolerance);
/* n nodes and weights, of sum 1: Gauss's rule, or where it leaves less the trapezoidal one of the normal
   law. */
void kl_control_law_nodes(double *nodes, double *weights, int n, enum kl_control_law law, double turn);
/* Of its worst: n equal steps from end to end, of the normal law from -3 to 3 deviations; equal weights.
 */
void kl_control_law_grid(double *nodes, double *weights, int n, enum kl_control_law law);

/* ---- what the first words of qcontrol do (mode_WORD.c) ---- */
struct kl_mode;
struct kl_tool;
struct kl_kind;
extern const struct kl_mode kl_control_mode_noise;
extern const struct kl_tool kl_control_noise_tool;

#endif
