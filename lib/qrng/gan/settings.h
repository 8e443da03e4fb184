/* SPDX-License-Identifier: MIT
   Options of `qgan`. */
#ifndef KL_QRNG_GAN_SETTINGS_H
#define KL_QRNG_GAN_SETTINGS_H

#include "qrng/gan/study.h"

struct kl_gan_settings {
    struct kl_common common;
    struct kl_gan_options gan;
    const char *pairs, *generator, *loss, *encoding;
    int64_t symbol_bits, row_bits;
    bool packed;
};
extern const struct kl_tool kl_gan_tool;
/* Before the options are read; afterwards `gan` gets what they say, and what was left open the values of
   generator and protocol. KL_EUSAGE. */
void kl_gan_settings_default(void *values);
int kl_gan_settings_complete(struct kl_gan_settings *v, struct kl_error *err);

#endif
