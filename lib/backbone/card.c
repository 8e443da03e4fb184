/* SPDX-License-Identifier: MIT
   ResNet-18 on a GPU: what the library of kernels/cuda/ is told, how large a batch is. */
#include <pthread.h>
#include <stdlib.h>

#include "backbone/card_int.h"
#include "kernels/device.h"

struct kl_card {
    const struct kl_cuda *cuda;
    struct kl_cuda_resnet *resnet;
    size_t batch;
    int n_convs;
    int device;
    enum kl_precision precision;
    bool preparing; /* the thread has not been waited for; what it says, then: */
    pthread_t thread;
    int code;
    struct kl_error error;
};

enum {
    MOST = 2048,              /* images of a batch; */
    PIXELS = 256 * 224 * 224, /* and pixels, about */
};

/* By the images alone, not by what is free on the card: a batch decides which of cuDNN's kernels run. No
   larger than all n images need. */
static size_t batch_of(size_t n, size_t pixels)
{
    size_t batch = MOST;
    while (batch > 1 && (batch * pixels > PIXELS || batch / 2 >= n)) batch /= 2;
    return batch;
}

static int open_batch(struct kl_card *card, const struct kl_resnet18 *net,
                      const struct kl_card_convs *convs, int slots, struct kl_error *err)
{
    const struct kl_folded *last = &net->blocks[net->n_blocks - 1].conv2;
    const struct kl_cuda_backbone backbone = {
        .precision = (int32_t)card->precision, /* as enum kl_cuda_precision */
        .height = (int32_t)net->options.height,
        .width = (int32_t)net->options.width,
        .channels = (int32_t)net->channels,
        .h = (int32_t)last->out_h,
        .w = (int32_t)last->out_w,
        .c = (int32_t)last->out,
        .mean = net->options.tap == KL_TAP_AVGPOOL,
        .n_convs = (int32_t)convs->n,
        .convs = convs->conv,
        .batch = card->batch,
        .slots = slots,
    };
    return card->cuda->resnet->open(&card->resnet, &backbone, card->device, err);
}

static void *prepare(void *argument)
{
    struct kl_card *card = argument;
    card->code = card->cuda->resnet->prepare(card->device, (int)card->precision, &card->error);
    return NULL;
}

int kl_card_prepare(struct kl_card **out, const struct kl_device *device, enum kl_precision precision,
                    struct kl_error *err)
{
    struct kl_card *card = *out = calloc(1, sizeof *card);
    if (!card) return kl_fail_memory(err, sizeof *card);
    card->cuda = device->cuda;
    card->device = device->number;
    card->precision = precision;
    card->preparing = pthread_create(&card->thread, NULL, prepare, card) == 0;
    return card->preparing ? KL_OK : kl_fail(err, KL_ENOMEM, "a thread cannot be started");
}

static int wait_until_prepared(struct kl_card *card, struct kl_error *err)
{
    if (card->preparing) pthread_join(card->thread, NULL);
    card->preparing = false;
    if (card->code && err) *err = card->error;
    return card->code;
}

int kl_card_open(struct kl_card *card, const struct kl_resnet18 *net, const struct kl_weights *weights,
                 size_t images, int slots, const struct kl_log *log, struct kl_error *err)
{
    struct kl_card_convs convs;
    const size_t wanted = card->batch = batch_of(images, net->options.height * net->options.width);
    int code = kl_card_convs_make(&convs, net, weights, err);
    if (!code) code = wait_until_prepared(card, err);
    bool full = !code;
    while (full) {
        code = open_batch(card, net, &convs, slots, err);
        full = code == KL_ENOMEM && card->batch > 1;
        if (full) card->batch /= 2;
    }
    card->n_convs = (int)convs.n;
    kl_card_convs_free(&convs);
    if (!code && card->batch < wanted)
        kl_note(log, 1, "the GPU's memory is too small for batches of %zu images: batches of %zu",
                wanted, card->batch);
    return code;
}

size_t kl_card_batch(const struct kl_card *card)
{
    return card->batch;
}

uint8_t *kl_card_pixels(struct kl_card *card, int slot)
{
    return card->cuda->resnet->pixels(card->resnet, slot);
}

int kl_card_run(struct kl_card *card, int slot, size_t first, size_t n, const float **features,
                struct kl_error *err)
{
    int code = card->cuda->resnet->start(card->resnet, slot, first, n, err);
    return code ? code : card->cuda->resnet->wait(card->resnet, slot, features, err);
}

int kl_card_seconds(struct kl_card *card, double *seconds, int repeats, struct kl_error *err)
{
    return card->cuda->resnet->seconds(card->resnet, seconds, repeats, err);
}

bool kl_card_say(char *text, size_t size, const struct kl_card *card, int number)
{
    if (number > card->n_convs) return false;
    card->cuda->resnet->say(text, size, card->resnet, number);
    return true;
}

void kl_card_close(struct kl_card **out)
{
    struct kl_card *card = *out;
    *out = NULL;
    if (!card) return;
    wait_until_prepared(card, NULL);
    if (card->resnet) card->cuda->resnet->close(&card->resnet);
    free(card);
}
