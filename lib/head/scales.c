/* SPDX-License-Identifier: MIT
   Zero-noise extrapolation is linear in the outputs: the weights of the scales. */
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "head/mitigate.h"

/* The polynomial through all points, at 0. */
static void richardson(struct kl_mitigation *m)
{
    for (int i = 0; i < m->n_scales; i++) {
        m->weight[i] = 1;
        for (int k = 0; k < m->n_scales; k++)
            if (k != i) m->weight[i] *= (double)m->scale[k] / (double)(m->scale[k] - m->scale[i]);
    }
}

/* The line of least squares, at 0. */
static void linear(struct kl_mitigation *m)
{
    double mean = 0, squares = 0;
    for (int i = 0; i < m->n_scales; i++) mean += (double)m->scale[i] / m->n_scales;
    for (int i = 0; i < m->n_scales; i++) squares += (m->scale[i] - mean) * (m->scale[i] - mean);
    for (int i = 0; i < m->n_scales; i++)
        m->weight[i] = 1.0 / m->n_scales - mean * (m->scale[i] - mean) / squares;
}

static int read_scales(struct kl_mitigation *m, const char *scales, struct kl_error *err)
{
    const char *at = scales;
    for (int last = 0;; at++) {
        char *end = NULL;
        const long scale = *at >= '1' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (scale <= last || scale % 2 == 0 || scale > KL_MOST_FOLD || (*end && *end != ',') ||
            m->n_scales == KL_MOST_SCALES)
            break;
        m->scale[m->n_scales++] = last = (int)scale;
        at = end;
        if (!*at && m->n_scales > 1) return KL_OK;
        if (!*at) break;
    }
    return kl_fail(
        err, KL_EUSAGE,
        "--zne: found '%s', expected 2 to %d odd numbers up to %d in rising order, as in 1,3,5", scales,
        KL_MOST_SCALES, KL_MOST_FOLD);
}

int kl_head_mitigation_make(struct kl_mitigation *m, const char *scales, const char *method,
                            bool readout, struct kl_error *err)
{
    *m = (struct kl_mitigation){ .readout = readout };
    int code = scales ? read_scales(m, scales, err) : KL_OK;
    if (code) return code;
    if (m->n_scales) (strcmp(method, "linear") == 0 ? linear : richardson)(m);
    snprintf(m->label, sizeof m->label, "%s%s", readout ? "readout" : "", readout && scales ? ", " : "");
    const size_t n = strlen(m->label);
    if (scales) snprintf(m->label + n, sizeof m->label - n, "ZNE %s %s", scales, method);
    return KL_OK;
}
