/* SPDX-License-Identifier: MIT
   Options of `qgan`; what those that were left open become, and which do not go together. */

#include "kernels/device.h"
#include "qrng/bits/options.h"
#include "qrng/gan/settings.h"
#include "qrng/gan/study.h"

static void fill(int64_t *value, int64_t otherwise)
{
    if (*value == 0) *value = otherwise;
}

static int settle_reference(struct kl_gan_options *o, struct kl_error *err)
{
    const bool quantum = o->generator == KL_GAN_QUANTUM;
    if (o->loss != KL_GAN_ADVERSARIAL)
        return kl_fail(err, KL_EUSAGE, "--reference trains by --loss gan alone");
    if (o->word_bits || o->hidden || o->steps || o->patience || o->resamples || o->penalty != 0)
        return kl_fail(err, KL_EUSAGE,
                       "--reference has its own word-bits, hidden, discriminator-steps, "
                       "gradient-penalty, patience and resamples; leave these out");
    fill(&o->epochs, quantum ? 50 : 100);
    o->hidden = quantum ? 10 : 20;
    o->steps = 1;
    if (o->decay == 0) o->decay = 0.005;
    return KL_OK;
}

static int settle_sound(struct kl_gan_options *o, struct kl_error *err)
{
    if (o->all_rows)
        return kl_fail(err, KL_EUSAGE, "--all-rows without --reference: all rows are taken");
    fill(&o->epochs, 2000);
    fill(&o->word_bits, 8);
    fill(&o->hidden, 32);
    fill(&o->steps, 3);
    fill(&o->patience, 300);
    fill(&o->resamples, 1000);
    if (o->loss != KL_GAN_ADVERSARIAL) o->hidden = o->steps = 0;
    if (o->generator == KL_GAN_QUANTUM && o->word_bits > KL_GAN_MOST_QUBITS)
        return kl_fail(err, KL_EUSAGE, "--word-bits %lld: a circuit has at most %d qubits here",
                       (long long)o->word_bits, KL_GAN_MOST_QUBITS);
    return KL_OK;
}

int kl_gan_settle(struct kl_gan_options *o, struct kl_error *err)
{
    const bool quantum = o->generator == KL_GAN_QUANTUM;
    if (!quantum && (o->repetitions || o->shots))
        return kl_fail(err, KL_EUSAGE, "--%s without --generator quantum",
                       o->shots ? "shots" : "repetitions");
    if (quantum) fill(&o->repetitions, 4);
    if (o->loss != KL_GAN_ADVERSARIAL && (o->hidden || o->steps || o->penalty != 0))
        return kl_fail(err, KL_EUSAGE, "--%s is of the discriminator, and only --loss gan has one",
                       o->hidden  ? "hidden"
                       : o->steps ? "discriminator-steps"
                                  : "gradient-penalty");
    if (o->loss != KL_GAN_ADVERSARIAL && quantum && o->decay != 0)
        return kl_fail(err, KL_EUSAGE, "--weight-decay is of networks, and here there is none");
    if (o->lr == 0) o->lr = 0.01;
    return o->reference ? settle_reference(o, err) : settle_sound(o, err);
}

#define AT(field) offsetof(struct kl_gan_settings, field)
static const struct kl_option options[] = {
    { "pairs", 'p', KL_OPT_STRING, AT(pairs), "LIST", 0, 0, true,
      "of devices by name or number: AvB,1v3; default: all", "Devices", NULL },
    KL_SYMBOL_OPTION(AT(symbol_bits), NULL),
    KL_PACKED_OPTIONS(AT(packed), AT(encoding), AT(row_bits), NULL),
    { "generator", 'g', KL_OPT_CHOICE, AT(generator), KL_GAN_GENERATORS, 0, 0, true,
      "a network, or a circuit (Born machine)", "Model", NULL },
    { "loss", 'l', KL_OPT_CHOICE, AT(loss), KL_GAN_LOSSES, 0, 0, true,
      "adversarial, exact divergence, or kernel distance", NULL, NULL },
    { "word-bits", 'm', KL_OPT_INT, AT(gan.word_bits), "M", 0, KL_GAN_MOST_BITS, true,
      "the law of M successive bits is learnt; 0: 8", NULL, NULL },
    { "repetitions", 0, KL_OPT_INT, AT(gan.repetitions), "N", 0, 100, true,
      "entangling layers of the circuit; 0: 4", NULL, NULL },
    { "hidden", 0, KL_OPT_INT, AT(gan.hidden), "N", 0, KL_GAN_HIDDEN, true,
      "neurons of the discriminator; 0: 32", NULL, NULL },
    { "epochs", 'e', KL_OPT_INT, AT(gan.epochs), "N", 0, 1e6, true,
      "at most; 0: 2000, reference 100, quantum 50", "Training", NULL },
    { "lr", 0, KL_OPT_FLOAT, AT(gan.lr), "RATE", 0, 10, true, "learning rate of both sides; 0: 0.01",
      NULL, NULL },
    { "discriminator-steps", 0, KL_OPT_INT, AT(gan.steps), "N", 0, 20, true,
      "for each of the generator; 0: 3", NULL, NULL },
    { "gradient-penalty", 0, KL_OPT_FLOAT, AT(gan.penalty), "X", 0, 1000, true,
      "of the discriminator, on the target (R1)", NULL, NULL },
    { "weight-decay", 0, KL_OPT_FLOAT, AT(gan.decay), "X", 0, 1, true,
      "decoupled, of networks; reference: 0 is 0.005", NULL, NULL },
    { "patience", 0, KL_OPT_INT, AT(gan.patience), "N", 0, 1e6, true,
      "epochs without a better validation divergence; 0: 300", NULL, NULL },
    { "shots", 0, KL_OPT_INT, AT(gan.shots), "N", 0, 1e8, true,
      "measurements of each circuit; else exact", NULL, NULL },
    { "resamples", 0, KL_OPT_INT, AT(gan.resamples), "N", 0, 1e6, true, "of the bootstrap; 0: 1000",
      NULL, NULL },
    { "reference", 0, KL_OPT_FLAG, AT(gan.reference), NULL, 0, 0, true,
      "the published study's arithmetic, beside what it comes to", "Study", NULL },
    { "all-rows", 0, KL_OPT_FLAG, AT(gan.all_rows), NULL, 0, 0, true,
      "with its rows that were lost by line numbers", NULL, NULL },
    KL_DEVICE_OPTION(AT(common.device)),
};
const struct kl_tool kl_gan_tool = {
    .name = "qgan",
    .summary = "Generators of device bits, adversarial or not, as a measure of how devices differ",
    .arguments = "BITS... -o GAN.h5",
    .example = "qgan devices.txt --pairs 1v2,1v3 -o gan.h5\n  "
               "qgan devices.txt --generator quantum --loss kl -o born.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_gan_settings),
};

void kl_gan_settings_default(void *values)
{
    struct kl_gan_settings *v = values;
    *v = (struct kl_gan_settings){ .common = { .progress = "auto", .device = "auto" },
                                   .generator = "network",
                                   .loss = "gan" };
}

int kl_gan_settings_complete(struct kl_gan_settings *v, struct kl_error *err)
{
    v->gan.generator = (enum kl_gan_generator)kl_choice(KL_GAN_GENERATORS, v->generator);
    v->gan.loss = (enum kl_gan_loss)kl_choice(KL_GAN_LOSSES, v->loss);
    v->gan.seed = v->common.seed;
    return kl_gan_settle(&v->gan, err);
}
