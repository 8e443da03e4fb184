/* SPDX-License-Identifier: MIT
   Heads that PyTorch and PennyLane trained (make_weights.py), imported from each format: their logits to
   1e-5 in float. */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "head/exchange.h"
#include "store/store.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"
#include "tests/worse.h"

enum { N = 24, D = 8, CLASSES = 3 };
static const struct kl_features features = {
    .d = D, .n_classes = CLASSES, .class_names = "a\0b\0c", .name_size = 2
};

static void read_golden(hid_t file, const char *name, double *to)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    CHECK(set >= 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0, "%s",
          name);
    H5Dclose(set);
}

struct model {
    const char *file, *golden, *map;
    int64_t qubits, layers;
    const char *ansatz;
    int n_reduction, n_classifier;
    int64_t reduction, classifier;
    const char *config;
};
#define STRONG                                                                               \
    "strong", "reduce.0=fc1,reduce.1=fc2,vqc.weight=qlayer.weights,head.0=out", 3, 2,        \
        "strongly-entangling", 1, 0, 6, 0,                                                   \
        "{\"qubits\":3,\"layers\":2,\"ansatz\":\"strongly-entangling\",\"reduction\":\"6\"," \
        "\"classifier\":\"none\",\"dropout\":0}"
static const struct model models[] = {
    { "strong.npz", STRONG },
    { "strong.pth", STRONG },
    { "strong.safetensors", STRONG },
    { "design.npz", "design", "reduce.0=pre,vqc.weight=q.initial+q.weights,head.0=post.0,head.1=post.3",
      4, 2, "simplified-two-design", 0, 1, 0, 5,
      "{\"qubits\":4,\"layers\":2,\"ansatz\":\"simplified-two-design\",\"reduction\":\"none\","
      "\"classifier\":\"5\",\"dropout\":0}" },
    { "basic.safetensors", "basic", "", 5, 3, "basic-entangler", 0, 0, 0, 0,
      "{\"qubits\":5,\"layers\":3,\"ansatz\":\"basic-entangler\",\"reduction\":\"none\","
      "\"classifier\":\"none\",\"dropout\":0}" },
};

static struct kl_head_options options_of(const struct model *m)
{
    struct kl_head_options o;
    kl_head_options_default(&o);
    o.circuit.n_qubits = m->qubits;
    o.circuit.n_layers = m->layers;
    o.circuit.ansatz = m->ansatz;
    o.n_reduction = m->n_reduction;
    o.n_classifier = m->n_classifier;
    o.reduction[0] = m->reduction;
    o.classifier[0] = m->classifier;
    return o;
}

/* The head as a file at `path`; returns what importing says. */
static int import(const char *path, const struct model *m, const struct kl_head_options *o,
                  struct kl_error *err)
{
    static const char key[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const struct kl_header header = { "head", KL_HEAD_SCHEMA, key, "{}", "test" };
    const struct kl_log log = { "test", stderr, 0, NULL };
    struct kl_weights *weights = NULL;
    struct kl_writer *writer = NULL;
    char from[256];
    snprintf(from, sizeof from, "tests/golden/weights/%s", m->file);
    int code = kl_weights_read(&weights, from, err);
    const struct kl_head_import import = { o, weights, from, m->map, &log };
    if (!code) code = kl_store_writer_open(&writer, path, &header, err);
    if (!code) code = kl_head_import(writer, &import, &features, m->config, err);
    if (!code) code = kl_store_writer_publish(&writer, NULL, err);
    kl_store_writer_abort(&writer);
    kl_weights_free(&weights);
    return code;
}

static void check_model(const struct model *m, hid_t golden, const float *x)
{
    char path[1024];
    double want[N * CLASSES];
    float logits[N * CLASSES];
    struct kl_file *file = NULL;
    struct kl_head *head = NULL;
    struct kl_error err = { 0 };
    const struct kl_head_options o = options_of(m);
    in_folder(path, "head.h5");
    read_golden(golden, m->golden, want);
    int code = import(path, m, &o, &err);
    if (!code) code = kl_store_file_open(&file, path, &err);
    if (!code) code = kl_head_load(&head, file, NULL, 0, NULL, &err);
    if (!code) code = kl_head_logits(logits, NULL, head, x, N, NULL, NULL, &err);
    CHECK(code == 0, "%s: %s", m->file, err.text);
    double worst = 0;
    for (int i = 0; i < N * CLASSES && !code; i++) {
        const double d = fabs(logits[i] - want[i]);
        worst = worse(worst, d);
    }
    CHECK(worst <= 1e-5, "%s: logits differ by %.3g", m->file, worst);
    kl_head_free(&head);
    kl_store_file_close(&file);
    unlink(path);
}

/* A map that does not fit is refused, and nothing is written. */
static void refusals(void)
{
    static const struct {
        const char *map, *ansatz;
        int64_t qubits, layers;
        int code;
        const char *says;
    } wrong[] = {
        { "", "strongly-entangling", 3, 2, KL_EDATA, "no tensor reduce.0.weight" },
        { "reduce.0=fc2", "strongly-entangling", 3, 2, KL_EDATA, "has shape [3, 6], expected [6, 8]" },
        { NULL, "strongly-entangling", 3, 3, KL_EDATA, "expected [27] or [3, 3, 3]" },
        { NULL, "basic-entangler", 3, 6, KL_EDATA, "expected [18] or [6, 3]" },
        { NULL, "strongly-entangling", 4, 2, KL_EDATA, "expected [4, 6]" },
        { "reduce.0", "strongly-entangling", 3, 2, KL_EUSAGE, "expected OURS=THEIRS" },
        { "fc1=reduce.0", "strongly-entangling", 3, 2, KL_EUSAGE, "fc1: no tensor or layer" },
        { "reduce.0=fc1,reduce.1=fc2,vqc.weight=qlayer.weights+fc1.bias", "strongly-entangling", 3, 2,
          KL_EDATA, "too many" },
        { "reduce.0=fc1,reduce.1=fc2,vqc.weight=fc1.bias+fc2.bias", "strongly-entangling", 3, 2,
          KL_EDATA, "hold 9 values, expected 18" },
    };
    char path[1024];
    in_folder(path, "wrong.h5");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kl_error err = { 0 };
        struct model m = models[0];
        if (wrong[i].map) m.map = wrong[i].map;
        struct kl_head_options o = options_of(&m);
        o.circuit.ansatz = wrong[i].ansatz;
        o.circuit.n_qubits = wrong[i].qubits;
        o.circuit.n_layers = wrong[i].layers;
        const int code = import(path, &m, &o, &err);
        CHECK(code == wrong[i].code && strstr(err.text, wrong[i].says), "%zu: %d %s", i, code, err.text);
        CHECK(access(path, F_OK) != 0, "%zu: a file was left", i);
    }
}

int main(void)
{
    double wide[N * D];
    float x[N * D];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t golden = H5Fopen("tests/golden/weights/golden.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(golden >= 0, "golden.h5");
    if (failures) return 1;
    make_test_folder();
    read_golden(golden, "x", wide);
    for (int i = 0; i < N * D; i++) x[i] = (float)wide[i];
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) check_model(&models[i], golden, x);
    refusals();
    H5Fclose(golden);
    return failures != 0;
}
