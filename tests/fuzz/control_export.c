/* SPDX-License-Identifier: MIT
   Any bytes as samples of one qubit's pulse. What is read can be written and read again, and then is the
   same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/export.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 60;

static void need_same(const struct kl_control_samples *a, const struct kl_control_samples *b)
{
    need(a->format == b->format && a->n == b->n && a->bits == b->bits && a->sign == b->sign &&
             a->mixed == b->mixed && a->rate == b->rate && a->unit == b->unit &&
             strcmp(a->gate, b->gate) == 0 && strcmp(a->pulse, b->pulse) == 0,
         "other conventions when read again", "");
    for (int j = 0; j < a->n_outputs; j++) {
        const struct kl_control_output *x = &a->outputs[j], *y = &b->outputs[j];
        need(x->control == y->control && x->q == y->q && x->is_q == y->is_q &&
                 x->frequency == y->frequency && x->scale == y->scale && x->full_scale == y->full_scale,
             "another output when read again", "");
    }
    for (int i = 0; i < a->n * a->n_outputs; i++)
        need(fabs(a->values[i] - b->values[i]) <= 1e-12 * fmax(fabs(a->values[i]), 1e-12),
             "another sample when read again", "");
}

bool fuzz(const unsigned char *data, size_t n)
{
    static struct kl_control_system system;
    struct kl_control_samples samples, again;
    struct kl_error err = { 0 };
    char *text = fuzz_text(data, n);
    if (!system.d)
        need(kl_control_system_make(&system, "qubit", NULL, &err) == 0, "no system", err.text);
    int code = kl_control_samples_read(&samples, &system, (unsigned char *)text, n, "x", &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    else {
        unsigned char *bytes;
        size_t size;
        need(kl_control_samples_write(&bytes, &size, &samples, &err) == 0, "cannot be written",
             err.text);
        need(kl_control_samples_read(&again, &system, bytes, size, "again", &err) == 0,
             "cannot be read again", err.text);
        need_same(&samples, &again);
        kl_control_samples_free(&again);
        free(bytes);
    }
    kl_control_samples_free(&samples);
    free(text);
    return code == 0;
}
