/* SPDX-License-Identifier: MIT
   checkkernels, family ssm: every instruction set and precision against circuits that are run gate by
   gate; the same bits on all sets with fused multiply-adds. --bench: 16 groups of states, 6 qubits, two
   layers. */
#include "kernels/ssm.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"
#include "slow_ssm.h"

#define REAL float
#define NAME(base) base##_f32
#define EPS 0x1p-23L
#include "ssm_check.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void bench(enum kl_isa k)
{
    struct slow_plan slow;
    const struct kl_ssm_plan_f32 plan = plan_of_f32(&slow, 6, 2);
    const struct kl_ssm_rings_f32 rings = { 6, 2, plan.turn, plan.end };
    const float *c = angle_f32[1], *s = angle_f32[2];
    double best[4] = { 1, 1, 1, 1 };
    draw_f32(v_f32, STATES * LD_f32, 0.25), draw_f32(g_f32, 7 * MOST * LD_f32, 1);
    draw_f32(angle_f32[1], 48 * LD_f32, 1), draw_f32(angle_f32[2], 48 * LD_f32, 1);
    for (int round = 0; round < 2000; round++)
        for (int part = 0; part < 4; part++) {
            const double from = now();
            if (part == 0)
                kl_isa_ssm_f32(k)->forward(m_f32, states_f32, v_f32, LD_f32, 2, &plan, scratch_f32);
            if (part == 1)
                kl_isa_ssm_f32(k)->adjoint(dv_f32, sums_f32, g_f32, m_f32, states_f32, v_f32, LD_f32, 2,
                                           &plan, scratch_f32);
            if (part == 2)
                kl_isa_ssm_f32(k)->rings_forward(m_f32, states_f32, c, s, LD_f32, 2, &rings,
                                                 scratch_f32);
            if (part == 3)
                kl_isa_ssm_f32(k)->rings_adjoint(slope_f32, sums_f32, g_f32, m_f32, states_f32, c, s,
                                                 LD_f32, 2, &rings, scratch_f32);
            best[part] = fmin(best[part], now() - from);
        }
    printf("ssm %s, ns a state: SSM_A, GATE_A %.0f forward, %.0f adjoint; SSM_B %.0f, %.0f\n",
           kl_isa_name(k), 1e9 * best[0] / LANES_f32, 1e9 * best[1] / LANES_f32,
           1e9 * best[2] / LANES_f32, 1e9 * best[3] / LANES_f32);
}
#undef REAL
#undef NAME
#undef EPS
#define REAL double
#define NAME(base) base##_f64
#define EPS 0x1p-52L
#include "ssm_check.h"

static int check(enum kl_isa k)
{
    return check_f32(k) + check_f64(k);
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
