/* SPDX-License-Identifier: MIT
   The bytes are a program that changes a sound file by HDF5 itself (attributes, datasets, links, types
   that ketline does not write), after which it is sealed anew: so HDF5 finds nothing wrong, and only
   what ketline expects of a file can refuse it. One that is whole holds the numbers and words that it
   held before. */
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/store/store_test.h"
#include "store/store_int.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 20;
enum { ROWS = 300, WIDTH = 64, STEPS = 8 };

static char path[300], sound[300];

/* The rest of the program. A link to the root that was moved and then deleted crashes HDF5 1.10.8 when
   it closes the file: behind one that was made nothing is moved. */
static struct {
    const unsigned char *at;
    size_t n;
    bool ring;
} program;

static unsigned next(unsigned below)
{
    if (!program.n) return 0;
    program.n--;
    return *program.at++ % below;
}

static const char *pick(const char *const *words, unsigned n)
{
    return words[next(n)];
}

static const char *object(void)
{
    static const char *const words[] = { "/",       "features",    "labels", "digests/features",
                                         "digests", "class_names", "new" };
    return pick(words, 7);
}

static const char *name(void)
{
    static const char *const words[] = {
        "kind",     "key",      "content", "schema",      "key_parts",  "created_by", "row_sum",
        "backbone", "features", "new",     "digests/new", "provenance", "group",      "digests/features"
    };
    return pick(words, 14);
}

static hid_t type(void)
{
    static hid_t enumeration = -1, compound = -1, text = -1, variable = -1;
    if (enumeration < 0) {
        const int one = 1;
        enumeration = H5Tenum_create(H5T_NATIVE_INT);
        H5Tenum_insert(enumeration, "one", &one);
        compound = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(compound, "a", 0, H5T_STD_I64LE);
        text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, 64);
        variable = H5Tcopy(H5T_C_S1);
        H5Tset_size(variable, H5T_VARIABLE);
    }
    const hid_t types[] = { H5T_STD_I64LE,  H5T_STD_I64BE,   H5T_IEEE_F64LE,
                            H5T_IEEE_F32LE, H5T_STD_U8LE,    H5T_STD_I32LE,
                            text,           variable,        enumeration,
                            compound,       H5T_STD_REF_OBJ, H5T_NATIVE_OPAQUE };
    return types[next(12)];
}

static hid_t space(void)
{
    const hsize_t one[] = { 1, 1, 1, 1, 1, 1 }, some[] = { 3, 2 }, none[] = { 0 }, blocks[] = { 1, 16 };
    switch (next(7)) {
    case 0: return H5Screate(H5S_SCALAR);
    case 1: return H5Screate(H5S_NULL);
    case 2: return H5Screate_simple(6, one, NULL);
    case 3: return H5Screate_simple(1, one, NULL);
    case 4: return H5Screate_simple(2, some, NULL);
    case 5: return H5Screate_simple(1, none, NULL);
    default: return H5Screate_simple(2, blocks, NULL);
    }
}

static void put_attribute(hid_t file)
{
    static const char words[2048] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    const char *where = object(), *what = name();
    const hid_t t = type(), s = space();
    H5Adelete_by_name(file, where, what, H5P_DEFAULT);
    const hid_t a = H5Acreate_by_name(file, where, what, t, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (a >= 0 && !H5Tis_variable_str(t) && H5Tget_class(t) != H5T_REFERENCE) H5Awrite(a, t, words);
    H5Aclose(a);
    H5Sclose(s);
}

static void put_dataset(hid_t file)
{
    const hsize_t chunk[] = { 1, 1, 1, 1, 1, 1 };
    const char *what = name();
    const hid_t t = type(), s = space(), dcpl = H5Pcreate(H5P_DATASET_CREATE),
                lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    switch (next(5)) {
    case 0: H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY); break;
    case 1: break; /* late: without a place */
    case 2: H5Pset_layout(dcpl, H5D_COMPACT); break;
    case 3:
        if (H5Sget_simple_extent_ndims(s) > 0) H5Pset_chunk(dcpl, H5Sget_simple_extent_ndims(s), chunk);
        if (next(2)) H5Pset_deflate(dcpl, 1);
        break;
    default: H5Pset_external(dcpl, "/etc/passwd", 0, H5F_UNLIMITED);
    }
    if (!program.ring) H5Ldelete(file, what, H5P_DEFAULT);
    const hid_t d = H5Dcreate2(file, what, t, s, lcpl, dcpl, H5P_DEFAULT);
    H5Dclose(d);
    H5Pclose(lcpl);
    H5Pclose(dcpl);
    H5Sclose(s);
}

static void put_link(hid_t file)
{
    const char *what = name(), *where = object();
    switch (next(5)) {
    case 3: where = "/"; /* a ring */ /* fall through */
    case 0:
        program.ring |= !where[1];
        H5Lcreate_hard(file, where, file, what, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 1: H5Lcreate_soft(where, file, what, H5P_DEFAULT, H5P_DEFAULT); break;
    case 2: H5Lcreate_external("/elsewhere.h5", where, file, what, H5P_DEFAULT, H5P_DEFAULT); break;
    default: H5Gclose(H5Gcreate2(file, what, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
}

static void change(hid_t file)
{
    const char *what, *where;
    switch (next(6)) {
    case 0: put_attribute(file); break;
    case 1: put_dataset(file); break;
    case 2: put_link(file); break;
    case 3:
        what = name();
        if (!program.ring) H5Ldelete(file, what, H5P_DEFAULT);
        break;
    case 4: what = name(), where = object(), H5Adelete_by_name(file, where, what, H5P_DEFAULT); break;
    default:
        what = name(), where = name();
        if (!program.ring) H5Lmove(file, what, file, where, H5P_DEFAULT, H5P_DEFAULT);
    }
}

/* A copy of the sound file, changed, sealed with the same extents. */
static void make_changed(void)
{
    struct kl_error err = { 0 };
    struct kl_envelope envelope;
    unsigned char bytes[1 << 18];
    int fd = open(sound, O_RDONLY | O_CLOEXEC);
    const ssize_t n = read(fd, bytes, sizeof bytes);
    need(n > 0 && n < (ssize_t)sizeof bytes && !kl_store_envelope_check(&envelope, fd, sound, &err),
         err.text, sound);
    close(fd);
    fuzz_write(path, bytes, envelope.eof);
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, fapl);
    need(file >= 0, "HDF5 cannot open it", path);
    for (int i = 0; i < STEPS && program.n; i++) change(file);
    H5Fclose(file);
    H5Pclose(fapl);
    fd = open(path, O_RDWR | O_CLOEXEC);
    need(kl_store_envelope_write(fd, path, kl_store_superblock_eof(fd), envelope.extents, envelope.n,
                                 &err) == 0,
         err.text, path);
    close(fd);
    free(envelope.extents);
}

/* All that the content is a digest of. */
static void need_the_same(struct kl_file *f)
{
    struct kl_error err = { 0 };
    struct kl_file *before;
    need(kl_store_file_open(&before, sound, &err) == 0, err.text, sound);
    need(strcmp(kl_store_file_content(f), kl_store_file_content(before)) == 0 &&
             kl_store_file_n_datasets(f) == kl_store_file_n_datasets(before),
         "whole, and another content", path);
    for (size_t i = 0; i < kl_store_file_n_datasets(f); i++) {
        const struct kl_dataset *d = kl_store_file_dataset(f, i),
                                *e = kl_store_file_find(before, d->name);
        void *x = NULL, *y = NULL;
        need(e && e->type == d->type && e->rows == d->rows && e->row_size == d->row_size,
             "another dataset", d->name);
        need(kl_store_file_load(&x, f, d, &err) == 0 && kl_store_file_load(&y, before, e, &err) == 0,
             err.text, d->name);
        need(memcmp(x, y, d->rows * d->row_size) == 0, "whole, and other numbers", d->name);
        free(x);
        free(y);
    }
    kl_store_file_close(&before);
}

static void prepare(void)
{
    struct kl_error err = { 0 };
    snprintf(path, sizeof path, "%s/changed.h5", fuzz_folder());
    snprintf(sound, sizeof sound, "%s/sound.h5", fuzz_folder());
    need(write_test_file(sound, ROWS, WIDTH, 1, &err) == 0, err.text, sound);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 };
    struct kl_file *f;
    if (!*sound) prepare();
    program.at = data;
    program.n = n;
    program.ring = false;
    make_changed();
    int code = kl_store_file_open(&f, path, &err);
    if (!code) code = kl_store_file_verify(f, NULL, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    else need_the_same(f);
    kl_store_file_close(&f);
    return code == 0 && !failures;
}
