/* SPDX-License-Identifier: MIT
   Networks against groups net/NAME of the reference's golden.h5: logits, losses, errors, gradients by
   the logits and by all weights, tensor by tensor where there are many; batch norm in both modes.
   Compiled once in double and once in float; BOUND is of differences, in units of the largest value of a
   set. */
#include <math.h>

#include "golden.h"
#include "sampling/model/model.h"

enum { MOST = 2000000, RECORDS = 8 };
static int failures;
static double worst;

static double *memory(size_t n)
{
    double *p = calloc(n, sizeof *p);
    if (!p) exit(75);
    return p;
}

static void compare(const char *net, const char *what, const double *found, const double *expected,
                    size_t n)
{
    double scale = 0;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(expected[i]));
    if (scale == 0) scale = 1;
    for (size_t i = 0; i < n; i++) {
        const double off = fabs(found[i] - expected[i]) / scale;
        if (off > worst) worst = off;
        if (off <= BOUND) continue;
        fprintf(stderr, "%s %s [%zu]: found %.15g, expected %.15g\n", net, what, i, found[i],
                expected[i]);
        failures++;
        return;
    }
}
static void compare_set(const char *net, hid_t group, const char *name, const double *found, size_t n)
{
    double *expected = memory(n);
    golden_need(golden_values(expected, n, group, name) == n, name);
    compare(net, name, found, expected, n);
    free(expected);
}

/* The fills of the golden file's attributes. */
static double filled(const struct kl_sampling_tensor *t, size_t i, bool hashed)
{
    const bool gamma = strstr(t->name, "gamma") != NULL;
    if (!hashed) return 0.05 * sin((double)i + 1) + gamma;
    uint32_t h = (uint32_t)(i + 1) * 2654435761u;
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
    const double u = ((double)h + 0.5) * 0x1p-31 - 1;
    return t->rank == 1 ? 0.1 * u + gamma : u * sqrt(6.0 / (double)(t->size / t->dims[0]));
}
static void fill(kl_real *w, const struct kl_sampling_net *net, bool hashed)
{
    for (int t = 0; t < net->n_tensors; t++)
        for (size_t i = net->tensors[t].offset; i < net->tensors[t].offset + net->tensors[t].size; i++)
            w[i] = (kl_real)filled(&net->tensors[t], i, hashed);
}

/* "W1[5,6]; b1[5]" */
static void check_layout(hid_t group, const struct kl_sampling_net *net)
{
    char expected[4096], found[4096];
    size_t at = 0;
    golden_text(expected, sizeof expected, group, "layout");
    for (int t = 0; t < net->n_tensors; t++) {
        const struct kl_sampling_tensor *tensor = &net->tensors[t];
        at += (size_t)snprintf(found + at, sizeof found - at, "%s%s[", t ? "; " : "", tensor->name);
        for (int d = 0; d < tensor->rank; d++)
            at +=
                (size_t)snprintf(found + at, sizeof found - at, "%s%zu", d ? "," : "", tensor->dims[d]);
        at += (size_t)snprintf(found + at, sizeof found - at, "]");
    }
    if (strcmp(found, expected) == 0 && (double)net->size == golden_number(group, "parameters")) return;
    fprintf(stderr, "%s: found %s (%zu), expected %s\n", net->name, found, net->size, expected);
    failures++;
}

static void compare_gradient(hid_t group, const struct kl_sampling_net *net, const kl_real *grad)
{
    double *values = memory(net->size), index[256], sample[256], norms[KL_SAMPLING_TENSORS];
    for (size_t i = 0; i < net->size; i++) values[i] = (double)grad[i];
    if (H5Lexists(group, "grad", H5P_DEFAULT) > 0) {
        compare_set(net->name, group, "grad", values, net->size);
    } else {
        golden_values(index, 256, group, "grad_index");
        for (int i = 0; i < 256; i++) sample[i] = values[(size_t)index[i]];
        compare_set(net->name, group, "grad_sample", sample, 256);
        for (int t = 0; t < net->n_tensors; t++) {
            double sum = 0;
            for (size_t i = 0; i < net->tensors[t].size; i++)
                sum += values[net->tensors[t].offset + i] * values[net->tensors[t].offset + i];
            norms[t] = sqrt(sum);
        }
        compare_set(net->name, group, "grad_norm_by_tensor", norms, (size_t)net->n_tensors);
    }
    free(values);
}

struct records {
    size_t n;
    double *x;
    int32_t label[RECORDS];
    struct kl_sampling_records none; /* what the target is made over: nothing is asked of it */
};
static void read_records(struct records *r, hid_t group, size_t inputs)
{
    double label[RECORDS];
    r->x = memory(RECORDS * inputs);
    r->n = golden_values(r->x, RECORDS * inputs, group, "x") / inputs;
    golden_need(golden_values(label, RECORDS, group, "y") == r->n, "y");
    for (size_t i = 0; i < r->n; i++) r->label[i] = (int32_t)label[i];
    r->none = (struct kl_sampling_records){ .inputs = inputs };
}

static void check_loss(hid_t group, const struct kl_sampling_net *net, const struct records *r,
                       const kl_real *w, hid_t fills)
{
    struct kl_sampling_target target;
    struct kl_sampling_sums sums = { 0 };
    struct kl_error err;
    const struct kl_sampling_batch batch = {
        .exact = r->x, .label = r->label, .count = r->n, .inputs = net->inputs
    };
    const size_t n_out = (size_t)net->outputs;
    double per_record[RECORDS], logits[RECORDS * 10], slopes[RECORDS * 10], wrong = 0, zero_one[RECORDS],
                                                                            value;
    kl_real *grad = (kl_real *)memory(net->size);
    must(kl_sampling_net_target(&target, net, &r->none, NULL, 0, 1, &err), &err);
    must(kl_sampling_net_pass(target.context, grad, &sums, per_record, logits, w, &batch, NULL, &err),
         &err);
    const double mean = sums.loss / (double)sums.count;
    for (size_t i = 0; i < r->n; i++) {
        kl_sampling_loss_of(&value, slopes + i * n_out, logits + i * n_out, net->outputs, r->label[i],
                            net->loss, net->l_max);
        for (size_t o = 0; o < n_out; o++) slopes[i * n_out + o] /= (double)r->n;
    }
    golden_values(zero_one, RECORDS, fills, "zero_one");
    for (size_t i = 0; i < r->n; i++) wrong += zero_one[i];
    compare(net->name, "zero_one", &sums.wrong, &wrong, 1);
    compare_set(net->name, fills, "logits", logits, r->n * n_out);
    compare_set(net->name, group, "per_sample", per_record, r->n);
    compare_set(net->name, group, "mean", &mean, 1);
    compare_set(net->name, group, "dlogits", slopes, r->n * n_out);
    compare_gradient(group, net, grad);
    free(grad);
    target.close(target.context);
}

/* losses: those that the group may have */
static void check_net(hid_t file, const char *name, const char *spec, size_t channels, size_t side,
                      int classes)
{
    static const char *const losses[] = { "bbce", "bce", "savage", "tangent", "ce" };
    char path[64];
    struct records r;
    snprintf(path, sizeof path, "net/%s", name);
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    golden_need(group >= 0, path);
    read_records(&r, group, channels * side * side);
    kl_real *w = (kl_real *)memory(MOST);
    int seen = 0;
    for (int hashed = 0; hashed < 2; hashed++) {
        const hid_t fills = H5Gopen2(group, hashed ? "hashed" : "sine", H5P_DEFAULT);
        for (int l = 0; l < 5; l++) {
            struct kl_sampling_net net;
            struct kl_error err;
            if (H5Lexists(fills, losses[l], H5P_DEFAULT) <= 0) continue;
            must(kl_sampling_net_make(&net, spec, channels, side, side, classes, (enum kl_loss)l, 4,
                                      &err),
                 &err);
            if (!seen) check_layout(group, &net);
            fill(w, &net, hashed);
            const hid_t loss = H5Gopen2(fills, losses[l], H5P_DEFAULT);
            check_loss(loss, &net, &r, w, fills);
            H5Gclose(loss), seen++;
        }
        H5Gclose(fills);
    }
    golden_need(seen > 0, "a loss");
    printf("%s: %d losses; worst so far %.1e\n", name, seen, worst);
    free(w), free(r.x);
    H5Gclose(group);
}

/* Training mode, the running statistics that one pass leaves, evaluation with them. */
static void check_norm(hid_t file, bool hashed)
{
    struct records r;
    struct kl_sampling_net net;
    struct kl_sampling_target target;
    struct kl_error err;
    const double *mean, *variance;
    kl_real *w = (kl_real *)memory(MOST), *grad = (kl_real *)memory(MOST);
    const hid_t group = H5Gopen2(file, "net/vgg_small_binary", H5P_DEFAULT);
    read_records(&r, group, 3072);
    const struct kl_sampling_batch batch = {
        .exact = r.x, .label = r.label, .count = r.n, .inputs = 3072
    };
    for (int frozen = 0; frozen < 2; frozen++) {
        struct kl_sampling_sums sums = { 0 };
        double logits[RECORDS];
        char path[64];
        must(kl_sampling_net_make(&net, frozen ? "vgg16-frozen:2,8" : "vgg16:2,8", 3, 32, 32, 2,
                                  KL_LOSS_BBCE, 4, &err),
             &err);
        if (!frozen && !hashed) check_layout(group, &net);
        r.none.n = 0;
        fill(w, &net, hashed);
        struct kl_sampling_records six = { .n = r.n, .inputs = 3072, .label = r.label };
        must(kl_sampling_net_target(&target, &net, &six, NULL, 0, 1, &err), &err);
        snprintf(path, sizeof path, "%s/%s", hashed ? "hashed" : "sine", frozen ? "eval" : "train");
        const hid_t mode = H5Gopen2(group, path, H5P_DEFAULT);
        golden_need(mode >= 0, path);
        must(kl_sampling_net_statistics(target.context, &mean, &variance, 0.1, w, &batch, &err), &err);
        must(kl_sampling_net_pass(target.context, grad, &sums, NULL, logits, w, &batch, NULL, &err),
             &err);
        const double loss = sums.loss / (double)sums.count;
        if (!frozen) {
            compare_set(net.name, mode, "running_mean", mean, net.n_statistics);
            compare_set(net.name, mode, "running_var", variance, net.n_statistics);
        }
        compare_set(net.name, mode, "logits", logits, r.n);
        compare_set(net.name, mode, "bbce_mean", &loss, 1);
        double *values = memory(net.size);
        for (size_t i = 0; i < net.size; i++) values[i] = (double)grad[i];
        compare_set(net.name, mode, "bbce_grad", values, net.size);
        free(values);
        H5Gclose(mode);
        target.close(target.context);
    }
    printf("vgg_small_binary, %s: worst so far %.1e\n", hashed ? "hashed" : "sine", worst);
    free(w), free(grad), free(r.x);
    H5Gclose(group);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/sgld/golden.h5", shared ? shared : "../shared");
    const hid_t file = H5Fis_hdf5(path) > 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    if (file < 0) {
        puts("skipped: KETLINE_SHARED holds no reference/sgld/golden.h5");
        return 77;
    }
    check_net(file, "fcn1_binary", "fcn1:5", 6, 1, 2);
    check_net(file, "fcn2_binary", "fcn2:5", 6, 1, 2);
    check_net(file, "fcn3_binary", "fcn3:5", 6, 1, 2);
    check_net(file, "fcn1_multiclass", "fcn1:5", 6, 1, 3);
    check_net(file, "fcn2_multiclass", "fcn2:5", 6, 1, 3);
    check_net(file, "fcn3_multiclass", "fcn3:5", 6, 1, 3);
    check_net(file, "fcn2_mnist_binary", "fcn2:1000", 1, 28, 2);
    check_net(file, "lenet5_binary", "lenet5", 1, 28, 2);
    check_net(file, "lenet5_multiclass", "lenet5", 1, 28, 10);
    check_net(file, "cnn4_small_multiclass", "cnn4:3,4,8", 1, 28, 10);
    check_net(file, "cnn4_full_multiclass", "cnn4", 1, 28, 10);
    check_norm(file, false);
    check_norm(file, true);
    H5Fclose(file);
    return failures != 0;
}
