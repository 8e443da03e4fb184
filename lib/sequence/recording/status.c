/* SPDX-License-Identifier: MIT
   Triggers of BioSemi's Status channel (www.biosemi.com/faq/trigger_signals.htm): of its 24 bits the low
   16 are the trigger input; the others say what the amplifier does. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "sequence/recording/recording_int.h"

enum { TOGETHER = 1 << 16, TRIGGER = 0xffff };

static int add(struct kl_sequence_events *e, double onset, long value, struct kl_error *err)
{
    char text[16];
    const int n = snprintf(text, sizeof text, "%ld", value);
    return kl_sequence_events_add(e, onset, 0, text, (size_t)n, err);
}

/* An event wherever the value rises, as MNE-Python's find_events has it: 0 to 3, 1 to 3, and not 3 to 1.
   What the first sample has did not begin there. */
static int read_all(struct kl_sequence_recording *r, struct kl_sequence_events *e, size_t which,
                    double zero, double *x, struct kl_error *err)
{
    const struct kl_sequence_signal *s = &r->signals[which];
    const struct kl_sequence_channel *c = r->file->of_signal[which];
    const size_t all = s->per_record * r->n_records;
    long before = -1;
    int code = KL_OK;
    for (size_t first = 0; first < all && !code; first += TOGETHER) {
        const size_t n = all - first < TOGETHER ? all - first : TOGETHER;
        code = kl_sequence_recording_read(x, r, which, first, n, err);
        for (size_t i = 0; i < n && !code; i++) {
            const long value = lround((x[i] - c->base) / c->gain) & TRIGGER;
            if (before >= 0 && value > before)
                code = add(e, zero + kl_sequence_time_of(r, s, first + i), value, err);
            before = value;
        }
    }
    return code;
}

int kl_sequence_status_read(struct kl_sequence_recording *r, struct kl_sequence_events *e, double zero,
                            struct kl_error *err)
{
    size_t i = 0;
    if (r->format != KL_SEQUENCE_BDF && r->format != KL_SEQUENCE_BDF_PLUS) return KL_OK;
    while (i < r->n_signals && strcasecmp(r->signals[i].label, "Status")) i++;
    if (i == r->n_signals || r->signals[i].fault || !r->n_records) return KL_OK;
    double *x = malloc(TOGETHER * sizeof *x);
    if (!x) return kl_fail_memory(err, TOGETHER * sizeof *x);
    const int code = read_all(r, e, i, zero, x, err);
    free(x);
    return code;
}
