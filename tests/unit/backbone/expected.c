/* SPDX-License-Identifier: MIT
   Weights of other networks, by the names and shapes that torchvision, timm and others give them:
   refused with the tensor that a ResNet-18 has not, and what it may be. */
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone.h"
#include "tests/unit/check.h"

static float zeros[128 * 128 * 9];

static void put(struct kl_weights *w, const char *name, size_t out, size_t in, size_t side)
{
    struct kl_error err = { 0 };
    const size_t dims[4] = { out, in, side, side };
    CHECK(kl_weights_put(w, name, in ? 4 : 1, dims, zeros, &err) == 0, "%s", err.text);
}

static void put_norm(struct kl_weights *w, const char *prefix)
{
    static const char *const parts[] = { "weight", "bias", "running_mean", "running_var",
                                         "num_batches_tracked" };
    char name[128];
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "%.100s.%s", prefix, parts[i]);
        put(w, name, 1, 0, 0);
    }
}

/* Names of a ResNet of these blocks; convs 2: basic, 3: bottleneck, whose second convolution has `width`
   channels in and out, in groups. Shapes only where they are looked at. */
static struct kl_weights *make(const int blocks[4], int convs, size_t width, size_t groups)
{
    struct kl_weights *w = calloc(1, sizeof *w);
    char name[128];
    put(w, "conv1.weight", 1, 1, 1);
    put_norm(w, "bn1");
    for (int l = 1; l <= 4; l++)
        for (int b = 0; b < blocks[l - 1]; b++) {
            for (int c = 1; c <= convs; c++) {
                snprintf(name, sizeof name, "layer%d.%d.conv%d.weight", l, b, c);
                const bool first = l == 1 && b == 0 && c == 2;
                put(w, name, first ? width : 1, first ? width / groups : 1, first ? 3 : 1);
                snprintf(name, sizeof name, "layer%d.%d.bn%d", l, b, c);
                put_norm(w, name);
            }
            if (b || (l == 1 && convs == 2)) continue;
            snprintf(name, sizeof name, "layer%d.0.downsample.0.weight", l);
            put(w, name, 1, 1, 1);
            snprintf(name, sizeof name, "layer%d.0.downsample.1", l);
            put_norm(w, name);
        }
    put(w, "fc.weight", 1, 1, 1);
    put(w, "fc.bias", 1, 0, 0);
    return w;
}

static const int eighteen[4] = { 2, 2, 2, 2 };

static void check_networks(void)
{
    static const struct {
        int blocks[4], convs;
        size_t width, groups;
        const char *said; /* NULL: taken */
    } networks[] = {
        { { 2, 2, 2, 2 }, 2, 64, 1, NULL },
        { { 3, 4, 6, 3 },
          2,
          64,
          1,
          "has layer1.2.conv1.weight, which a ResNet-18 has not (a ResNet-34?)" },
        { { 3, 4, 6, 3 },
          3,
          64,
          1,
          "has layer1.0.conv3.weight, which a ResNet-18 has not (a ResNet-50?)" },
        { { 3, 4, 23, 3 },
          3,
          64,
          1,
          "has layer1.0.conv3.weight, which a ResNet-18 has not (a ResNet-101?)" },
        { { 3, 8, 36, 3 }, 3, 64, 1, "(a ResNet-152?)" },
        { { 3, 4, 6, 3 }, 3, 128, 32, "(a ResNeXt-50?)" },
        { { 3, 4, 23, 3 }, 3, 256, 32, "(a ResNeXt-101?)" },
        { { 3, 4, 6, 3 }, 3, 128, 1, "(a Wide ResNet-50?)" },
        { { 2, 2, 2, 2 }, 3, 64, 1, "(a ResNet-26?)" },
        { { 2, 2, 2, 3 },
          2,
          64,
          1,
          "has layer4.2.conv1.weight, which a ResNet-18 has not (a ResNet of 2, 2, 2 and 3 blocks?)" },
        { { 9, 9, 9, 0 }, 2, 64, 1, "(a ResNet of 9, 9, 9 and 0 blocks?)" },
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct kl_weights *w =
            make(networks[i].blocks, networks[i].convs, networks[i].width, networks[i].groups);
        struct kl_error err = { 0 };
        const char *unused = NULL, *said = networks[i].said;
        size_t n = 9;
        const int code = kl_backbone_resnet18_expect(w, KL_TAP_AVGPOOL, &n, &unused, &err);
        CHECK(code == (said ? KL_EDATA : 0) && strstr(err.text, said ? said : ""), "network %zu: %s", i,
              err.text);
        CHECK(said || n == 0, "network %zu: %zu not used, first %s", i, n, unused);
        kl_weights_free(&w);
    }
}

/* One tensor more than a ResNet-18 has. */
static void check_more(void)
{
    static const struct {
        const char *name, *said; /* NULL: passed over */
        bool unused;             /* and counted */
        enum kl_tap tap;
    } more[] = {
        { "layer1.0.se.fc1.weight", "(with squeeze-excitation?)", false, KL_TAP_AVGPOOL },
        { "layer1.0.se_module.fc1.weight", "(with squeeze-excitation?)", false, KL_TAP_AVGPOOL },
        { "conv1.bias", "weights: has conv1.bias, which a ResNet-18 has not (convolutions with biases?)",
          false, KL_TAP_AVGPOOL },
        { "layer3.1.conv2.bias", "(convolutions with biases?)", false, KL_TAP_AVGPOOL },
        { "layer1.0.downsample.0.weight", "has layer1.0.downsample.0.weight", false, KL_TAP_AVGPOOL },
        { "layer2.1.downsample.0.weight", "has layer2.1.downsample.0.weight", false, KL_TAP_AVGPOOL },
        { "layer1.0.bn3.weight", "has layer1.0.bn3.weight", false, KL_TAP_AVGPOOL },
        { "layer1.0.scale", "(quantised, or Fixup?)", false, KL_TAP_AVGPOOL },
        { "layer1.0.bias1a", "(Fixup?)", false, KL_TAP_AVGPOOL },
        { "bias2", "has bias2", false, KL_TAP_AVGPOOL },
        { "layer1.0.bn1.IN.weight", "(an IBN-Net?)", false, KL_TAP_AVGPOOL },
        { "layer1.0.conv1.weight_g", "(weight_norm, spectral_norm or pruning", false, KL_TAP_AVGPOOL },
        { "conv1.weight_mask", "pruning", false, KL_TAP_AVGPOOL },
        { "conv1.parametrizations.weight.original0", "(a parametrisation", false, KL_TAP_AVGPOOL },
        { "layer1.0.prelu.weight", "(with PReLU?)", false, KL_TAP_AVGPOOL },
        { "layer1.0.aa.filt", "has layer1.0.aa.filt", false, KL_TAP_AVGPOOL },
        { "maxpool.1.filt", "has maxpool.1.filt", false, KL_TAP_AVGPOOL },
        { "layer5.0.conv1.weight", "has layer5.0.conv1.weight", false, KL_TAP_AVGPOOL },
        { "layer0.conv1.weight", "has layer0.conv1.weight", false, KL_TAP_AVGPOOL },
        { "conv2.weight", "has conv2.weight", false, KL_TAP_AVGPOOL },
        { "bn1.num_batches", "has bn1.num_batches", false, KL_TAP_AVGPOOL },
        { "attnpool.positional_embedding", "has attnpool", false, KL_TAP_AVGPOOL },
        { "fc.2.weight", NULL, false, KL_TAP_AVGPOOL },
        { "mask", NULL, true, KL_TAP_AVGPOOL },
        { "classifier.weight", NULL, true, KL_TAP_AVGPOOL },
        { "optimizer.state", NULL, true, KL_TAP_AVGPOOL },
        { "layer4.0.se.fc1.weight", NULL, false, KL_TAP_LAYER3 },
        { "layer3.0.se.fc1.weight", "(with squeeze-excitation?)", false, KL_TAP_LAYER3 },
        { "layer5.0.conv1.weight", NULL, false, KL_TAP_LAYER4 },
        { "layer4.0.se.fc1.weight", "(with squeeze-excitation?)", false, KL_TAP_LAYER4 },
        { "layer2.0.conv3.weight", "has layer2.0.conv3.weight", false, KL_TAP_LAYER2 },
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        struct kl_weights *w = make(eighteen, 2, 64, 1);
        struct kl_error err = { 0 };
        const char *unused = "", *said = more[i].said;
        size_t n = 9;
        put(w, more[i].name, 1, 0, 0);
        const int code = kl_backbone_resnet18_expect(w, more[i].tap, &n, &unused, &err);
        CHECK(code == (said ? KL_EDATA : 0) && strstr(err.text, said ? said : ""), "%s: %d %s",
              more[i].name, code, err.text);
        CHECK(said || (n == more[i].unused && (!n || strcmp(unused, more[i].name) == 0)),
              "%s: %zu not used", more[i].name, n);
        kl_weights_free(&w);
    }
}

static void check_refused(const struct kl_weights *w, const char *said)
{
    struct kl_resnet18 *net = NULL;
    struct kl_resnet18_options o;
    struct kl_error err = { 0 };
    kl_backbone_resnet18_options_default(&o);
    CHECK(kl_backbone_resnet18_create(&net, w, &o, &err) == KL_EDATA && strcmp(err.text, said) == 0,
          "%s", err.text);
    kl_backbone_resnet18_free(&net);
}

/* A first tensor of another shape, or none of its name. */
static void check_shapes(void)
{
    static const struct {
        size_t dims[4];
        int rank;
        const char *said;
    } shapes[] = {
        { { 64, 3, 3, 3 },
          4,
          "weights: conv1.weight is 64 x 3 x 3 x 3, expected 64 x 3 x 7 x 7 (a ResNet for small images, "
          "as for CIFAR, is not read)" },
        { { 64, 1, 7, 7 },
          4,
          "weights: conv1.weight is 64 x 1 x 7 x 7, expected 64 x 3 x 7 x 7 (a ResNet for images of "
          "other channels than red, green, blue)" },
        { { 64, 7, 7, 3 },
          4,
          "weights: conv1.weight is 64 x 7 x 7 x 3, expected 64 x 3 x 7 x 7 (channels last, as MLX "
          "keeps them: transpose to output, input, row, column)" },
        { { 32, 3, 7, 7 }, 4, "weights: conv1.weight is 32 x 3 x 7 x 7, expected 64 x 3 x 7 x 7" },
        { { 64, 147 }, 2, "weights: conv1.weight is 64 x 147, expected 64 x 3 x 7 x 7" },
        { { 0 }, 0, "weights: conv1.weight is one number, expected 64 x 3 x 7 x 7" },
    };
    struct kl_error err = { 0 };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct kl_weights *w = calloc(1, sizeof *w);
        CHECK(kl_weights_put(w, "conv1.weight", shapes[i].rank, shapes[i].dims, zeros, &err) == 0);
        check_refused(w, shapes[i].said);
        kl_weights_free(&w);
    }
    struct kl_weights *w = calloc(1, sizeof *w);
    check_refused(
        w, "weights: no tensor conv1.weight, as torchvision's ResNet-18 has it; its first name is none");
    put(w, "resnet.bn1.bias", 1, 0, 0);
    put(w, "resnet.conv1.weight", 64, 3, 7);
    check_refused(
        w, "weights: no tensor conv1.weight, but resnet.conv1.weight; take the prefix off, in "
           "PyTorch: torch.save({k[7:]: v for k, v in s.items() if k.startswith('resnet.')}, FILE)");
    kl_weights_free(&w);
    w = calloc(1, sizeof *w);
    put(w, "conv0.weight", 64, 3, 7);
    check_refused(w, "weights: no tensor conv1.weight, as torchvision's ResNet-18 has it; its first "
                     "name is conv0.weight");
    kl_weights_free(&w);
    w = calloc(1, sizeof *w);
    put(w, "conv1.weight", 64, 3, 7);
    put(w, "bn1.weight", 64, 0, 0);
    put(w, "bn1.bias", 64, 0, 0);
    check_refused(w, "weights: no tensor bn1.running_mean, as torchvision's ResNet-18 has it (with "
                     "group normalisation?); its first name is conv1.weight");
    kl_weights_free(&w);
}

/* Values that are none in a convolution: the features would be none either. */
static void check_values(void)
{
    struct kl_weights *w = calloc(1, sizeof *w);
    put(w, "conv1.weight", 64, 3, 7);
    put(w, "bn1.weight", 64, 0, 0);
    put(w, "bn1.bias", 64, 0, 0);
    put(w, "bn1.running_mean", 64, 0, 0);
    put(w, "bn1.running_var", 64, 0, 0);
    w->tensors[0].data[9407] = 1e38f * 1e38f;
    check_refused(w, "weights: conv1.weight has values that are no numbers");
    kl_weights_free(&w);
}

int main(void)
{
    check_networks();
    check_more();
    check_shapes();
    check_values();
    return failures != 0;
}
