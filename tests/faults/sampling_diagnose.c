/* SPDX-License-Identifier: MIT
   Files of chains, with dimension scales, and what is said of them: every allocation, every call of
   HDF5, every read fails once, or from then on. */
#include "each.h"
#include "sampling/diagnose/verdict.h"
#include "tests/unit/sampling/chains_example.h"
#include "tests/unit/test_folder.h"

static char old[1024], new[1024];

static int make(struct kl_error *err)
{
    return write_example(new, true, err);
}

static int diagnose(struct kl_error *err)
{
    struct kl_sampling_verdict *v = NULL;
    struct kl_sampling_scores s;
    struct kl_sampling_chains c;
    bool found = false;
    int code = kl_sampling_chains_open(&c, old, err);
    if (!code) code = kl_sampling_verdicts(&v, &c, "posterior/train_loss", NULL, err);
    if (!code) code = kl_sampling_scores(&s, &found, &c, NULL, err);
    if (!code && (!found || !(v[0].bulk > 1900) || !(v[2].rhat > 1.5) || !(s.predictive.loo < -90)))
        code = kl_fail(err, KL_EINTERNAL, "other numbers");
    kl_sampling_chains_close(&c);
    free(v);
    return code;
}

int main(void)
{
    struct kl_error err = { 0 };
    make_test_folder();
    in_folder(old, "old.h5"), in_folder(new, "new.h5");
    CHECK(write_example(old, true, &err) == 0, "%s", err.text);
    check_each("writing", make, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("writing", make, FAULT_HDF5, KL_ENOMEM, KL_ENOMEM);
    check_each("writing", make, FAULT_FILE, KL_EIO, KL_EIO);
    check_each("diagnose", diagnose, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("diagnose", diagnose, FAULT_HDF5, KL_ENOMEM, KL_ENOMEM);
    check_each("diagnose", diagnose, FAULT_READ, KL_EIO, KL_EIO);
    check_interrupted("writing", make);
    check_interrupted("diagnose", diagnose);
    return failures != 0;
}
