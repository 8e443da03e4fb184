/* SPDX-License-Identifier: MIT
   What the comparison of gradients found, in words and as JSON. */
#include "head/check.h"

void kl_head_gradient_check_write(FILE *to, const struct kl_gradient_check *check, const char *core)
{
    fprintf(to, "%zu sample%s, %zu parameters, double precision, largest gradient %.3g\n",
            check->samples, kl_s(check->samples), check->parameters, check->largest);
    if (check->has_circuit) {
        fprintf(to, "adjoint - parameter-shift: %.2e (bound %.0e)\n", check->adjoint_shift,
                check->shift_bound);
        fprintf(to, "adjoint - central differences: %.2e (bound %.0e)\n", check->adjoint_differences,
                check->differences_bound);
        fprintf(to, "parameter-shift - central differences: %.2e (bound %.0e)\n",
                check->shift_differences, check->differences_bound);
        fprintf(to, "adjoint - mean of %zu spsa directions: %.2f standard errors (bound %.0f)\n",
                check->directions, check->spsa, check->spsa_bound);
    }
    fprintf(to, "core %s, %zu entries - central differences of the loss: %.2e (bound %.0e)\n", core,
            check->entries, check->loss_differences, check->differences_bound);
}

int kl_head_gradient_check_json(FILE *to, const struct kl_gradient_check *check, const char *core,
                                struct kl_error *err)
{
    const struct kl_json_pair pairs[] = {
        { "samples", KL_JSON_COUNT, NULL, (double)check->samples },
        { "parameters", KL_JSON_COUNT, NULL, (double)check->parameters },
        { "largest_gradient", KL_JSON_NUMBER, NULL, check->largest },
        { "core", KL_JSON_TEXT, core, 0 },
        { "entries", KL_JSON_COUNT, NULL, (double)check->entries },
        { "loss_differences", KL_JSON_NUMBER, NULL, check->loss_differences },
        { "differences_bound", KL_JSON_NUMBER, NULL, check->differences_bound },
        { "agree", KL_JSON_BOOL, NULL, check->agree },
        { "adjoint_shift", KL_JSON_NUMBER, NULL, check->adjoint_shift },
        { "shift_bound", KL_JSON_NUMBER, NULL, check->shift_bound },
        { "adjoint_differences", KL_JSON_NUMBER, NULL, check->adjoint_differences },
        { "shift_differences", KL_JSON_NUMBER, NULL, check->shift_differences },
        { "spsa_directions", KL_JSON_COUNT, NULL, (double)check->directions },
        { "spsa_standard_errors", KL_JSON_NUMBER, NULL, check->spsa },
        { "spsa_bound", KL_JSON_NUMBER, NULL, check->spsa_bound },
    };
    const size_t of_circuit = 7, n = sizeof pairs / sizeof *pairs;
    return kl_json_line(to, pairs, check->has_circuit ? n : n - of_circuit, err);
}
