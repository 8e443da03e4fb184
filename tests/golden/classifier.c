/* SPDX-License-Identifier: MIT
   The device classifier's network against $KETLINE_SHARED/reference/qrng/golden_qrng.h5 (NumPy): logits,
   loss, gradients in double (1e-10) and float (1e-4), on packed bits, and ten steps of Adam in double.
 */
#include <math.h>
#include <unistd.h>

#include "golden.h"
#include "kernels/mlp.h"
#include "kernels/optim.h"
#include "nn/nn.h"
#include "qrng/bits/bits.h"
#include "qrng/classify/network.h"

enum { N = 8, MOST = 5000 };
static const struct kl_mlp net = { 3, { 100, 30, 20, 3 } };
static const char *const parts[] = { "W1", "b1", "W2", "b2", "W3", "b3" };
static const double L1 = 0.002;
static int failures;

static void compare(const char *what, const double *found, const double *expected, size_t n,
                    double bound)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(expected[i]));
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - expected[i]) <= bound * most) continue;
        fprintf(stderr, "%s [%zu]: found %.15g, expected %.15g\n", what, i, found[i], expected[i]);
        failures++;
        return;
    }
}

/* The tensors of a group, one after another as in our files. */
static void read_tensors(double *values, hid_t file, const char *group)
{
    char name[96];
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "classifier/%s/%s", group, parts[i]);
        values += golden_values(values, MOST, file, name);
    }
}

static void read_batch(struct kl_mlp_batch *batch, const struct kl_bits *bits, hid_t file)
{
    double rows[N], labels[N];
    golden_values(rows, N, file, "classifier/rows");
    golden_values(labels, N, file, "classifier/labels_0_based");
    batch->n = N;
    batch->packed = true;
    for (int i = 0; i < N; i++) {
        batch->row[i] = kl_bits_row(bits, (size_t)rows[i]);
        batch->label[i] = (int32_t)labels[i];
    }
}

static void check_float(hid_t file, const struct kl_mlp_batch *batch, const double *expected)
{
    static float params[MOST], grad[MOST], work[2 * MOST], from[MOST], logits[N * 3];
    static double found[MOST], wanted[N * 3];
    const size_t size = kl_classify_network_size(&net);
    struct kl_mlp_loss loss;
    for (size_t i = 0; i < size; i++) from[i] = (float)(0.1 * sin((double)i + 1));
    kl_classify_network_from_file_f32(params, from, &net);
    kl_kernel_mlp_gradient_f32()(&loss, grad, params, &net, batch, 0, NULL, work);
    kl_classify_network_to_file_f32(from, grad, &net);
    for (size_t i = 0; i < size; i++) found[i] = from[i];
    compare("gradient in float", found, expected, size, 1e-4);
    kl_kernel_mlp_logits_f32()(logits, params, &net, batch, work);
    golden_values(wanted, N * 3, file, "classifier/logits");
    for (int i = 0; i < N * 3; i++) found[i] = logits[i];
    compare("logits in float", found, wanted, N * 3, 1e-4);
}

static void check_trajectory(hid_t file, const struct kl_mlp_batch *batch, double *params)
{
    static double m[MOST], v[MOST], grad[MOST], work[2 * MOST], found[MOST], expected[MOST], rows[30];
    struct kl_optimizer adam;
    struct kl_mlp_loss loss;
    kl_nn_optimizer_default(&adam);
    golden_values(rows, 30, file, "classifier/trajectory_10_steps");
    for (int s = 0; s < 10; s++) {
        kl_kernel_mlp_gradient_f64()(&loss, grad, params, &net, batch, L1, NULL, work);
        const double now[] = { loss.cross_entropy, L1 * loss.sum_abs, sqrt(loss.squares) };
        compare("trajectory", now, rows + 3 * s, 3, 1e-10);
        struct kl_update update = kl_nn_update_at(&adam, 1e-3, (uint64_t)s + 1);
        update.adam.grad_scale = fmin(1, 1 / (now[2] + 1e-6));
        kl_kernel_adam_f64()(params, m, v, grad, kl_mlp_layer(&net, net.n_layers), &update.adam);
        if (s > 0) continue;
        read_tensors(expected, file, "after_step_1");
        kl_classify_network_to_file_f64(found, params, &net);
        compare("parameters after a step", found, expected, kl_classify_network_size(&net), 1e-10);
    }
}

static void check_double(hid_t file, const struct kl_mlp_batch *batch)
{
    static double params[MOST], grad[MOST], work[2 * MOST], file_order[MOST], expected[MOST],
        logits[N * 3];
    const size_t size = kl_classify_network_size(&net);
    struct kl_mlp_loss loss;
    double wanted[N * 3];
    for (size_t i = 0; i < size; i++) file_order[i] = 0.1 * sin((double)i + 1);
    kl_classify_network_from_file_f64(params, file_order, &net);
    kl_kernel_mlp_logits_f64()(logits, params, &net, batch, work);
    golden_values(wanted, N * 3, file, "classifier/logits");
    compare("logits", logits, wanted, N * 3, 1e-10);
    kl_kernel_mlp_gradient_f64()(&loss, grad, params, &net, batch, 0, NULL, work);
    golden_values(wanted, 1, file, "classifier/cross_entropy");
    compare("cross-entropy", &loss.cross_entropy, wanted, 1, 1e-10);
    golden_values(wanted, 1, file, "classifier/l1_term");
    const double l1 = L1 * loss.sum_abs;
    compare("penalty", &l1, wanted, 1, 1e-10);
    kl_classify_network_to_file_f64(file_order, grad, &net);
    read_tensors(expected, file, "grad_cross_entropy");
    compare("gradient", file_order, expected, size, 1e-10);
    check_float(file, batch, expected);
    check_trajectory(file, batch, params);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char data[4096], golden[4096];
    struct kl_error err = { 0 };
    struct kl_bits bits = { 0 };
    struct kl_mlp_batch batch = { 0 };
    const struct kl_bits_how how = { 0 };
    if (!shared) shared = "../shared";
    snprintf(data, sizeof data, "%s/data/qrng/AI_2qubits_training_data.txt", shared);
    snprintf(golden, sizeof golden, "%s/reference/qrng/golden_qrng.h5", shared);
    if (access(golden, R_OK) != 0) {
        printf("skipped: %s is absent\n", golden);
        return 77;
    }
    const hid_t file = H5Fopen(golden, H5F_ACC_RDONLY, H5P_DEFAULT);
    must(kl_bits_read_files(&bits, (const char *[]){ data }, 1, &how, &err), &err);
    read_batch(&batch, &bits, file);
    check_double(file, &batch);
    kl_bits_free(&bits);
    H5Fclose(file);
    return failures != 0;
}
