/* SPDX-License-Identifier: MIT
   A qubit by hand, which no test makes with the code under test: H = detuning Z + x X + y Y and the jump
   sqrt(1/2) Z as dr/dt in (1, x, y, z). */
#ifndef KL_TESTS_CONTROL_QUBIT_H
#define KL_TESTS_CONTROL_QUBIT_H

#include "control/model/model.h"

enum { QUBIT_DETUNING, QUBIT_DEPHASING }; /* its parameters */
static double qubit_by_x[16] = { [11] = -2, [14] = 2 }, qubit_by_y[16] = { [7] = 2, [13] = -2 },
              qubit_by_z[16] = { [6] = -2, [9] = 2 }, qubit_by_phi[16] = { [5] = -1, [10] = -1 };
static const struct kl_control_system qubit = {
    .d = 2,
    .dim = 4,
    .n_controls = 2,
    .n_params = 2,
    .controls = { { .name = "x", .matrix = qubit_by_x }, { .name = "y", .matrix = qubit_by_y } },
    .params = { { .name = "detuning", .matrix = qubit_by_z },
                { .name = "gamma_phi", .rate = true, .matrix = qubit_by_phi } },
};

#endif
