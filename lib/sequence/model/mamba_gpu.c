/* SPDX-License-Identifier: MIT
   The circuits of Quantum Mamba's nets as a GPU has them: rotations about strings. A controlled rotation
   by an angle is one by half of it and one, with Z of the control, by less half of it; CNOT is, but for
   a phase, those about Z, X by -pi/2 and about both by pi/2. */
#include <math.h>

#include "sequence/model/mamba_int.h"

static uint32_t bit_of(int wire, int n)
{
    return 1u << (n - 1 - wire);
}

void kl_sequence_ssm_b_rotations(struct kl_cuda_rotation *to, int n, int layers)
{
    const int32_t shared = 4 * n * layers;
    for (int l = 0; l < layers; l++)
        for (int block = 0; block < 7; block++)
            for (int w = 0; w < n; w++) {
                enum { RY, XX, RY_B, RY_AGAIN, YY, RZ, RX };
                const uint32_t one = 1u << (n - 1 - w), two = one | 1u << (n - 1 - (w + 1) % n);
                const int32_t own = 4 * n * l + w;
                *to++ = block == RY         ? (struct kl_cuda_rotation){ one, one, own }
                        : block == XX       ? (struct kl_cuda_rotation){ two, 0, own + n }
                        : block == RY_B     ? (struct kl_cuda_rotation){ one, one, shared + w }
                        : block == RY_AGAIN ? (struct kl_cuda_rotation){ one, one, own + 2 * n }
                        : block == YY       ? (struct kl_cuda_rotation){ two, two, own + 3 * n }
                        : block == RZ       ? (struct kl_cuda_rotation){ 0, one, shared + n + w }
                                            : (struct kl_cuda_rotation){ one, 0, shared + 2 * n + w };
            }
}

/* ---- SSM_A and GATE_A ---- */
struct kl_sequence_ssm_angles kl_sequence_ssm_angles(int n, int layers)
{
    struct kl_sequence_ssm_angles a = { .p = 0, .less = layers * (4 * n - 1) };
    a.b = a.less + layers * (n - 1);
    a.c = a.b + n, a.gate = a.c + n, a.quarter = a.gate + n, a.end = a.quarter + 2;
    return a;
}

size_t kl_sequence_ssm_n_rotations(int n, int layers, size_t *gate)
{
    *gate = (size_t)n + 3 * (size_t)(n - 1);
    return (size_t)layers * (size_t)(5 * n + 2 * (n - 1)) + *gate;
}

void kl_sequence_ssm_rotations(struct kl_cuda_rotation *to, int n, int layers, int first)
{
    const struct kl_sequence_ssm_angles a = kl_sequence_ssm_angles(n, layers);
#define TURN(x, z, angle)             \
    *to++ = (struct kl_cuda_rotation) \
    {                                 \
        x, z, first + (angle)         \
    }
    for (int l = 0; l < layers; l++) {
        const int p = a.p + l * (4 * n - 1);
        for (int q = 0; q < n; q++) {
            TURN(bit_of(q, n), bit_of(q, n), p + 2 * q);
            TURN(0, bit_of(q, n), p + 2 * q + 1);
        }
        for (int i = 0; i + 1 < n; i++) {
            TURN(bit_of(i + 1, n), 0, p + 2 * n + i);
            TURN(bit_of(i + 1, n), bit_of(i, n), a.less + l * (n - 1) + i);
        }
        for (int q = 0; q < n; q++) TURN(bit_of(q, n), bit_of(q, n), a.b + q);
        for (int q = 0; q < n; q++) TURN(bit_of(q, n), 0, p + 3 * n - 1 + q);
        for (int q = 0; q < n; q++) TURN(0, bit_of(q, n), a.c + q);
    }
    for (int q = 0; q < n; q++) TURN(bit_of(q, n), bit_of(q, n), a.gate + q);
    for (int i = 0; i + 1 < n; i++) {
        TURN(0, bit_of(i, n), a.quarter + 1);
        TURN(bit_of(i + 1, n), 0, a.quarter + 1);
        TURN(bit_of(i + 1, n), bit_of(i, n), a.quarter);
    }
#undef TURN
}

/* Is angle i of p a control's? Of layer l, after 2 n of RY and RZ. */
static int control_of(int i, int n)
{
    const int at = i % (4 * n - 1) - 2 * n;
    return at >= 0 && at < n - 1 ? at : -1;
}

void kl_sequence_ssm_give(float *angles, int n, int layers, const float *p, const float *b,
                          const float *c, const float *gate)
{
    const struct kl_sequence_ssm_angles a = kl_sequence_ssm_angles(n, layers);
    for (int i = 0; i < a.less; i++) {
        const int control = control_of(i, n);
        angles[a.p + i] = control < 0 ? p[i] : p[i] / 2;
        if (control >= 0) angles[a.less + i / (4 * n - 1) * (n - 1) + control] = -p[i] / 2;
    }
    for (int q = 0; q < n; q++) angles[a.b + q] = b[q], angles[a.c + q] = c[q];
    for (int q = 0; q < n; q++) angles[a.gate + q] = gate[q];
    angles[a.quarter] = (float)M_PI_2, angles[a.quarter + 1] = (float)-M_PI_2;
}

void kl_sequence_ssm_given(float *dp, float *db, float *dc, float *dgate, int n, int layers,
                           const float *by_angles)
{
    const struct kl_sequence_ssm_angles a = kl_sequence_ssm_angles(n, layers);
    for (int i = 0; i < a.less; i++) {
        const int control = control_of(i, n);
        dp[i] = by_angles[a.p + i];
        if (control >= 0) dp[i] = (dp[i] - by_angles[a.less + i / (4 * n - 1) * (n - 1) + control]) / 2;
    }
    for (int q = 0; q < n; q++) db[q] = by_angles[a.b + q], dc[q] = by_angles[a.c + q];
    for (int q = 0; q < n; q++) dgate[q] = by_angles[a.gate + q];
}
