/* SPDX-License-Identifier: MIT
   Is a file of weights that of a ResNet-18, no more and no less? A larger or another network has all of
   its names too, and would give features of no network that exists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backbone/backbone_int.h"
#include "backbone/backbone.h"

/* A tensor's place, read from its name: "layer2.1.conv1.weight" is of stage 2, block 1, and the rest. */
struct place {
    int stage, block; /* 0: of none */
    const char *rest;
};

static struct place place_of(const char *name)
{
    struct place p = { 0, 0, name };
    int used = 0;
    if (sscanf(name, "layer%3d.%3d.%n", &p.stage, &p.block, &used) < 2 || !used)
        return (struct place){ 0, 0, name };
    p.rest = name + used;
    return p;
}

/* One of the names "conv1" (or "downsample.0") with its weight, "bn1" with its five. */
static bool is_of(const char *rest, const char *conv, const char *norm)
{
    static const char *const parts[] = { "weight", "bias", "running_mean", "running_var",
                                         "num_batches_tracked" };
    const size_t n_conv = strlen(conv), n_norm = strlen(norm);
    if (strncmp(rest, conv, n_conv) == 0 && strcmp(rest + n_conv, ".weight") == 0) return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(rest, norm, n_norm) == 0 && rest[n_norm] == '.' &&
            strcmp(rest + n_norm + 1, parts[i]) == 0)
            return true;
    return false;
}

static bool is_ours(const char *name)
{
    const struct place p = place_of(name);
    if (!p.stage) return is_of(name, "conv1", "bn1");
    if (p.stage < 1 || p.stage > 4 || p.block < 0 || p.block > 1) return false;
    return is_of(p.rest, "conv1", "bn1") || is_of(p.rest, "conv2", "bn2") ||
           (p.stage > 1 && p.block == 0 && is_of(p.rest, "downsample.0", "downsample.1"));
}

/* Could it change the features? By its first word, which is that of a layer, with or without a number,
   or of something between layers. Heads, and what training kept beside the network, are others. */
static bool is_within(const char *name, enum kl_tap tap)
{
    static const char *const words[] = {
        "conv",    "bn",   "norm",  "gn",  "layer", "stem",  "pool", "maxpool", "attnpool",
        "avgpool", "bias", "scale", "add", "act",   "prelu", "relu", "se",      "downsample"
    };
    int stage = 0;
    const size_t n = strcspn(name, ".");
    if (sscanf(name, "layer%3d.", &stage) == 1 && tap != KL_TAP_AVGPOOL && stage > (int)tap + 1)
        return false; /* after what is taken */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (n >= length && n <= length + 2 && strncmp(name, words[i], length) == 0) return true;
    }
    return false;
}

/* Blocks of each of the four stages. */
static void count_blocks(int blocks[4], const struct kl_weights *weights)
{
    const size_t before = strlen(weights->prefix);
    for (size_t i = 0; i < weights->n; i++) {
        const char *name = weights->tensors[i].name;
        if (strncmp(name, weights->prefix, before) != 0) continue;
        const struct place p = place_of(name + before);
        if (p.stage >= 1 && p.stage <= 4 && p.block >= blocks[p.stage - 1])
            blocks[p.stage - 1] = p.block + 1;
    }
}

/* By what its first block has: three convolutions, the second in groups, or wide. */
static const char *family_of(const struct kl_weights *weights, bool bottleneck)
{
    const struct kl_weight *conv2 = kl_weights_find(weights, "layer1.0.conv2.weight");
    if (!bottleneck || !conv2 || conv2->rank != 4) return "ResNet";
    return conv2->dims[1] < conv2->dims[0] ? "ResNeXt"
           : conv2->dims[0] == 128         ? "Wide ResNet"
                                           : "ResNet";
}

/* " (a ResNet-34?)" by the number of blocks, or "". */
static void guess_blocks(char words[96], const struct kl_weights *weights)
{
    static const struct {
        bool bottleneck;
        int blocks[4], depth;
    } known[] = { { false, { 1, 1, 1, 1 }, 10 },  { false, { 3, 4, 6, 3 }, 34 },
                  { true, { 2, 2, 2, 2 }, 26 },   { true, { 3, 4, 6, 3 }, 50 },
                  { true, { 3, 4, 23, 3 }, 101 }, { true, { 3, 8, 36, 3 }, 152 } };
    const bool bottleneck = kl_weights_find(weights, "layer1.0.conv3.weight");
    const char *family = family_of(weights, bottleneck);
    int b[4] = { 0 };
    count_blocks(b, weights);
    *words = '\0';
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].bottleneck == bottleneck && memcmp(known[i].blocks, b, sizeof b) == 0) {
            snprintf(words, 96, " (a %s-%d?)", family, known[i].depth);
            return;
        }
    const bool ours = b[0] == 2 && b[1] == 2 && b[2] == 2 && b[3] == 2 && !bottleneck;
    if (b[0] && !ours)
        snprintf(words, 96, " (a %s of %d, %d, %d and %d blocks?)", family, b[0], b[1], b[2], b[3]);
}

void kl_backbone_resnet18_guess(char words[96], const struct kl_weights *weights, const char *name)
{
    static const char *const parts[][2] = {
        { ".se", " (with squeeze-excitation?)" },
        { "weight_", " (weight_norm, spectral_norm or pruning: remove it before you save)" },
        { "parametriz", " (a parametrisation: remove it before you save)" },
        { "scale", " (quantised, or Fixup?)" },
        { "bias1", " (Fixup?)" },
        { "zero_point", " (quantised?)" },
        { ".IN.", " (an IBN-Net?)" },
        { "prelu", " (with PReLU?)" },
        { "conv1.bias", " (convolutions with biases?)" },
        { "conv2.bias", " (convolutions with biases?)" },
        { "downsample.0.bias", " (convolutions with biases?)" },
        { "running_", " (with group normalisation?)" },
        { "conv1.0.", " (a ResNet-18-C or -D, of a deep stem?)" },
    };
    guess_blocks(words, weights);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !*words; i++)
        if (strstr(name, parts[i][0])) snprintf(words, 96, "%s", parts[i][1]);
}

int kl_backbone_resnet18_expect(struct kl_weights *weights, enum kl_tap tap, size_t *n_unused,
                                const char **unused, struct kl_error *err)
{
    char words[96];
    *n_unused = 0;
    kl_weights_find_prefix(weights, "conv1.weight", "layer1.0.conv1.weight");
    const size_t before = strlen(weights->prefix);
    for (size_t i = 0; i < weights->n; i++) {
        const char *whole = weights->tensors[i].name, *name = whole + before;
        const bool outside = strncmp(whole, weights->prefix, before) != 0;
        if (!outside && is_ours(name)) continue;
        if (outside || !is_within(name, tap)) {
            if (outside) name = whole;
            const bool head = strncmp(name, "fc.", 3) == 0 || strncmp(name, "layer", 5) == 0;
            if (!head && (*n_unused)++ == 0) *unused = name;
            continue;
        }
        kl_backbone_resnet18_guess(words, weights, name);
        return kl_fail(err, KL_EDATA, "%s: has %s, which a ResNet-18 has not%s",
                       kl_weights_path(weights), whole, words);
    }
    return KL_OK;
}

/* ---- Where the weights lie that ketline ships with ---- */

/* Without "bin/../..": the path is what provenance and messages show. */
static void tidy(char *path, size_t size)
{
    char *whole = realpath(path, NULL);
    if (whole && strlen(whole) < size) memcpy(path, whole, strlen(whole) + 1);
    free(whole);
}

int kl_backbone_weights_shipped(char *path, size_t size, struct kl_error *err)
{
    static const char file[] = "backbone/resnet18-gray28-f16.safetensors";
    char exe[2048] = "";
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    if (strrchr(exe, '/')) *strrchr(exe, '/') = 0;
    const char *data = getenv("KETLINE_DATA");
    const char *const forms[] = { "../share/ketline", "../../data", "../../../data" };
    if (data && *data) {
        snprintf(path, size, "%s/%s", data, file);
        if (access(path, R_OK) != 0)
            return kl_fail(
                err, KL_ENOINPUT,
                "KETLINE_DATA=%s: found no %s there, or none that can be read; unset it, or give "
                "--weights FILE",
                data, file);
        tidy(path, size);
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        snprintf(path, size, "%s/%s/%s", exe, forms[k], file);
        if (access(path, R_OK) == 0) {
            tidy(path, size);
            return 0;
        }
    }
    return kl_fail(err, KL_ENOINPUT,
                   "the shipped weights (%s) are not beside the program; set KETLINE_DATA to the folder "
                   "above backbone, or give --weights FILE",
                   file);
}
