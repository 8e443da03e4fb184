/* SPDX-License-Identifier: MIT
   doctor under failing allocations and writes: what fails in the store is said, nothing is left there.
 */
#include "whole/whole.h"

const char *const fault_inputs[] = { 0 };

const struct fault_job fault_jobs[] = {
    { .name = "doctor", .command = "doctor --no-bench --json", .talks = true, .status = 1 },
    { .name = "doctor, measuring", .command = "doctor -q", .status = 1, .timed = true, .slower = 8 },
    { 0 },
};
