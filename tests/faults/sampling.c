/* SPDX-License-Identifier: MIT
   Every allocation of a run of chains fails: opening, going, writing and reading its file, going on. */
#include "each.h"
#include "sampling/ensemble/ensemble.h"
#include "store/store.h"
#include "tests/golden/golden_chains.h"
#include "tests/unit/test_folder.h"

static struct golden_linear problem;
static char path[1024];

static struct kl_sampling_rung rungs[2] = { { 0, 0, 0, 4 }, { 2, 0.05, 2, 4 } };
static struct kl_sampling_settings settings(void)
{
    struct kl_sampling_settings s;
    kl_sampling_settings_default(&s);
    s.rungs = rungs, s.n_rungs = 2, s.chains = 2, s.batch = 3, s.keep = 1;
    s.half_step = s.companion = s.work = s.pointwise = true;
    return s;
}

static int save(struct kl_error *err)
{
    static const struct kl_header header = {
        .kind = "chains",
        .schema = 1,
        .key_parts = "{}",
        .tool = "test",
        .key = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    };
    const struct kl_sampling_settings s = settings();
    struct kl_sampling_run *run = NULL;
    struct kl_writer *w = NULL;
    int code = kl_sampling_run_open(&run, &s, &problem.target, 1, 1, err);
    if (!code) code = kl_sampling_run_go(run, NULL, NULL, err);
    if (!code) code = kl_store_writer_open(&w, path, &header, err);
    if (!code) code = kl_sampling_run_save(w, run, err);
    if (!code) code = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    kl_sampling_run_close(&run);
    return code;
}

static int go_on(struct kl_error *err)
{
    struct kl_sampling_settings s = settings();
    struct kl_sampling_rung more[2] = { { 0, 0, 0, 5 }, { 2, 0.05, 2, 6 } };
    struct kl_sampling_run *run = NULL;
    struct kl_file *file = NULL;
    struct kl_sampling_kept kept = { 0 };
    s.rungs = more;
    int code = kl_sampling_run_open(&run, &s, &problem.target, 1, 1, err);
    if (!code) code = kl_store_file_open(&file, path, err);
    if (!code) code = kl_sampling_run_load(run, file, err);
    if (!code) code = kl_sampling_kept_open(&kept, file, err);
    if (!code) code = kl_sampling_run_go(run, NULL, NULL, err);
    if (!code && kl_sampling_run_chain(run, 0, 1, 1)->at.draws != 6)
        code = kl_fail(err, KL_EINTERNAL, "draws are missing");
    kl_sampling_kept_close(&kept);
    kl_store_file_close(&file);
    kl_sampling_run_close(&run);
    return code;
}

int main(void)
{
    struct kl_error err = { 0 };
    make_test_folder();
    in_folder(path, "chains.h5");
    for (int i = 0; i < 24; i++) problem.x[i] = sin(i), problem.y[i] = cos(i);
    golden_linear_make(&problem, 2, 8, 1);
    check_each("save", save, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    must(save(&err), &err);
    check_each("go on", go_on, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    return failures != 0;
}
