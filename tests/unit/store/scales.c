/* SPDX-License-Identifier: MIT
   Dimension scales: what h5py reads of them, the same bytes whatever the order of calls, wrong ones
   refused. */
#include "store_test.h"

enum { CHAINS = 4, DRAWS = 50, BETAS = 3 };
static const char *const names[3] = { "posterior/chain", "posterior/draw", "posterior/beta" };

static int write_file(const char *path, bool backwards, struct kl_error *err)
{
    const size_t dims[3] = { CHAINS, DRAWS, BETAS };
    static float loss[CHAINS][DRAWS][BETAS];
    static const double number[DRAWS];
    struct kl_writer *w = NULL;
    int rc = kl_store_writer_open(&w, path, &test_header, err);
    for (int i = 0; i < CHAINS * DRAWS * BETAS; i++) (&loss[0][0][0])[i] = (float)i / 8;
    for (int k = 0; k < 3 && !rc; k++) {
        const int i = backwards ? 2 - k : k;
        rc = kl_store_writer_put(w, names[i], KL_TYPE_F64, 0, 1, dims + i, number, err);
    }
    if (!rc) rc = kl_store_writer_put(w, "posterior/loss", KL_TYPE_F32, 0, 3, dims, loss, err);
    if (!rc) rc = kl_store_writer_put(w, "posterior/error", KL_TYPE_F32, 0, 2, dims, loss, err);
    for (int k = 0; k < 2 && !rc; k++)
        rc = kl_store_writer_dimensions(w, k == backwards ? "posterior/loss" : "posterior/error", names,
                                        err);
    if (!rc) rc = kl_store_writer_number(w, "posterior/loss", "scale", 0.5, err);
    if (!rc) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

static void check_read(const char *path)
{
    struct kl_error err = { 0 };
    struct kl_file *f = NULL;
    char *text = NULL;
    int rc = kl_store_file_open(&f, path, &err);
    CHECK(rc == 0, "%s", err.text);
    if (rc) return;
    CHECK(kl_store_file_verify(f, NULL, &err) == 0, "%s", err.text);
    CHECK(kl_store_file_n_datasets(f) == 5, "%zu datasets", kl_store_file_n_datasets(f));
    CHECK(kl_store_file_text(&text, f, "posterior/loss", "dimensions", &err) == 0 &&
              strcmp(text, "chain draw beta") == 0,
          "%s", text ? text : err.text);
    free(text);
    CHECK(!kl_store_file_has_attribute(f, "posterior/chain", "CLASS") &&
              !kl_store_file_has_attribute(f, "posterior/loss", "DIMENSION_LIST"),
          "HDF5's own attributes are attributes of ours");
    kl_store_file_close(&f);
}

static void check_peer(const char *path)
{
    char command[2600];
    const char *python = getenv("KETLINE_PYTHON") ? getenv("KETLINE_PYTHON") : "python3";
    snprintf(command, sizeof command, "'%s' -c 'import h5py' 2>/dev/null", python);
    if (system(command)) {
        fprintf(stderr, "skipped: h5py is not here\n");
        return;
    }
    snprintf(
        command, sizeof command,
        "'%s' -c 'import h5py, sys\nf = h5py.File(sys.argv[1], \"r\")\ng = f[\"posterior\"]\n"
        "scale = lambda n: h5py.h5ds.is_scale(g[n].id)\n"
        "assert all(map(scale, (\"chain\", \"draw\", \"beta\"))) and not scale(\"loss\")\n"
        "d = g[\"loss\"].dims\nassert [len(x) for x in d] == [1, 1, 1] and d[1].keys() == [\"draw\"]\n"
        "assert [x[0].name[11:] for x in d] == [\"chain\", \"draw\", \"beta\"]\n"
        "assert g[\"draw\"][0] == 0 and g[\"loss\"][3, 49, 2] == 599 / 8\n"
        "r = [(f[a].name[11:], b) for a, b in g[\"chain\"].attrs[\"REFERENCE_LIST\"]]\n"
        "assert sorted(r) == [(\"error\", 0), (\"loss\", 0)], r\n"
        "assert len(g[\"beta\"].attrs[\"REFERENCE_LIST\"]) == 1' '%s'",
        python, path);
    CHECK(system(command) == 0, "h5py");
}

static void check_refused(void)
{
    const size_t dims[2] = { 2, 3 };
    static const double zero[6];
    static const char *const wrong[][2] = {
        { "a/two", "a/two" }, { "a/two", "b/three" }, { "a/two", "a/absent" }, { "a/two", "a/set" }
    };
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    char path[1024];
    CHECK(kl_store_writer_open(&w, in_folder(path, "none.h5"), &test_header, &err) == 0, "%s", err.text);
    if (!w) return;
    CHECK(!kl_store_writer_put(w, "a/two", KL_TYPE_F64, 0, 1, dims, zero, &err) &&
              !kl_store_writer_put(w, "a/three", KL_TYPE_F64, 0, 1, dims + 1, zero, &err) &&
              !kl_store_writer_put(w, "b/three", KL_TYPE_F64, 0, 1, dims + 1, zero, &err) &&
              !kl_store_writer_put(w, "a/set", KL_TYPE_F64, 0, 2, dims, zero, &err) &&
              !kl_store_writer_put(w, "a/number", KL_TYPE_F64, 0, 0, NULL, zero, &err),
          "%s", err.text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(kl_store_writer_dimensions(w, "a/set", wrong[i], &err) == KL_EINTERNAL &&
                  strstr(err.text, "dimension 1 of 3") && strstr(err.text, wrong[i][1]),
              "%zu: %s", i, err.text);
    CHECK(kl_store_writer_dimensions(w, "a/number", wrong[0], &err) == KL_EINTERNAL, "%s", err.text);
    CHECK(kl_store_writer_dimensions(w, "absent", wrong[0], &err) == KL_EINTERNAL, "%s", err.text);
    CHECK(kl_store_writer_dimensions(w, "a/two", wrong[0], &err) == KL_EINTERNAL, "a scale of itself");
    kl_store_writer_abort(&w);
}

int main(void)
{
    struct kl_error err = { 0 };
    char a[1024], b[1024], command[2200];
    make_test_folder();
    int rc = write_file(in_folder(a, "a.h5"), false, &err);
    CHECK(rc == 0, "%s", err.text);
    rc = write_file(in_folder(b, "b.h5"), true, &err);
    CHECK(rc == 0, "%s", err.text);
    snprintf(command, sizeof command, "cmp '%s' '%s'", a, b);
    CHECK(system(command) == 0, "the order of calls shows");
    check_read(a);
    check_peer(a);
    check_refused();
    return failures != 0;
}
