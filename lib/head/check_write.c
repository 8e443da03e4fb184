/* SPDX-License-Identifier: MIT */
#include "head/check.h"

void kl_gradient_check_write(FILE *to, const struct kl_gradient_check *check, const char *core)
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
