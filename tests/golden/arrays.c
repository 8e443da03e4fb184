/* SPDX-License-Identifier: MIT
   Arrays as NumPy, h5py, MATLAB and Julia keep them (make_arrays.py): entry (i, j, k) of (2, 3, 4) is
   100 i + 10 j + k whatever the order of indices and of bytes, the type, the filter or the link. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "weights/array.h"

static const char *in(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "tests/golden/arrays/%s", name);
    return path;
}

/* Entry (i, j, k) times factor; imaginary: minus it beside it. */
static void check(const char *name, double factor, bool pairs, bool by_columns)
{
    struct kl_numbers a;
    struct kl_error err = { 0 };
    const int code = kl_weights_array_read(&a, in(name), 1000, false, &err);
    CHECK(!code, "%s: %s", name, err.text);
    if (code) return;
    bool same = a.rank == 3 && a.dims[0] == 2 && a.dims[1] == 3 && a.dims[2] == 4;
    for (int n = 0; n < 24 && same; n++) {
        const double expected = factor * (100 * (n / 12) + 10 * (n / 4 % 3) + n % 4);
        const double found = pairs ? a.values[2 * n] : a.values[n];
        same = found == expected && (!pairs || a.values[2 * n + 1] == -expected);
    }
    CHECK(same, "%s", name);
    CHECK(a.pairs == pairs && !!*a.mark == by_columns, "%s: pairs %d, by columns %d", name, a.pairs,
          !!*a.mark);
    kl_store_numbers_free(&a);
}

static void check_bool(const char *name)
{
    struct kl_numbers a;
    struct kl_error err = { 0 };
    const int code = kl_weights_array_read(&a, in(name), 1000, false, &err);
    CHECK(!code, "%s: %s", name, err.text);
    for (int n = 0; n < 24 && !code; n++) CHECK(a.values[n] == (n >= 12), "%s: %d", name, n);
    kl_store_numbers_free(&a);
}

static void check_texts(const char *name)
{
    static const char *const expected[] = { "left", "rechts \xc3\xa9", "\xe6\x97\xa5\xe6\x9c\xac", "" };
    struct kl_numbers a;
    struct kl_error err = { 0 };
    const int code = kl_weights_array_read(&a, in(name), 1000, true, &err);
    CHECK(!code, "%s: %s", name, err.text);
    if (code) return;
    CHECK(a.rank == 2 && a.dims[0] == 2 && a.dims[1] == 2 && a.texts && !a.values, "%s", name);
    for (int n = 0; n < 4 && a.texts; n++)
        CHECK(strcmp(a.texts[n], expected[n]) == 0, "%s: '%s'", name, a.texts[n]);
    kl_store_numbers_free(&a);
    CHECK(kl_weights_array_read(&a, in(name), 1000, false, &err) == KL_EDATA &&
              strstr(err.text, "texts"),
          "%s: %s", name, err.text);
}

static void refused(const char *name, size_t most, bool texts, const char *words)
{
    struct kl_numbers a;
    struct kl_error err = { 0 };
    const int code = kl_weights_array_read(&a, in(name), most, texts, &err);
    CHECK(code == KL_EDATA && strstr(err.text, words) && !strchr(err.text, '\n'), "%s: %d '%s'", name,
          code, err.text);
    CHECK(!a.values && !a.texts, "%s", name);
}

/* Bytes that do not compress, as lzf keeps them. */
static void check_noise(void)
{
    struct kl_numbers a, b;
    struct kl_error err = { 0 };
    CHECK(!kl_weights_array_read(&a, in("arrays.h5:lzf_noise"), 5000, false, &err) &&
              !kl_weights_array_read(&b, in("lzf_noise.npy"), 5000, false, &err),
          "%s", err.text);
    CHECK(a.dims[0] == 4096 && b.dims[0] == 4096 &&
          memcmp(a.values, b.values, 4096 * sizeof *a.values) == 0);
    kl_store_numbers_free(&a), kl_store_numbers_free(&b);
    CHECK(!kl_weights_array_read(&a, in("arrays.h5:lzf_shuffled"), 5000, false, &err), "%s", err.text);
    CHECK(a.dims[0] == 100 && a.dims[1] == 3 && a.dims[2] == 4);
    for (int n = 0; n < 1200; n++)
        CHECK(a.values[n] == 100 * (n / 12 % 2) + 10 * (n / 4 % 3) + n % 4, "lzf_shuffled: %d", n);
    kl_store_numbers_free(&a);
}

/* The kind of a name does not depend on the names of its folders. */
static void names(void)
{
    CHECK(kl_weights_is_hdf5("run.h5.old/x.h5:u") && kl_weights_is_hdf5("x.jld2:a/b"));
    CHECK(kl_weights_is_hdf5("x.h5x/y.mat") && !kl_weights_is_hdf5("x.h5/y.edf"));
    CHECK(kl_weights_is_array("a.npy.d/b.npz:x") && !kl_weights_is_array(".npy"));
    CHECK(kl_weights_array_length("run.h5.old/x.h5:u:v") == strlen("run.h5.old/x.h5"));
    CHECK(kl_weights_array_length("x.jld2:u") == 6 && kl_weights_array_length("x.edf") == 5);
}

int main(void)
{
    static const char *const plain[] = { "c.npy",  "big.npy", "half.npy",      "u1.npy",
                                         "i2.npy", "u4.npy",  "big_u2.npy",    "big_i8.npy",
                                         "u8.npy", "one.npz", "one.npz:arr_0", "two.npz:x" };
    static const char *const hdf5[] = { "a",        "group/big",  "lzf",
                                        "gzip",     "soft",       "group/relative",
                                        "/through", "linked/big", "linked/relative" };
    names();
    for (size_t n = 0; n < sizeof plain / sizeof *plain; n++) check(plain[n], 1, false, false);
    for (size_t n = 0; n < sizeof hdf5 / sizeof *hdf5; n++) {
        char name[100];
        snprintf(name, sizeof name, "arrays.h5:%s", hdf5[n]);
        check(name, 1, false, false);
    }
    check("fortran.npy", 1, false, true);
    check("big_fortran.npy", 1, false, true);
    check("two.npz:y", -1, false, true);
    check("complex.npy", 1, true, false);
    check("big_complex.npy", 1, true, true);
    check("arrays.h5:complex", 1, true, false);
    check("arrays.h5:matlab", 1, false, true);
    check("arrays.h5:matlab_complex", 1, true, true);
    check("arrays.h5:julia_complex", 1, true, true);
    check_bool("bool.npy");
    check_bool("arrays.h5:bool");
    check_texts("texts.npy"), check_texts("texts_big.npy"), check_texts("texts_fortran.npy");
    check_texts("bytes.npy"), check_texts("arrays.h5:texts"), check_texts("arrays.h5:bytes");
    check_noise();
    refused("long.npy", 10, true, "found a text of 64 bytes");
    refused("rank5.npy", 100, false, "5 dimensions");
    refused("wide.npy", 100, false, "save a.astype('f8')");
    refused("times.npy", 100, true, "save a.astype('f8') or a.astype(str)");
    refused("objects.npy", 100, true, "Python objects");
    refused("twice.npy", 100, false, "512 bytes behind its header, 24 of dtype <f8 need 192");
    refused("c.npy", 23, false, "found 24 numbers, expected at most 23");
    refused("two.npz", 100, false, "holds several: x, y; name one as");
    refused("two.npz:z", 100, false, "no array z; there are x, y; name one as");
    refused("arrays.h5:a", 23, false, "more numbers");
    refused("arrays.h5", 100, false, "name the dataset");
    refused("arrays.h5:circle", 100, false, "absent");
    refused("arrays.h5:nowhere", 100, false, "absent");
    refused("arrays.h5:external", 100, false,
            "a link to /a of another file, 'other.h5'; give that file");
    refused("arrays.h5:to_external", 100, false, "of another file, 'other.h5'");
    refused("arrays.h5:virtual", 100, false, "a virtual dataset");
    refused("arrays.h5:scaled", 100, false, "number 6 (scaleoffset), expected gzip or lzf");
    refused("arrays.h5:record", 100, false, "expected numbers");
    refused("old.mat:x", 100, false, "'-v7.3'");
    return failures != 0;
}
