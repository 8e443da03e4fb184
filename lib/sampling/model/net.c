/* SPDX-License-Identifier: MIT
   Networks by name: which layers they have, where each tensor lies in the flat vector, the losses of
   their logits, and those that kernels/shallow.h steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/losses.h"
#include "kernels/shallow.h"
#include "sampling/model/model.h"
#include "sampling/model/model_int.h"

/* ---- losses ---- */

void kl_sampling_loss_of(double *value, double *by_logits, const double *logits, int outputs,
                         int32_t label, enum kl_loss loss, double l_max)
{
    *value = kl_loss_of(by_logits, logits, outputs, label, loss, l_max);
}

int kl_sampling_loss_wrong(const double *logits, int outputs, int32_t label)
{
    return kl_loss_wrong(logits, outputs, label);
}

void kl_sampling_loss_ends(double *low, double *high, enum kl_loss loss, double l_max)
{
    const double pi = 3.14159265358979323846;
    *low = loss == KL_LOSS_BBCE ? -log1p(-exp(-l_max)) : 0;
    *high = loss == KL_LOSS_BBCE      ? l_max
            : loss == KL_LOSS_SAVAGE  ? 1
            : loss == KL_LOSS_TANGENT ? (pi + 1) * (pi + 1)
                                      : INFINITY;
}

/* KL_EUSAGE: not for so many outputs, or l_max not above ln 2. */
static int loss_check(enum kl_loss loss, int outputs, double l_max, struct kl_error *err)
{
    if (loss == KL_LOSS_BBCE && !(l_max > log(2.0) && l_max < 700))
        return kl_fail(err, KL_EUSAGE,
                       "l_max: found %g, expected more than ln 2 = 0.693 and less than 700", l_max);
    if (outputs > 1 && (loss == KL_LOSS_BCE || loss == KL_LOSS_TANGENT))
        return kl_fail(
            err, KL_EUSAGE,
            "loss: bce and tangent are for two classes, found %d; expected bbce, savage, ce or square",
            outputs);
    if (outputs == 1 && loss == KL_LOSS_CE)
        return kl_fail(err, KL_EUSAGE,
                       "loss: ce is for three classes or more, found 2; expected bce, which it then is");
    return 0;
}

/* ---- networks by name: which layers they have, and where each tensor lies in the flat vector ---- */

/* Adds a tensor at the end and returns where it begins. */
static size_t tensor(struct kl_sampling_net *net, const char *name, int rank, const size_t dims[4],
                     size_t fan_in, double start)
{
    struct kl_sampling_tensor *t = &net->tensors[net->n_tensors++];
    *t = (struct kl_sampling_tensor){
        .rank = rank, .offset = net->size, .size = 1, .fan_in = fan_in, .sigma = 1, .start = start
    };
    snprintf(t->name, sizeof t->name, "%s", name);
    for (int i = 0; i < rank; i++) t->size *= t->dims[i] = dims[i];
    net->size += t->size;
    return t->offset;
}

static void dense(struct kl_sampling_net *net, const char *w, const char *b, size_t in, size_t out)
{
    struct kl_sampling_dense *d = &net->dense[net->n_dense++];
    *d = (struct kl_sampling_dense){ .in = in, .out = out };
    d->w = tensor(net, w, 2, (const size_t[4]){ out, in }, in, 0);
    d->b = tensor(net, b, 1, (const size_t[4]){ out }, in, 0);
}

/* The shape of the next layer's input: maps of the image or of the last unit. */
static void shape_in(const struct kl_sampling_net *net, size_t *c, size_t *h, size_t *w)
{
    *c = net->channels, *h = net->height, *w = net->width;
    if (net->n_units == 0) return;
    const struct kl_sampling_unit *last = &net->units[net->n_units - 1];
    const size_t by = last->pool == KL_SAMPLING_NO_POOL ? 1 : 2;
    *c = last->out, *h = last->out_h / by, *w = last->out_w / by;
}

static void conv(struct kl_sampling_net *net, const char *const names[4], size_t out, size_t kernel,
                 size_t pad, bool norm, enum kl_sampling_pool pool)
{
    struct kl_sampling_unit u = { .out = out, .kernel = kernel, .pad = pad, .norm = norm, .pool = pool };
    shape_in(net, &u.in, &u.in_h, &u.in_w);
    const size_t fan_in = u.in * kernel * kernel;
    u.out_h = u.in_h + 2 * pad + 1 - kernel, u.out_w = u.in_w + 2 * pad + 1 - kernel;
    u.w = tensor(net, names[0], 4, (const size_t[4]){ out, u.in, kernel, kernel }, fan_in, 0);
    u.b = tensor(net, names[1], 1, (const size_t[4]){ out }, fan_in, 0);
    if (norm) {
        u.gamma = tensor(net, names[2], 1, (const size_t[4]){ out }, 0, 1);
        u.beta = tensor(net, names[3], 1, (const size_t[4]){ out }, 0, 0);
        u.statistics = net->n_statistics;
        net->n_statistics += out;
    }
    net->units[net->n_units++] = u;
}

static int fits(const struct kl_sampling_net *net, size_t side, struct kl_error *err)
{
    if (net->height == side && net->width == side) return 0;
    return kl_fail(err, KL_EUSAGE, "net '%s': found images of %zux%zu, expected %zux%zu", net->name,
                   net->height, net->width, side, side);
}

static void make_fcn(struct kl_sampling_net *net, int depth, size_t width)
{
    size_t in = net->inputs;
    char w[16], b[16];
    for (int l = 0; l <= depth; l++) {
        snprintf(w, sizeof w, "W%d", l + 1), snprintf(b, sizeof b, "b%d", l + 1);
        dense(net, w, b, in, l < depth ? width : (size_t)net->outputs);
        in = width;
    }
}

/* The third convolution meets maps of its own size: it is a dense layer, whose weights lie as the
 * filters' do. */
static int make_lenet5(struct kl_sampling_net *net, struct kl_error *err)
{
    const int code = fits(net, 28, err);
    if (code) return code;
    conv(net, (const char *const[4]){ "c1w", "c1b" }, 6, 5, 2, false, KL_SAMPLING_MEAN_POOL);
    conv(net, (const char *const[4]){ "c2w", "c2b" }, 16, 5, 0, false, KL_SAMPLING_MEAN_POOL);
    dense(net, "c3w", "c3b", 400, 120);
    struct kl_sampling_tensor *filters = &net->tensors[net->n_tensors - 2];
    filters->rank = 4, filters->dims[1] = 16, filters->dims[2] = filters->dims[3] = 5;
    dense(net, "f1w", "f1b", 120, 420);
    dense(net, "f2w", "f2b", 420, (size_t)net->outputs);
    return 0;
}

static int make_cnn4(struct kl_sampling_net *net, const size_t sizes[3], struct kl_error *err)
{
    if (net->height < 6 || net->width < 6 || net->height % 2 || net->width % 2)
        return kl_fail(err, KL_EUSAGE,
                       "net '%s': found images of %zux%zu, expected even sides from 6 on", net->name,
                       net->height, net->width);
    conv(net, (const char *const[4]){ "c1w", "c1b" }, sizes[0], 3, 0, false, KL_SAMPLING_NO_POOL);
    conv(net, (const char *const[4]){ "c2w", "c2b" }, sizes[1], 3, 0, false, KL_SAMPLING_MAX_POOL);
    size_t c, h, w;
    shape_in(net, &c, &h, &w);
    dense(net, "f1w", "f1b", c * h * w, sizes[2]);
    dense(net, "f2w", "f2b", sizes[2], (size_t)net->outputs);
    return 0;
}

static int make_vgg16(struct kl_sampling_net *net, const size_t sizes[2], struct kl_error *err)
{
    static const int times[13] = { 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8 };
    const int code = fits(net, 32, err);
    if (code) return code;
    for (int i = 0; i < 13; i++) {
        const bool pool = i == 1 || i == 3 || i == 6 || i == 9 || i == 12;
        char names[4][24];
        snprintf(names[0], sizeof *names, "conv%d.w", i),
            snprintf(names[1], sizeof *names, "conv%d.b", i);
        snprintf(names[2], sizeof *names, "bn%d.gamma", i),
            snprintf(names[3], sizeof *names, "bn%d.beta", i);
        conv(net, (const char *const[4]){ names[0], names[1], names[2], names[3] },
             sizes[0] * (size_t)times[i], 3, 1, net->norm != KL_SAMPLING_NORM_NONE,
             pool ? KL_SAMPLING_MAX_POOL : KL_SAMPLING_NO_POOL);
    }
    dense(net, "f1w", "f1b", 8 * sizes[0], sizes[1]);
    dense(net, "f2w", "f2b", sizes[1], sizes[1]);
    dense(net, "f3w", "f3b", sizes[1], (size_t)net->outputs);
    return 0;
}

/* The n sizes behind the name's colon; without one, those that are there already. */
static int read_sizes(size_t *sizes, int n, const char *name, struct kl_error *err)
{
    const char *at = strchr(name, ':');
    if (!at && sizes[0]) return 0;
    for (int i = 0; at && i < n; i++) {
        int length = 0;
        unsigned long value = 0;
        if (*++at < '1' || *at > '9' || sscanf(at, "%7lu%n", &value, &length) != 1) break;
        sizes[i] = value, at += length;
        if (i == n - 1 && !*at) return 0;
        if (*at != ',') break;
    }
    return kl_fail(err, KL_EUSAGE, "net: found '%s', expected %d size%s behind a colon, for instance %s",
                   name, n, kl_s((unsigned)n),
                   n == 1   ? "fcn2:1000"
                   : n == 2 ? "vgg16:64,1024"
                            : "cnn4:32,64,128");
}

static int make_layers(struct kl_sampling_net *net, struct kl_error *err)
{
    const size_t length = strcspn(net->name, ":");
    int kind = -1, code;
    enum { LINEAR, LENET5 = 4, CNN4, VGG16, VGG16_FROZEN, KINDS = 9 };
    static const char *const kinds[KINDS] = { "linear", "fcn1",  "fcn2",         "fcn3",       "lenet5",
                                              "cnn4",   "vgg16", "vgg16-frozen", "vgg16-plain" };
    for (int i = 0; i < KINDS; i++)
        if (strlen(kinds[i]) == length && memcmp(kinds[i], net->name, length) == 0) kind = i;
    if (kind < 0 || ((kind == LENET5 || kind == LINEAR) && net->name[length]))
        return kl_fail(err, KL_EUSAGE, "net: found '%s', expected %s", net->name, KL_SAMPLING_NETS);
    if (kind < LENET5) {
        size_t width = 0;
        if (kind != LINEAR && (code = read_sizes(&width, 1, net->name, err))) return code;
        make_fcn(net, kind, width);
        return 0;
    }
    if (kind == LENET5) return make_lenet5(net, err);
    if (kind == CNN4) {
        size_t sizes[3] = { 32, 64, 128 };
        if ((code = read_sizes(sizes, 3, net->name, err))) return code;
        return make_cnn4(net, sizes, err);
    }
    size_t sizes[2] = { 64, 1024 };
    if ((code = read_sizes(sizes, 2, net->name, err))) return code;
    net->norm = kind == VGG16          ? KL_SAMPLING_NORM_BATCH
                : kind == VGG16_FROZEN ? KL_SAMPLING_NORM_FROZEN
                                       : KL_SAMPLING_NORM_NONE;
    return make_vgg16(net, sizes, err);
}

int kl_sampling_net_make(struct kl_sampling_net *net, const char *name, size_t channels, size_t height,
                         size_t width, int classes, enum kl_loss loss, double l_max,
                         struct kl_error *err)
{
    const int outputs = classes == 2 ? 1 : classes;
    *net = (struct kl_sampling_net){ .channels = channels,
                                     .height = height,
                                     .width = width,
                                     .inputs = channels * height * width,
                                     .classes = classes,
                                     .outputs = outputs,
                                     .loss = loss,
                                     .l_max = l_max };
    if (classes < 2 || net->inputs == 0)
        return kl_fail(err, KL_EUSAGE,
                       "net '%s': found %d classes, %zu inputs, expected 2 classes and 1 input at least",
                       name, classes, net->inputs);
    if (snprintf(net->name, sizeof net->name, "%s", name) >= (int)sizeof net->name)
        return kl_fail(err, KL_EUSAGE, "net: found '%s', expected %s", name, KL_SAMPLING_NETS);
    const int code = loss_check(loss, outputs, l_max, err);
    return code ? code : make_layers(net, err);
}

/* ---- shallow ----
   Nets of one hidden layer, few inputs and one logit take many Langevin steps at once, their weights in
   the form of kernels/shallow.h from the first to the last. */

enum { STEPS = 64 }; /* a call */

/* One thread's. */
struct kl_sampling_shallow {
    struct kl_shallow net;
    float *packed, *work;
    struct kl_langevin_factors factors[STEPS];
    struct kl_shallow_sums sums[STEPS];
};

static int walk_span(const struct kl_sampling_context *c, struct kl_sampling_shallow *s,
                     const struct kl_sampling_span *span, struct kl_sampling_sums *sums)
{
    const struct kl_shallow_records records = { c->sets[0]->x, c->sets[0]->label };
    for (size_t i = 0; i < STEPS && i < span->count; i++) s->factors[i] = span->factors;
    for (size_t first = 0; first < span->count; first += STEPS) {
        const size_t left = span->count - first, some = left < STEPS ? left : STEPS,
                     at = first * span->batch,
                     rows =
                         span->n_rows - at < some * span->batch ? span->n_rows - at : some * span->batch;
        struct kl_langevin_stream stream = span->stream;
        stream.step += (uint32_t)first;
        kl_kernel_shallow_steps_f32()(s->packed, &s->net, &records, span->rows + at, rows, span->batch,
                                      s->factors, &stream, s->sums, s->work);
        for (size_t i = 0; i < some; i++) {
            const size_t gone = i * span->batch,
                         count = rows - gone < span->batch ? rows - gone : span->batch;
            sums[first + i] = (struct kl_sampling_sums){ s->sums[i].loss, s->sums[i].squares,
                                                         s->sums[i].wrong, (int64_t)count };
        }
    }
    return KL_OK;
}

static int walk(void *context, float *w, const struct kl_sampling_span *spans, size_t n_spans,
                struct kl_sampling_sums *sums, const struct kl_sampling_crew *crew, struct kl_error *err)
{
    const struct kl_sampling_context *c = context;
    struct kl_sampling_shallow *s = &c->shallow[crew->thread];
    (void)err;
    kl_shallow_pack(s->packed, w, &s->net);
    for (size_t i = 0; i < n_spans; sums += spans[i].count, i++) walk_span(c, s, &spans[i], sums);
    kl_shallow_unpack(w, s->packed, &s->net);
    return KL_OK;
}

bool kl_sampling_net_shallow(struct kl_shallow *form, const struct kl_sampling_net *net)
{
    *form = (struct kl_shallow){ net->dense[0].in, net->dense[0].out,
                                 net->loss == KL_LOSS_BBCE ? KL_SHALLOW_BBCE : KL_SHALLOW_BCE,
                                 exp(-net->l_max) };
    return net->n_units == 0 && net->n_dense == 2 && net->outputs == 1 &&
           net->dense[0].in <= KL_SHALLOW_INPUTS &&
           (net->loss == KL_LOSS_BBCE || net->loss == KL_LOSS_BCE);
}

int kl_sampling_shallow_open(struct kl_sampling_shallow **shallow, struct kl_sampling_target_f32 *target,
                             const struct kl_sampling_net *net, size_t batch, int threads,
                             struct kl_error *err)
{
    struct kl_shallow form;
    *shallow = NULL;
    if (!kl_sampling_net_shallow(&form, net) || batch > KL_SHALLOW_BATCH) return KL_OK;
    struct kl_sampling_shallow *all = *shallow = calloc((size_t)threads, sizeof *all);
    if (!all) return kl_fail_memory(err, (size_t)threads * sizeof *all);
    const size_t n = kl_shallow_packed(&form), work = kl_shallow_work(&form, batch);
    for (int i = 0; i < threads; i++) {
        all[i].net = form;
        all[i].packed = aligned_alloc(64, (n + 16) / 16 * 64);
        all[i].work = aligned_alloc(64, (work + 16) / 16 * 64);
        if (!all[i].packed || !all[i].work) return kl_fail_memory(err, (n + work) * sizeof(float));
    }
    target->walk = walk;
    return KL_OK;
}

void kl_sampling_shallow_close(struct kl_sampling_shallow *shallow, int threads)
{
    for (int i = 0; i < threads && shallow; i++) free(shallow[i].packed), free(shallow[i].work);
    free(shallow);
}
