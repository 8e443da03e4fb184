/* SPDX-License-Identifier: MIT
   The study's generator: one latent vector an epoch through three layers to a softmax over the cells.
   All of its time goes into reading and writing 1.6 million weights and their moments: each is touched
   once an epoch in the update, which on the way takes the derivatives further back (of the weights as
   they were) and the first layer's next forward (of the weights as they are then), and once more in the
   last layer's forward. Compiled in both precisions. */
#include "qrng/gan.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/inline/real.h"
#include "kernels/select.h"

#if KL_F64
#define EXP exp
#else
#define EXP expf
#endif

enum { CHUNKS = 16 }; /* of a layer's rows, whatever the threads */

/* Asks for large pages, of which the sweeps over all weights cross fewer; without them all is as it is.
 */
static void prefer_large_pages(void *memory, size_t bytes)
{
    enum { LARGE = 1 << 21 };
    const uintptr_t from = ((uintptr_t)memory + LARGE - 1) / LARGE * LARGE,
                    to = ((uintptr_t)memory + bytes) / LARGE * LARGE;
    if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
}

static int make_layer(struct KL_NAME(kl_gan_layer) * l, size_t rows, size_t columns,
                      struct kl_arena *memory, struct kl_error *err)
{
    const size_t size = rows * columns + rows, all = 3 * size + 3 * rows;
    kl_real *at = kl_arena_take(memory, all, sizeof *at);
    if (!at) return kl_fail_memory(err, all * sizeof *at);
    prefer_large_pages(at, all * sizeof *at);
    memset(at, 0, all * sizeof *at);
    *l = (struct KL_NAME(kl_gan_layer)){ rows,
                                         columns,
                                         at,
                                         at + size,
                                         at + 2 * size,
                                         at + 3 * size,
                                         at + 3 * size + rows,
                                         at + 3 * size + 2 * rows };
    return KL_OK;
}

int KL_NAME(kl_gan_network_make)(struct KL_NAME(kl_gan_network) * g, const struct kl_gan_sizes *size,
                                 struct kl_arena *memory, struct kl_error *err)
{
    int code = make_layer(&g->layer[0], size->hidden1, size->latent, memory, err);
    if (!code) code = make_layer(&g->layer[1], size->hidden2, size->hidden1, memory, err);
    if (!code) code = make_layer(&g->layer[2], size->cells, size->hidden2, memory, err);
    const size_t most = size->hidden1 > size->hidden2 ? size->hidden1 : size->hidden2;
    if (code) return code;
    g->back = kl_arena_take(memory, CHUNKS * most, sizeof *g->back);
    return g->back ? KL_OK : kl_fail_memory(err, CHUNKS * most * sizeof *g->back);
}

/* A layer's rows in chunks: forward (z), or a step. */
struct pass {
    const struct KL_NAME(kl_gan_layer) * l;
    const kl_real *x, *next;
    kl_real *back;
    const struct kl_adam_factors *adam; /* NULL: forward */
};

static void pass_chunk(void *context, size_t c, int thread)
{
    const struct pass *p = context;
    const struct KL_NAME(kl_gan_layer) *l = p->l;
    const struct kl_kernels *kernels = kl_kernels();
    const size_t from = l->rows * c / CHUNKS, rows = l->rows * (c + 1) / CHUNKS - from,
                 at = from * l->columns;
    (void)thread;
    if (!p->adam) {
        kernels->KL_NAME(gan_forward)(l->a + from, l->w + at, p->x, rows, l->columns);
        return;
    }
    const struct KL_NAME(kl_gan_rows) step = { .w = l->w + at,
                                               .m = l->m + at,
                                               .v = l->v + at,
                                               .d = l->d + from,
                                               .x = p->x,
                                               .next = p->next,
                                               .back = p->back ? p->back + c * l->columns : NULL,
                                               .next_out = l->a + from,
                                               .rows = rows,
                                               .columns = l->columns };
    kernels->KL_NAME(gan_step)(&step, p->adam);
}

static void add_biases(const struct KL_NAME(kl_gan_layer) * l)
{
    for (size_t i = 0; i < l->rows; i++) l->a[i] += l->w[l->rows * l->columns + i];
}

/* l->a = w x + b, and l->h behind ReLU. */
static void forward(const struct KL_NAME(kl_gan_layer) * l, const kl_real *x, struct kl_pool *pool)
{
    struct pass p = { l, x, NULL, NULL, NULL };
    kl_pool_for(pool, CHUNKS, pass_chunk, &p);
    add_biases(l);
}

static void rectify(const struct KL_NAME(kl_gan_layer) * l)
{
    for (size_t i = 0; i < l->rows; i++) l->h[i] = l->a[i] > 0 ? l->a[i] : 0;
}

void KL_NAME(kl_gan_network_begin)(struct KL_NAME(kl_gan_network) * g, const kl_real *z)
{
    forward(&g->layer[0], z, NULL);
}

void KL_NAME(kl_gan_network_law)(kl_real *law, struct KL_NAME(kl_gan_network) * g, struct kl_pool *pool)
{
    const struct KL_NAME(kl_gan_layer) *last = &g->layer[2];
    kl_real most;
    double sum = 0;
    rectify(&g->layer[0]);
    forward(&g->layer[1], g->layer[0].h, NULL);
    rectify(&g->layer[1]);
    forward(last, g->layer[1].h, pool);
    most = last->a[0];
    for (size_t k = 1; k < last->rows; k++) most = last->a[k] > most ? last->a[k] : most;
    for (size_t k = 0; k < last->rows; k++) sum += (double)(law[k] = EXP(last->a[k] - most));
    for (size_t k = 0; k < last->rows; k++) law[k] = (kl_real)((double)law[k] / sum);
}

/* Adam on a layer. before: the layer whose derivatives are wanted next, or NULL. */
static void step_layer(struct KL_NAME(kl_gan_network) * g, const struct KL_NAME(kl_gan_layer) * l,
                       const struct KL_NAME(kl_gan_layer) * before, const kl_real *x,
                       const kl_real *next, const struct kl_update *update, struct kl_pool *pool)
{
    struct pass p = { l, x, next, before ? g->back : NULL, &update->adam };
    const size_t biases = l->rows * l->columns;
    kl_pool_for(pool, CHUNKS, pass_chunk, &p);
    KL_NAME(kl_update_apply)(l->w + biases, l->m + biases, l->v + biases, l->d, l->rows, update);
    for (size_t i = 0; before && i < before->rows; i++) {
        kl_real sum = 0;
        for (size_t c = 0; c < CHUNKS; c++) sum += g->back[c * l->columns + i];
        before->d[i] = before->a[i] > 0 ? sum : 0;
    }
}

void KL_NAME(kl_gan_network_step)(struct KL_NAME(kl_gan_network) * g, const kl_real *law,
                                  const kl_real *dp, const kl_real *z, const kl_real *next,
                                  const struct kl_update *update, struct kl_pool *pool)
{
    struct KL_NAME(kl_gan_layer) *l = g->layer;
    double mean = 0, all = 0;
    for (size_t k = 0; k < l[2].rows; k++) mean += (double)law[k] * (double)dp[k], all += (double)law[k];
    mean /= all; /* so that the derivatives add up to 0, as they would without rounding */
    for (size_t k = 0; k < l[2].rows; k++) l[2].d[k] = (kl_real)(law[k] * ((double)dp[k] - mean));
    step_layer(g, &l[2], &l[1], l[1].h, NULL, update, pool);
    step_layer(g, &l[1], &l[0], l[0].h, NULL, update, NULL);
    step_layer(g, &l[0], NULL, z, next, update, pool);
    if (next) add_biases(&l[0]);
}
