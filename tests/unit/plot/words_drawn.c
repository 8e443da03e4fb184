/* SPDX-License-Identifier: MIT
   What figures say of the numbers that they draw: bounds, and what bands are. */
#include "tests/unit/plot/drawn.h"
#include "tests/unit/test_folder.h"

static char path[1024];

/* 499 permutations, of which none reached what was found if p is 1/500. */
struct permuted {
    double p, orders;
};

/* Three devices of as many classes. */
static int write_validation(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct permuted *o = what;
    const size_t d = 3, square[2] = { d, d };
    const double values[9] = { 0, 0.2, 0.4, 0.2, 0, 0.3, 0.4, 0.3, 0 };
    const int32_t class[3] = { 0, 1, 2 };
    const int64_t confusion[9] = { 3, 1, 0, 2, 0, 1, 1, 1, 1 };
    static const char *const sets[] = { "study/divergence", "network/accuracy", "logistic/accuracy" };
    static const char *const names[] = {
        "test", "pearson", "spearman", "log10_p_pearson", "log10_p_spearman", "log10_p_u"
    };
    int rc = kl_store_writer_put(w, "class", KL_TYPE_I32, 0, 1, &d, class, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "study/mean", KL_TYPE_F64, 0, 1, &d, values, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "accuracy", KL_TYPE_F64, 0, 1, &d, values, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "network/confusion", KL_TYPE_I64, 0, 2, square, confusion, err);
    for (int i = 0; i < 3 && rc >= 0; i++)
        rc = kl_store_writer_put(w, sets[i], KL_TYPE_F64, 0, i ? 1 : 2, square, values, err);
    for (int i = 0; i < 18 && rc >= 0; i++)
        rc = kl_store_writer_number(w, sets[i % 3], names[i / 3], 0.5, err);
    if (rc >= 0) rc = kl_store_writer_number(w, sets[0], "p_devices", o->p, err);
    return rc < 0 ? rc : kl_store_writer_number(w, sets[0], "orders", o->orders, err);
}

static void check_bound(void)
{
    static const char bound[] = "\xe2\x89\xa5 2.7";
    struct permuted o = { 0.002, 0 };
    drawn_key_parts = "{\"options\":{\"null\":499}}";
    draw_file(path, "synthetic", "validation", write_validation, &o);
    CHECK_WORDS(bound);
    o.p = 0.004; /* one did */
    draw_file(path, "synthetic", "validation", write_validation, &o);
    CHECK(drawn_exactly("2.4") && !drawn_text("\xe2\x89\xa5"), "p of one permutation is no bound");
    o.p = 0.002, o.orders = 500; /* of all orders */
    draw_file(path, "synthetic", "validation", write_validation, &o);
    CHECK(drawn_exactly("2.7") && !drawn_text("\xe2\x89\xa5"), "an exact p is no bound");
    drawn_key_parts = "{}";
}

static int write_plateau(struct kl_writer *w, const void *what, struct kl_error *err)
{
    static const char *const names[] = { "variance", "variance_low", "variance_high" };
    const size_t one = 1, two = 2, cells[] = { 1, 2, 1 };
    const double variance[] = { 0.1, 0.05 };
    (void)what;
    int rc = kl_store_writer_put(w, "qubits", KL_TYPE_I32, 0, 1, &two, (const int32_t[]){ 2, 4 }, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "layers", KL_TYPE_I32, 0, 1, &one, (const int32_t[]){ 1 }, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "observables", KL_TYPE_STRING, 5, 1, &one, "local", err);
    for (int i = 0; i < 3 && rc >= 0; i++)
        rc = kl_store_writer_put(w, names[i], KL_TYPE_F64, 0, 3, cells, variance, err);
    return rc < 0 ? rc : kl_store_writer_integer(w, "", "draws", 200, err);
}

int main(void)
{
    make_test_folder();
    in_folder(path, "words.h5");
    check_bound();
    draw_file(path, "plateau", "plateau", write_plateau, NULL);
    CHECK_WORDS("band: 95 % by bootstrap, of 200 draws");
    return failures != 0;
}
