/* SPDX-License-Identifier: MIT
   The state dictionary within a training's checkpoint (tests/golden/make_checkpoint.py): its tensors are
   those of the dictionary alone; lists, numbers, NumPy's scalars and objects of PyTorch Lightning beside
   it are passed over, a call is not. */
#include <math.h>
#include <string.h>

#include "tests/unit/check.h"
#include "weights/weights.h"

/* more: tensors beside the eight. */
static void check_tensors(const char *path, const char *prefix, size_t more, const char *note)
{
    struct kl_weights *w = NULL;
    struct kl_error err;
    size_t count = 0;
    const int code = kl_weights_read(&w, path, &err);
    CHECK(code == 0, "%s", err.text);
    if (code) return;
    kl_weights_find_prefix(w, "network.0.weight", "network.6.bias");
    CHECK(strcmp(w->note, note) == 0, "'%s', expected '%s'", w->note, note);
    CHECK(w->n == 8 + more && strcmp(w->prefix, prefix) == 0 &&
              kl_weights_find(w, "network.0.weight") == &w->tensors[0] &&
              kl_weights_find(w, "network.6.bias") == &w->tensors[7],
          "found %zu tensors from %s, prefix '%s'", w->n, w->tensors[0].name, w->prefix);
    for (size_t i = 0; i < 8 && i < w->n; i++)
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
    check_tensors("tests/golden/weights/maml.pt", "", 0,
                  "the tensors are those under 'policy_state_dict'");
    check_tensors("tests/golden/weights/maml_policy.pt", "", 0, "");
    check_tensors("tests/golden/weights/trainer.ckpt", "model.", 1,
                  "the tensors are those under 'state_dict'");
    CHECK(kl_weights_read(&w, "tests/golden/weights/several.pt", &err) == KL_EDATA &&
              strstr(err.text, "no dictionary in it holds tensors by name, or several do; in PyTorch"),
          "%s", err.text);
    kl_weights_free(&w);
    CHECK(kl_weights_read(&w, "tests/golden/weights/maml_call.pt", &err) == KL_EDATA &&
              strstr(err.text, "posix.system") && strstr(err.text, "nothing was executed"),
          "%s", err.text);
    kl_weights_free(&w);
    return failures != 0;
}
