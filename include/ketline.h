/* SPDX-License-Identifier: MIT
   The C library's public headers; all others are the tools' own. Every function returns 0 or a negative
   code and says in one line what was wrong (struct kl_error); none prints or ends the program. Results
   do not depend on the number of threads. examples/use-the-library.c begins with this. */
#ifndef KETLINE_H
#define KETLINE_H

#include "base/base.h"           /* errors, memory, threads, options, JSON */
#include "circuit/circuit.h"     /* circuits by name or OpenQASM, expectation values, gradients, noise */
#include "control/model/model.h" /* noisy systems, gates, Lindblad propagators */
#include "control/noise/noise.h" /* spectra of noise, filter functions, rates */
#include "control/pulse/pulse.h" /* pulses: loss, gradient, optimisers */
#include "stats/stats.h"         /* scores, tests, intervals */
#include "store/store.h"         /* files by key */
#include "weights/weights.h"     /* tensors of PyTorch, safetensors, NumPy */

#endif
