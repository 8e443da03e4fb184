/* SPDX-License-Identifier: MIT
   What an import says of weights that are read without an error and are not what they seem: angles in
   degrees, and a head of other options than they were made with. */
#include <stdlib.h>
#include <string.h>

#include "head/exchange.h"
#include "store/store.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

enum { QUBITS = 4, LAYERS = 3 };

/* Check the messages on a circuit whose last weight is `angle`; of features as many as qubits. */
static void import(float angle, const char *wanted)
{
    static const char key[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    static const struct kl_features features = {
        .d = QUBITS, .n_classes = 2, .class_names = "a\0b", .name_size = 2
    };
    const struct kl_header header = { "head", KL_HEAD_SCHEMA, key, "{}", "test" };
    const size_t angles = QUBITS * LAYERS, square[] = { QUBITS, QUBITS }, one[] = { QUBITS },
                 out[] = { 2, QUBITS }, two[] = { 2 };
    float ones[QUBITS * QUBITS] = { 100 }, weights[QUBITS * LAYERS] = { 12.5F };
    char path[1024], *text = NULL;
    size_t n = 0;
    struct kl_weights *w = calloc(1, sizeof *w);
    struct kl_head_options o;
    struct kl_error err = { 0 };
    const struct kl_log log = { "t", open_memstream(&text, &n), 1, NULL };
    const struct kl_head_import from = { &o, w, "w.npz", "", &log };
    struct kl_writer *writer = NULL;
    kl_head_options_default(&o);
    o.n_reduction = o.n_classifier = 0;
    weights[QUBITS * LAYERS - 1] = angle;
    in_folder(path, "head.h5");
    int code = kl_weights_put(w, "reduce.0.weight", 2, square, ones, &err);
    if (!code) code = kl_weights_put(w, "reduce.0.bias", 1, one, ones, &err);
    if (!code) code = kl_weights_put(w, "vqc.weight", 1, &angles, weights, &err);
    if (!code) code = kl_weights_put(w, "head.0.weight", 2, out, ones, &err);
    if (!code) code = kl_weights_put(w, "head.0.bias", 1, two, ones, &err);
    if (!code) code = kl_store_writer_open(&writer, path, &header, &err);
    if (!code) code = kl_head_import(writer, &from, &features, "{}", &err);
    CHECK(code == KL_OK, "%s", err.text);
    fclose(log.to);
    CHECK(strcmp(text, wanted) == 0, "angle %g: found '%s', expected '%s'", angle, text, wanted);
    kl_store_writer_abort(&writer);
    kl_weights_free(&w);
    free(text);
}

static void options(const char *made, const char *taken, const char *wanted)
{
    char *text = NULL;
    size_t n = 0;
    struct kl_error err = { 0 };
    const struct kl_log log = { "t", open_memstream(&text, &n), 1, NULL };
    CHECK(kl_head_import_options(&log, "w.npz", made, taken, &err) == KL_OK, "%s", err.text);
    fclose(log.to);
    CHECK(strcmp(text, wanted) == 0, "found '%s', expected '%s'", text, wanted);
    free(text);
}

int main(void)
{
    import(0, "");
    import(-12.56F, ""); /* 4 pi is 12.566 */
    import(-12.57F, "t: w.npz: vqc.weight reaches 12.57: are these degrees? Angles are in radians\n");
    import(350, "t: w.npz: vqc.weight reaches 350: are these degrees? Angles are in radians\n");
    options("{\"ansatz\":\"ry-ring\",\"map\":\"\"}", "{\"ansatz\":\"ry-ring\",\"map\":\"a=b\"}", "");
    options("{\"ansatz\":\"ry-ring\",\"dropout\":0.1,\"layers\":3,\"noise\":\"readout=0.1\"}",
            "{\"ansatz\":\"qcnn\",\"dropout\":0.1,\"layers\":2,\"shots\":\"5\"}",
            "t: w.npz: was made with --ansatz ry-ring, qcnn is taken\n"
            "t: w.npz: was made with --layers 3, 2 is taken\n"
            "t: w.npz: was made with --shots none, 5 is taken\n"
            "t: w.npz: was made with --noise readout=0.1, none is taken\n");
    return failures ? 1 : 0;
}
