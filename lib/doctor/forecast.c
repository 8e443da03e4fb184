/* SPDX-License-Identifier: MIT
   How long the usual work will take here. A piece of work is worth so many operations of a kernel that
   was measured; how many was found on the machine of docs/benchmarks.md, whole stages beside these
   rates, everything around the kernels included. */
#include "doctor/doctor.h"

static const double image_28 = 1.11e8, image_224 = 8.6e9; /* of the convolution */
static const double sample = 5.0e5;       /* of the product, a step of the default head at batch 64 */
static const double sample_of_32 = 7.9e5; /* the same at batch 32 */
static const double controls = 4.2;       /* a head and its three controls over the head alone */

/* Epochs of `sgld sample`, each with a pass over the test records. Operations and normals of one; a
   normal that is drawn while its weight is updated takes a quarter more. A whole step of SYNTH's 4-500-1
   is worth so many normals. */
static const double fused = 1.25, synth_normals = 27250;
static const struct {
    double operations, normals;
} classic_mnist = { 17.3e9, 31e6 }, paper_mnist = { 108e9, 143e6 };

size_t kl_doctor_forecasts(struct kl_forecast *f, const struct kl_rates *r, int threads)
{
    const double classic =
                     classic_mnist.operations / r->product + fused * classic_mnist.normals / r->normals,
                 paper = paper_mnist.operations / r->product + fused * paper_mnist.normals / r->normals;
    const double grey = image_28 / r->convolution, photo = image_224 / r->convolution,
                 circuit = 1 / r->circuit[0];
    const double epoch = 54000 * (sample / r->product + circuit);
    const double digits = 1293 * (sample_of_32 / r->product + circuit);
    const struct kl_forecast all[KL_FORECASTS] = {
        { "features_60000_28", "features of 60,000 images of 28x28", 60000 * grey },
        { "features_10000_224", "features of 10,000 images of 224x224", 10000 * photo },
        { "epoch_54000", "an epoch of the default head, 54,000 samples", epoch },
        { "pipeline_demo", "make demo", 1797 * grey + 100 * 5 * controls * digits },
        { "pipeline_mnist", "pipelines/mnist.mk", 70000 * grey + 15 * 5 * controls * epoch },
        { "sgld_classic_synth", "sgld -p classic, an epoch of a chain, SYNTH",
          synth_normals * threads / r->normals },
        { "sgld_classic_mnist", "sgld -p classic, an epoch of a chain, MNIST", classic },
        { "sgld_paper_mnist", "sgld -p paper, an epoch of a chain, MNIST", paper },
    };
    for (size_t i = 0; i < KL_FORECASTS; i++) f[i] = all[i];
    return KL_FORECASTS;
}
