/* SPDX-License-Identifier: MIT
   Rows of a table of options for a struct kl_control_options, which stands `at` bytes into the values.
 */
#ifndef KL_CONTROL_OPTIONS_H
#define KL_CONTROL_OPTIONS_H

#include "control/pulse/pulse.h"

#define KL_CONTROL_AT(at, field) ((at) + offsetof(struct kl_control_options, field))
#define KL_CONTROL_PROBLEM_OPTIONS(at)                                                      \
    { "system", 0, KL_OPT_CHOICE, KL_CONTROL_AT(at, system), KL_CONTROL_SYSTEMS,            \
      0,        0, true,          "built in; or --model",    "Problem",                     \
      NULL },                                                                               \
        { "model",                                                                          \
          0,                                                                                \
          KL_OPT_STRING,                                                                    \
          KL_CONTROL_AT(at, model),                                                         \
          "FILE",                                                                           \
          0,                                                                                \
          0,                                                                                \
          true,                                                                             \
          "any system, YAML with units, in place of --system",                              \
          NULL,                                                                             \
          NULL },                                                                           \
        { "set",                                                                            \
          0,                                                                                \
          KL_OPT_LIST,                                                                      \
          KL_CONTROL_AT(at, set),                                                           \
          "NAME=VALUE",                                                                     \
          0,                                                                                \
          0,                                                                                \
          true,                                                                             \
          "parameters: gamma_phi=0.085 T1=20us T2=30us",                                    \
          NULL,                                                                             \
          NULL },                                                                           \
        { "jump",                                                                           \
          0,                                                                                \
          KL_OPT_CHOICE,                                                                    \
          KL_CONTROL_AT(at, jump),                                                          \
          "down|up",                                                                        \
          0,                                                                                \
          0,                                                                                \
          true,                                                                             \
          "relaxation to |0>, or to |1>: up exchanges both rates",                          \
          NULL,                                                                             \
          NULL },                                                                           \
        { "gate",                                                                           \
          'g',                                                                              \
          KL_OPT_STRING,                                                                    \
          KL_CONTROL_AT(at, gate),                                                          \
          "GATE",                                                                           \
          0,                                                                                \
          0,                                                                                \
          true,                                                                             \
          "x, hadamard, rx(pi/2), ...; default x, of two qubits cz",                        \
          NULL,                                                                             \
          NULL },                                                                           \
        { "fidelity", 0, KL_OPT_CHOICE, KL_CONTROL_AT(at, fidelity), KL_CONTROL_FIDELITIES, \
          0,          0, true,          "the loss is 1 - it",        NULL,                  \
          NULL },                                                                           \
        { "duration",                                                                       \
          'T',                                                                              \
          KL_OPT_QUANTITY,                                                                  \
          KL_CONTROL_AT(at, duration),                                                      \
          "T",                                                                              \
          0,                                                                                \
          1e9,                                                                              \
          true,                                                                             \
          "of the pulse, 30 ns; 0: the system's",                                           \
          NULL,                                                                             \
          NULL },                                                                           \
        { "segments", 'S',  KL_OPT_INT, KL_CONTROL_AT(at, segments), "N",                   \
          1,          4096, true,       "of constant controls",      NULL,                  \
          NULL },                                                                           \
        { "controls",                                                                       \
          0,                                                                                \
          KL_OPT_INT,                                                                       \
          KL_CONTROL_AT(at, controls),                                                      \
          "N",                                                                              \
          0,                                                                                \
          KL_CONTROL_MAX_CONTROLS,                                                          \
          true,                                                                             \
          "2 or 3 of one qubit, 4 or 6 of two",                                             \
          NULL,                                                                             \
          NULL },                                                                           \
        { "levels", 0, KL_OPT_STRING, KL_CONTROL_AT(at, levels),           "N",             \
          0,        0, true,          "of a transmon, 2 to 16; default 3", NULL,            \
          NULL },                                                                           \
    {                                                                                       \
        "limit", 0, KL_OPT_STRING, KL_CONTROL_AT(at, limit), "U", 0, 0, true,               \
            "of |u|: 3.14, or x=3,y=2; x=0:3, x+iy=3", NULL, NULL                           \
    }
#define KL_CONTROL_WAVEFORM_OPTIONS(at)                                                         \
    { "functions", 0, KL_OPT_CHOICE, KL_CONTROL_AT(at, functions), "piecewise|splines|fourier", \
      0,           0, true,          "that a control is made of",  "Waveform",                  \
      NULL },                                                                                   \
        { "count",                                                                              \
          0,                                                                                    \
          KL_OPT_INT,                                                                           \
          KL_CONTROL_AT(at, count),                                                             \
          "N",                                                                                  \
          1,                                                                                    \
          4096,                                                                                 \
          true,                                                                                 \
          "of splines, or of sines and cosines",                                                \
          NULL,                                                                                 \
          NULL },                                                                               \
        { "zero-ends", 0, KL_OPT_FLAG, KL_CONTROL_AT(at, zero_ends), NULL,                      \
          0,           0, true,        "it begins and ends at 0",    NULL,                      \
          NULL },                                                                               \
        { "constant", 0, KL_OPT_LIST, KL_CONTROL_AT(at, constant),    "NAME",                   \
          0,          0, true,        "controls that are one number", NULL,                     \
          NULL },                                                                               \
        { "slew",                                                                               \
          0,                                                                                    \
          KL_OPT_QUANTITY,                                                                      \
          KL_CONTROL_AT(at, slew),                                                              \
          "R",                                                                                  \
          0,                                                                                    \
          1e9,                                                                                  \
          true,                                                                                 \
          "largest change a time, in limits, 0.1 1/ns; 0: any",                                 \
          NULL,                                                                                 \
          NULL },                                                                               \
        { "low-pass",                                                                           \
          0,                                                                                    \
          KL_OPT_QUANTITY,                                                                      \
          KL_CONTROL_AT(at, tau),                                                               \
          "TAU",                                                                                \
          0,                                                                                    \
          1e9,                                                                                  \
          true,                                                                                 \
          "time constant of a filter before the qubit, 2 ns; 0: none",                          \
          NULL,                                                                                 \
          NULL },                                                                               \
    {                                                                                           \
        "oversample", 0, KL_OPT_INT, KL_CONTROL_AT(at, oversample), "N", 1, 64, true,           \
            "segments of a sample, behind a filter", NULL, NULL                                 \
    }
#define KL_CONTROL_ENSEMBLE_OPTIONS(at)                                                     \
    { "spread",                                                                             \
      0,                                                                                    \
      KL_OPT_LIST,                                                                          \
      KL_CONTROL_AT(at, spread),                                                            \
      "NAME=SIZE",                                                                          \
      0,                                                                                    \
      0,                                                                                    \
      true,                                                                                 \
      "an ensemble: detuning=0.3 amplitude=0.05",                                           \
      "Ensemble",                                                                           \
      NULL },                                                                               \
        { "law",                                                                            \
          0,                                                                                \
          KL_OPT_CHOICE,                                                                    \
          KL_CONTROL_AT(at, law),                                                           \
          "gauss|uniform",                                                                  \
          0,                                                                                \
          0,                                                                                \
          true,                                                                             \
          "sizes are standard deviations, or half widths",                                  \
          NULL,                                                                             \
          NULL },                                                                           \
        { "members",                                                                        \
          0,                                                                                \
          KL_OPT_INT,                                                                       \
          KL_CONTROL_AT(at, members),                                                       \
          "N",                                                                              \
          0,                                                                                \
          64,                                                                               \
          true,                                                                             \
          "of each parameter that is spread; 0: as its law needs",                          \
          NULL,                                                                             \
          NULL },                                                                           \
        { "ensemble", 0, KL_OPT_CHOICE, KL_CONTROL_AT(at, ensemble),     "mean|worst|cvar", \
          0,          0, true,          "what its losses make together", NULL,              \
          NULL },                                                                           \
        { "sharpness", 0,   KL_OPT_FLOAT, KL_CONTROL_AT(at, sharpness),         "K",        \
          1,           1e6, true,         "of worst: log(sum exp(K loss)) / K", NULL,       \
          NULL },                                                                           \
        { "tail",                                                                           \
          0,                                                                                \
          KL_OPT_FLOAT,                                                                     \
          KL_CONTROL_AT(at, tail),                                                          \
          "P",                                                                              \
          1e-6,                                                                             \
          1,                                                                                \
          true,                                                                             \
          "of cvar: mean of the worst share P",                                             \
          NULL,                                                                             \
          NULL },                                                                           \
    {                                                                                       \
        "energy", 0, KL_OPT_FLOAT, KL_CONTROL_AT(at, energy), "X", 0, 1e6, true,            \
            "factor of the mean of (u / limit)^2 in the loss", NULL, NULL                   \
    }

#endif
