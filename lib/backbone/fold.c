/* SPDX-License-Identifier: MIT
   Batch normalisation in evaluation mode is a scale and a shift of each output channel; both go
   into the convolution before it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone_int.h"
#include "backbone/backbone.h"

static const double EPSILON = 1e-5; /* torch.nn.BatchNorm2d */

/* "64 x 3 x 7 x 7" */
static void shape_text(char text[96], int rank, const size_t *dims)
{
    size_t used = 0;
    snprintf(text, 96, "one number");
    for (int i = 0; i < rank && used < 80; i++)
        used += (size_t)snprintf(text + used, 96 - used, "%s%zu", i ? " x " : "", dims[i]);
}

/* Name the layout of a tensor of another shape, if it is a known one; else "". */
static const char *kind_text(const struct kl_weight *t, int rank, const size_t *dims)
{
    const bool conv = rank == 4 && t->rank == 4 && t->dims[0] == dims[0];
    if (!conv) return "";
    if (t->dims[1] == dims[2] && t->dims[2] == dims[2] && t->dims[3] == dims[1])
        return " (channels last, as MLX keeps them: transpose to output, input, row, column)";
    if (dims[2] == 7 && t->dims[2] == 3)
        return " (a ResNet for small images, as for CIFAR, is not read)";
    if (dims[2] == 7 && t->dims[1] != dims[1] && t->dims[2] == 7)
        return " (a ResNet for images of other channels than red, green, blue)";
    return "";
}

/* The name of a convolution, if there is one, whose prefix then tells what is to be taken off. */
static const char *first_name(const struct kl_weights *weights)
{
    for (size_t i = 0; i < weights->n; i++)
        if (weights->tensors[i].rank == 4) return weights->tensors[i].name;
    return weights->n ? weights->tensors[0].name : "none";
}

/* Characters of a name before the one that is wanted: 7 of "module.conv1.weight"; 0: it is another. */
static size_t prefix_of(const char *name, const char *wanted)
{
    const size_t m = strlen(name), n = strlen(wanted);
    return m > n + 1 && name[m - n - 1] == '.' && strcmp(name + m - n, wanted) == 0 ? m - n : 0;
}

static int expect(const struct kl_weight **tensor, const struct kl_weights *weights, const char *name,
                  const char *part, int rank, const size_t *dims, struct kl_error *err)
{
    char full[160], words[96], found[96], wanted[96];
    snprintf(full, sizeof full, "%s.%s", name, part);
    const struct kl_weight *t = *tensor = kl_weights_find(weights, full);
    if (t && *t->unread) return kl_weights_check_read(weights, t, err);
    if (t && t->rank == rank && memcmp(t->dims, dims, (size_t)rank * sizeof *dims) == 0) return KL_OK;
    kl_backbone_resnet18_guess(words, weights, full);
    const size_t before = t ? 0 : prefix_of(first_name(weights), full);
    if (before)
        return kl_fail(
            err, KL_EDATA,
            "%s: no tensor %s, but %s; take the prefix off, in PyTorch: torch.save({k[%zu:]: v "
            "for k, v in s.items() if k.startswith('%.*s')}, FILE)",
            kl_weights_path(weights), full, first_name(weights), before, (int)before,
            first_name(weights));
    if (!t)
        return kl_fail(err, KL_EDATA,
                       "%s: no tensor %s, as torchvision's ResNet-18 has it%s; its first name is %s",
                       kl_weights_path(weights), full, words, first_name(weights));
    shape_text(found, t->rank, t->dims);
    shape_text(wanted, rank, dims);
    const char *kind = kind_text(t, rank, dims);
    return kl_fail(err, KL_EDATA, "%s: %s is %s, expected %s%s", kl_weights_path(weights), full, found,
                   wanted, *kind ? kind : words);
}

/* scale and shift (out values each) of a batch normalisation. */
static int scale_and_shift(double *scale, double *shift, const struct kl_weights *weights,
                           const char *name, size_t n, struct kl_error *err)
{
    const struct kl_weight *gamma, *beta, *mean, *variance;
    int code = expect(&gamma, weights, name, "weight", 1, &n, err);
    if (!code) code = expect(&beta, weights, name, "bias", 1, &n, err);
    if (!code) code = expect(&mean, weights, name, "running_mean", 1, &n, err);
    if (!code) code = expect(&variance, weights, name, "running_var", 1, &n, err);
    for (size_t o = 0; !code && o < n; o++) {
        scale[o] = (double)gamma->data[o] / sqrt((double)variance->data[o] + EPSILON);
        shift[o] = (double)beta->data[o] - (double)mean->data[o] * scale[o];
        if (!isfinite(scale[o]) || !isfinite(shift[o]))
            code = kl_fail(err, KL_EDATA,
                           "%s: %s: channel %zu has a negative variance or values that are no numbers",
                           kl_weights_path(weights), name, o);
    }
    return code;
}

int kl_backbone_fold_find(const struct kl_weight **w, double *scale, double *shift,
                          const struct kl_folded *conv, size_t in, const struct kl_weights *weights,
                          struct kl_error *err)
{
    const size_t dims[4] = { conv->out, in, conv->size, conv->size };
    int code = expect(w, weights, conv->name, "weight", 4, dims, err);
    for (size_t i = 0; !code && i < (*w)->n; i++)
        if (!isfinite((*w)->data[i]))
            code = kl_fail(err, KL_EDATA, "%s: %s.weight has values that are no numbers",
                           kl_weights_path(weights), conv->name);
    return code ? code : scale_and_shift(scale, shift, weights, conv->norm, conv->out, err);
}

/* Points of one dimension from a kernel's three taps (kernels/conv.h): G w. Returns their number. */
static size_t points_1d(double g[6], const double w[3], enum kl_conv_kind kind)
{
    if (kind == KL_CONV_1) {
        g[0] = w[1];
        return 1;
    }
    if (kind == KL_CONV_2) {
        g[0] = w[1];
        g[1] = w[2] - w[1];
        g[2] = w[0] - w[1];
        return 3;
    }
    g[0] = w[0] / 4;
    g[1] = -(w[0] + w[1] + w[2]) / 6;
    g[2] = -(w[0] - w[1] + w[2]) / 6;
    g[3] = (w[0] + 2 * w[1] + 4 * w[2]) / 24;
    g[4] = (w[0] - 2 * w[1] + 4 * w[2]) / 24;
    g[5] = w[2];
    return 6;
}

/* to[point * step] = scale * (G w G^T)[point] */
static void points_2d(float *to, size_t step, const float *w, double scale, enum kl_conv_kind kind)
{
    double rows[3][6], column[3], g[6];
    size_t n = 0;
    for (int r = 0; r < 3; r++) {
        double taps[3] = { (double)w[3 * r], (double)w[3 * r + 1], (double)w[3 * r + 2] };
        n = points_1d(rows[r], taps, kind);
    }
    for (size_t c = 0; c < n; c++) {
        for (int r = 0; r < 3; r++) column[r] = rows[r][c];
        points_1d(g, column, kind);
        for (size_t r = 0; r < n; r++) to[(r * n + c) * step] = (float)(scale * g[r]);
    }
}

int kl_backbone_fold(struct kl_folded *conv, const struct kl_weights *weights, struct kl_error *err)
{
    const struct kl_weight *w;
    bool points = conv->size == 3 && conv->stride == 1;
    size_t taps = conv->size * conv->size, step = kl_conv_panels_size(conv->out, conv->in);
    size_t n = (points ? kl_conv_points(conv->kind) : taps) * step;
    double *scale = malloc(2 * conv->out * sizeof *scale);
    conv->weights = aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);
    conv->bias = malloc(conv->out * sizeof(float));
    int code = scale && conv->weights && conv->bias ? KL_OK : kl_fail_memory(err, n * sizeof(float));
    if (!code) code = kl_backbone_fold_find(&w, scale, scale + conv->out, conv, conv->in, weights, err);
    if (!code) memset(conv->weights, 0, n * sizeof(float));
    for (size_t o = 0; !code && o < conv->out; o++) {
        conv->bias[o] = (float)scale[conv->out + o];
        for (size_t i = 0; i < conv->in; i++) {
            const float *from = w->data + (o * conv->in + i) * taps;
            float *to = conv->weights + kl_conv_panels_at(o, i, conv->in);
            if (points) points_2d(to, step, from, scale[o], conv->kind);
            else
                for (size_t t = 0; t < taps; t++) to[t * step] = (float)(scale[o] * (double)from[t]);
        }
    }
    free(scale);
    return code;
}

/* Set channel o's bias at every output: its shift, and -mean/std through the taps inside the image. */
static void add_means(struct kl_resnet18 *net, const float *w, const double *scale, size_t o)
{
    const struct kl_folded *stem = &net->stem;
    for (size_t y = 0; y < stem->out_h; y++)
        for (size_t x = 0; x < stem->out_w; x++) {
            double sum = scale[stem->out + o];
            for (size_t c = 0; c < 3; c++)
                for (size_t t = 0; t < 49; t++) {
                    size_t row = 2 * y + t / 7 - 3,
                           column = 2 * x + t % 7 - 3; /* below 0: wraps, outside */
                    if (row >= stem->in_h || column >= stem->in_w) continue;
                    sum -= scale[o] * (double)w[(o * 3 + c) * 49 + t] * (double)net->options.mean[c] /
                           (double)net->options.std[c];
                }
            net->stem_bias[(o * stem->out_h + y) * stem->out_w + x] = (float)sum;
        }
}

int kl_backbone_fold_stem(struct kl_resnet18 *net, const struct kl_weights *weights,
                          struct kl_error *err)
{
    struct kl_folded *stem = &net->stem;
    const struct kl_weight *w;
    size_t map = stem->out_h * stem->out_w, taps = net->channels * 49;
    double scale[128];
    bool raw = net->options.pixels == KL_PIXELS_NORMALISED;
    int code = kl_backbone_fold_find(&w, scale, scale + 64, stem, 3, weights, err);
    if (code) return code;
    stem->weights = calloc(kl_conv_panels_size(64, taps), sizeof(float));
    net->stem_bias = malloc(64 * map * sizeof(float));
    if (!stem->weights || !net->stem_bias) return kl_fail_memory(err, 64 * map * sizeof(float));
    for (size_t o = 0; o < 64; o++) {
        for (size_t t = 0; t < 49; t++) {
            double sum[3] = { 0 };
            for (size_t c = 0; c < 3; c++)
                sum[net->channels == 1 ? 0 : c] += scale[o] * (double)w->data[(o * 3 + c) * 49 + t] /
                                                   (raw ? 1 : 255 * (double)net->options.std[c]);
            for (size_t c = 0; c < net->channels; c++)
                stem->weights[kl_conv_panels_at(o, c * 49 + t, taps)] = (float)sum[c];
        }
        if (!raw) add_means(net, w->data, scale, o);
        else
            for (size_t i = 0; i < map; i++) net->stem_bias[o * map + i] = (float)scale[64 + o];
    }
    return KL_OK;
}

/* ---- Three numbers out of an option: means or deviations of the colours ---- */

int kl_backbone_resnet18_triple(float triple[3], char text[64], const char *from, bool positive,
                                const char *name, struct kl_error *err)
{
    const char *at = from;
    for (int i = 0; i < 3; i++) {
        char *end;
        triple[i] = strtof(at, &end);
        if (end == at || !isfinite(triple[i]) || *end != (i < 2 ? ',' : 0) ||
            (positive && triple[i] <= 0) || triple[i] > 1)
            return kl_fail(
                err, KL_EUSAGE,
                "%s: found '%.80s', expected three %snumbers up to 1 (of pixel/255), as in 0.5,0.5,0.5",
                name, from, positive ? "positive " : "");
        at = end + 1;
    }
    for (int digits = 1; digits <= 9; digits++) {
        float same[3];
        snprintf(text, 64, "%.*g,%.*g,%.*g", digits, triple[0], digits, triple[1], digits, triple[2]);
        if (sscanf(text, "%f,%f,%f", &same[0], &same[1], &same[2]) == 3 &&
            memcmp(same, triple, sizeof same) == 0)
            break;
    }
    return 0;
}
