/* SPDX-License-Identifier: MIT
   The state dictionary within a training's checkpoint (tests/golden/make_checkpoint.py): its tensors are
   those of the dictionary alone; lists, numbers and NumPy's scalars beside it are passed over, a call is
   not. */
#include <math.h>
#include <string.h>

#include "tests/unit/check.h"
#include "weights/weights.h"

static void check_tensors(const char *path)
{
    struct kl_weights *w = NULL;
    struct kl_error err;
    size_t count = 0;
    const int code = kl_weights_read(&w, path, &err);
    CHECK(code == 0, "%s", err.text);
    if (code) return;
    CHECK(w->n == 8 && strcmp(w->tensors[0].name, "network.0.weight") == 0 &&
              strcmp(w->tensors[7].name, "network.6.bias") == 0,
          "found %zu tensors from %s", w->n, w->tensors[0].name);
    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < w->tensors[i].n; k++, count++)
            CHECK(w->tensors[i].data[k] == (float)(0.3 * sin((double)count + 1)), "%s: value %zu",
                  w->tensors[i].name, k);
    CHECK(count == 812, "found %zu values", count);
    kl_weights_free(&w);
}

int main(void)
{
    struct kl_weights *w = NULL;
    struct kl_error err;
    check_tensors("tests/golden/weights/maml.pt");
    check_tensors("tests/golden/weights/maml_policy.pt");
    CHECK(kl_weights_read(&w, "tests/golden/weights/maml_call.pt", &err) == KL_EDATA &&
              strstr(err.text, "posix.system") && strstr(err.text, "nothing was executed"),
          "%s", err.text);
    kl_weights_free(&w);
    return failures != 0;
}
