/* SPDX-License-Identifier: MIT
   The only place that chooses an instruction set. */
#include "kernels/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

#ifdef __aarch64__
#define BASE "neon"
#else
#define BASE "base"
#endif
static const char *const names[KL_ISAS] = { BASE, "avx2", "avx512" };

bool kl_isa_is_here(enum kl_isa isa)
{
    const struct kl_cpu *cpu = kl_device_cpu();
    if (isa >= KL_ISAS_BUILT) return false;
    return isa == KL_ISA_AVX512 ? cpu->avx512 : isa == KL_ISA_AVX2 ? cpu->avx2 : isa == KL_ISA_BASE;
}

const char *kl_isa_name(enum kl_isa isa)
{
    return names[isa];
}

static enum kl_isa choose(void)
{
    const char *wanted = getenv("KETLINE_ISA");
    enum kl_isa best = KL_ISA_BASE;
    for (int i = 0; kl_isa_is_here(i); i++) {
        best = i;
        if (wanted && strcmp(wanted, names[i]) == 0) break;
    }
    return best;
}

/* Asked for in every product of every step: an environment of hundreds of variables is walked once. */
static atomic_int chosen = -1;

enum kl_isa kl_isa(void)
{
    int isa = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (isa < 0) kl_isa_use(isa = choose());
    return isa;
}

void kl_isa_use(enum kl_isa isa)
{
    atomic_store_explicit(&chosen, isa, memory_order_relaxed);
}
