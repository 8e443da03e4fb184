/* SPDX-License-Identifier: MIT
   Every type written and read back; order of calls does not show in the bytes; h5dump and h5py read it.
 */
#include <math.h>

#include "store_test.h"

static const char *const type_names[] = { "u8", "i32", "i64", "f16", "f32", "f64", "text" };

static int write_types(const char *path, bool backwards, struct kl_error *err)
{
    struct kl_writer *w = NULL;
    size_t dims[3] = { 300, 7, 11 };
    int rc = kl_store_writer_open(&w, path, &test_header, err);
    for (int k = 0; k < 7 && !rc; k++) {
        int t = backwards ? 6 - k : k;
        size_t item = t == KL_TYPE_STRING ? 5 : kl_store_type_size((enum kl_type)t), n = 300 * 77 * item;
        unsigned char *data = malloc(n);
        for (size_t i = 0; i < n; i++) data[i] = (unsigned char)('a' + (i * 7 + (size_t)t) % 23);
        rc = kl_store_writer_put(w, type_names[t], (enum kl_type)t, t == KL_TYPE_STRING ? 5 : 0, 3, dims,
                                 data, err);
        free(data);
    }
    double pi = 3.25;
    size_t none[2] = { 0, 4 };
    if (!rc) rc = kl_store_writer_put(w, "params/scalar", KL_TYPE_F64, 0, 0, NULL, &pi, err);
    if (!rc) rc = kl_store_writer_put(w, "params/empty", KL_TYPE_F32, 0, 2, none, "", err);
    if (!rc && backwards) rc = kl_store_writer_text(w, "params", "note", "in a group", err);
    if (!rc) rc = kl_store_writer_number(w, "f32", "scale", 0.125, err);
    if (!rc) rc = kl_store_writer_integer(w, "", "epochs", -7, err);
    if (!rc) rc = kl_store_writer_text(w, "", "empty", "", err);
    if (!rc && !backwards) rc = kl_store_writer_text(w, "params", "note", "in a group", err);
    if (!rc) rc = kl_store_writer_provenance(w, "[{\"id\":\"1\"}]", err);
    if (!rc) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

static void check_types(const char *path)
{
    struct kl_error err = { 0 };
    struct kl_file *f = NULL;
    int rc = kl_store_file_open(&f, path, &err);
    CHECK(rc == 0, "%s", err.text);
    if (rc) return;
    CHECK(strcmp(kl_store_file_kind(f), "features") == 0 && kl_store_file_schema(f) == 1, "header");
    CHECK(strcmp(kl_store_file_key(f), test_header.key) == 0, "key");
    CHECK(strcmp(kl_store_file_created_by(f), "test " KL_VERSION) == 0, "%s",
          kl_store_file_created_by(f));
    CHECK(strcmp(kl_store_file_provenance(f), "[{\"id\":\"1\"}]") == 0, "%s",
          kl_store_file_provenance(f));
    CHECK(kl_store_file_n_datasets(f) == 9, "%zu", kl_store_file_n_datasets(f));
    for (int t = 0; t < 7; t++) {
        const struct kl_dataset *d;
        unsigned char *x = NULL, part[3 * 77 * 8];
        rc = kl_store_file_expect(&d, f, type_names[t], (enum kl_type)t, 3, &err);
        CHECK(rc == 0, "%s", err.text);
        if (rc || kl_store_file_rows(f, d, 100, 3, part, &err) ||
            kl_store_file_load((void **)&x, f, d, &err)) {
            CHECK(0, "%s", err.text);
            continue;
        }
        bool same = d->dims[0] == 300 && d->dims[2] == 11 &&
                    memcmp(part, x + 100 * d->row_size, 3 * d->row_size) == 0;
        for (size_t i = 0; i < d->rows * d->row_size && same; i++)
            same = x[i] == 'a' + (i * 7 + (size_t)t) % 23;
        CHECK(same, "%s", type_names[t]);
        free(x);
    }
    double number = 0;
    char *text = NULL;
    CHECK(kl_store_file_number(&number, f, "f32", "scale", &err) == 0 && number == 0.125, "%s",
          err.text);
    CHECK(kl_store_file_number(&number, f, "", "epochs", &err) == 0 && number == -7, "%s", err.text);
    CHECK(kl_store_file_text(&text, f, "params", "note", &err) == 0 && strcmp(text, "in a group") == 0,
          "%s", err.text);
    free(text);
    CHECK(kl_store_file_text(&text, f, "", "empty", &err) == 0 && !*text, "%s", err.text);
    free(text);
    CHECK(kl_store_file_text(&text, f, "", "absent", &err) == KL_EDATA && !text, "absent");
    CHECK(kl_store_file_find(f, "digests/f32") == NULL && !kl_store_file_has_attribute(f, "f32", "x"),
          "hidden");
    const struct kl_dataset *d = kl_store_file_find(f, "params/scalar");
    CHECK(d && d->rank == 0 && kl_store_file_rows(f, d, 0, 1, &number, &err) == 0 && number == 3.25,
          "scalar");
    CHECK(kl_store_file_expect(&d, f, "f32", KL_TYPE_F64, -1, &err) == KL_EDATA &&
              strstr(err.text, "f32"),
          "%s", err.text);
    CHECK(kl_store_file_verify(f, NULL, &err) == 0, "%s", err.text);
    kl_store_file_close(&f);
}

static int same_bytes(const char *a, const char *b)
{
    char command[2200];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", a, b);
    return system(command) == 0;
}

static void check_peers(const char *path)
{
    char command[2600];
    if (system("command -v h5dump >/dev/null 2>&1") == 0) {
        snprintf(command, sizeof command, "h5dump -d /params/scalar '%s' | grep -q 3.25", path);
        CHECK(system(command) == 0, "h5dump");
    } else {
        fprintf(stderr, "skipped: h5dump is not here\n");
    }
    const char *python = getenv("KETLINE_PYTHON") ? getenv("KETLINE_PYTHON") : "python3";
    snprintf(command, sizeof command, "'%s' -c 'import h5py' 2>/dev/null", python);
    if (system(command)) {
        fprintf(stderr, "skipped: h5py is not here\n");
        return;
    }
    snprintf(
        command, sizeof command,
        "'%s' -c 'import h5py, sys\nf = h5py.File(sys.argv[1], \"r\")\n"
        "assert f[\"f16\"].dtype == \"float16\" and f[\"f32\"].shape == (300, 7, 11), f[\"f16\"].dtype\n"
        "assert f[\"u8\"][0, 0, 1] == 104 and f[\"params/scalar\"][()] == 3.25 and f.attrs[\"epochs\"] "
        "== -7\n"
        "assert f.attrs[\"kind\"] == b\"features\" and f[\"text\"][0, 0, 0][:2] == b\"gn\", "
        "f[\"text\"][0,0,0]' '%s'",
        python, path);
    CHECK(system(command) == 0, "h5py");
}

int main(void)
{
    struct kl_error err = { 0 };
    char a[1024], b[1024];
    make_test_folder();
    int rc = write_types(in_folder(a, "a.h5"), false, &err);
    CHECK(rc == 0, "%s", err.text);
    rc = write_types(in_folder(b, "b.h5"), true, &err);
    CHECK(rc == 0, "%s", err.text);
    check_types(a);
    CHECK(same_bytes(a, b), "the order of calls shows");
    check_peers(a);
    CHECK(count_files(test_folder, NULL) == 2, "%d files left", count_files(test_folder, NULL));
    rc = write_test_file(in_folder(a, "f.h5"), 1000, 64, 3, &err);
    CHECK(rc == 0, "%s", err.text);
    rc = read_test_file(a, 1000, 64, 3, &err);
    CHECK(rc == 0, "%d %s", rc, err.text);
    CHECK(read_test_file(a, 1000, 64, 4, &err) == 1, "a test that sees nothing");
    CHECK(write_test_file("/nonexistent/x.h5", 10, 4, 1, &err) == KL_EIO, "%s", err.text);
    CHECK(write_test_file(test_folder, 10, 4, 1, &err) == KL_EIO, "%s", err.text);
    CHECK(kl_store_file_open(&(struct kl_file *){ NULL }, "/nonexistent", &err) == KL_ENOINPUT, "%s",
          err.text);
    return failures != 0;
}
