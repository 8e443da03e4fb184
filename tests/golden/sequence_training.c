/* SPDX-License-Identifier: MIT
   Five steps of Adam with clipping over real and complex parameters, of Quantum Hydra and its hybrid,
   against the reference's training in double: losses, norms, parameters. */
#define KL_F64 1
#define BOUND 1e-12
#include "golden_sequence.h"

static void training_check(hid_t file, const char *name, const char *model)
{
    struct kl_error err;
    struct kl_sequence_net net;
    struct kl_sequence_model_options o;
    const struct kl_sequence_shape shape = { 4, 8, 2, 80 };
    enum { B = 3, STRIDE = 16 };
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    kl_sequence_model_options_default(&o);
    o.model = model, o.qubits = 3;
    must(kl_sequence_net_open(&net, &o, &shape, &err), &err);
    const size_t size = net.block.size;
    double *params = golden_memory(size, 8), *grad = golden_memory(size, 8), *m = golden_memory(size, 8),
           *v = golden_memory(size, 8), *work = golden_memory(net.model->work_f64(&net, B), 1),
           *x = golden_memory(B * 4 * STRIDE, 8), plain[B * 4 * 8], y[B], loss[5], norm[5],
           logits[2 * B], found[1 << 12], want[1 << 12];
    int32_t labels[B];
    struct kl_optimizer adam;
    kl_nn_optimizer_default(&adam);
    golden_values(plain, B * 4 * 8, group, "x"), golden_values(y, B, group, "y");
    golden_values(loss, 5, group, "loss"), golden_values(norm, 5, group, "grad_norm");
    for (size_t i = 0; i < B * 4 * 8; i++) x[i / 8 * STRIDE + i % 8] = plain[i];
    for (size_t i = 0; i < B; i++) labels[i] = (int32_t)y[i];
    for (int after = 0; after < 2; after++) {
        for (int t = 0; t < net.block.n; t++) {
            const struct kl_tensor *tensor = &net.block.tensors[t];
            char path[96];
            snprintf(path, sizeof path, "params_%s/%s", after ? "after" : "before", tensor->name);
            golden_values(want, 1 << 12, group, path);
            if (!after) kl_nn_tensor_from_file_f64(params, tensor, want);
            else kl_nn_tensor_to_file_f64(found, tensor, params);
            if (after) golden_compare(name, path, found, want, tensor->size, BOUND);
        }
        for (int step = 0; !after && step < 5; step++) {
            const struct kl_sequence_batch_f64 batch = {
                .x = x, .labels = labels, .scale = 1.0 / B, .n = B, .training = true
            };
            struct kl_sequence_result_f64 result = { .logits = logits, .grad = grad };
            net.model->run_f64(&result, &net, params, &batch, work);
            /* The reference divides by the norm and a millionth, ours by the norm. */
            double sum = 0;
            for (size_t i = 0; i < size; i++) sum += grad[i] * grad[i];
            adam.clip = golden_number(group, "clip") * sqrt(sum) / (sqrt(sum) + 1e-6);
            struct kl_update update =
                kl_nn_update_at(&adam, golden_number(group, "lr"), (uint64_t)step + 1);
            kl_nn_update_clip_f64(&update, &adam, grad, size);
            const double squares = kl_nn_update_apply_f64(params, m, v, grad, size, &update),
                         seen[2] = { result.loss / B, sqrt(squares) },
                         said[2] = { loss[step], norm[step] };
            golden_compare(name, "loss, norm of the gradient", seen, said, 2, BOUND);
        }
    }
    free(params), free(grad), free(m), free(v), free(work), free(x);
    kl_sequence_net_close(&net), H5Gclose(group);
}

int main(void)
{
    const hid_t file = golden_shared("hydra/golden.h5");
    if (file < 0) return 77;
    training_check(file, "train/quantum_hydra_n3", "hydra");
    training_check(file, "train/quantum_hydra_hybrid_n3", "hydra-hybrid");
    printf("largest difference %.2g, at most %.2g\n", golden_worst, BOUND);
    H5Fclose(file);
    return golden_failures != 0;
}
