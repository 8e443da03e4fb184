/* SPDX-License-Identifier: MIT
   Too few or too many inputs; of these the first one too many is shown: a name with a blank in it, say.
 */
#include "base/base.h"

int kl_fail_inputs(struct kl_error *err, const char *const *inputs, size_t n, size_t most,
                   const char *expected)
{
    return n > most
               ? kl_fail(err, KL_EUSAGE, "%zu input%s, expected %s; '%s' is too many; see --help", n,
                         kl_s(n), expected, inputs[most])
               : kl_fail(err, KL_EUSAGE, "%zu input%s, expected %s; see --help", n, kl_s(n), expected);
}
