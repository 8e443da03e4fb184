/* SPDX-License-Identifier: MIT
   Of few symbols each node has its children and counts side by side. Of many most would never come: one
   table with open addressing holds both, under (node, symbol) the child, under (node, symbol | 256) the
   count. */
#include <stdlib.h>
#include <string.h>

#include "qrng/nist/contexts.h"

enum { FEW = 8 /* symbols */ };

struct kl_context_next {
    uint32_t child; /* 0: none, since the root is no child */
    uint32_t count;
};

struct kl_context_slot {
    uint64_t key; /* + 1; 0: free */
    uint32_t value;
};

static uint64_t key_of(int64_t node, unsigned symbol)
{
    return ((uint64_t)node << 9 | symbol) + 1;
}

/* Its slot, or the free one where it belongs. */
static struct kl_context_slot *slot_of(const struct kl_contexts *c, uint64_t key)
{
    uint64_t hash = key * 0x9E3779B97F4A7C15u;
    for (size_t i = hash >> 32 & (c->n_slots - 1);; i = (i + 1) & (c->n_slots - 1))
        if (c->slots[i].key == key || c->slots[i].key == 0) return &c->slots[i];
}

static int grow(struct kl_contexts *c, struct kl_error *err)
{
    const struct kl_contexts old = *c;
    c->n_slots *= 2;
    c->slots = calloc(c->n_slots, sizeof *c->slots);
    if (!c->slots) {
        const size_t bytes = c->n_slots * sizeof *c->slots;
        *c = old;
        return kl_fail_memory(err, bytes);
    }
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].key) *slot_of(c, old.slots[i].key) = old.slots[i];
    free(old.slots);
    return KL_OK;
}

static int take(struct kl_context_slot **slot, struct kl_contexts *c, uint64_t key, struct kl_error *err)
{
    const int code = 2 * c->used >= c->n_slots ? grow(c, err) : KL_OK;
    if (code) return code;
    *slot = slot_of(c, key);
    c->used += (*slot)->key == 0;
    (*slot)->key = key;
    return KL_OK;
}

int kl_contexts_init(struct kl_contexts *c, int k, struct kl_error *err)
{
    enum { SLOTS = 1 << 12, NODES = 1 << 10 };
    const bool few = k <= FEW;
    *c = (struct kl_contexts){ .n_nodes = 1, .room = NODES, .n_slots = SLOTS, .k = (size_t)k };
    if (few) c->next = calloc(NODES * c->k, sizeof *c->next);
    else c->slots = calloc(SLOTS, sizeof *c->slots);
    c->nodes = calloc(NODES, sizeof *c->nodes);
    if ((c->slots || c->next) && c->nodes) return KL_OK;
    kl_contexts_free(c);
    return kl_fail_memory(err, SLOTS * sizeof *c->slots);
}

void kl_contexts_free(struct kl_contexts *c)
{
    free(c->slots);
    free(c->next);
    free(c->nodes);
    *c = (struct kl_contexts){ 0 };
}

int64_t kl_context_find(const struct kl_contexts *c, int64_t node, uint8_t symbol)
{
    if (node == KL_CONTEXT_NONE) return KL_CONTEXT_NONE;
    if (c->next) {
        const uint32_t child = c->next[(size_t)node * c->k + symbol].child;
        return child ? (int64_t)child : KL_CONTEXT_NONE;
    }
    const struct kl_context_slot *slot = slot_of(c, key_of(node, symbol));
    return slot->key ? (int64_t)slot->value : KL_CONTEXT_NONE;
}

static int more_nodes(struct kl_contexts *c, struct kl_error *err)
{
    const size_t bytes = 2 * c->room * (c->next ? c->k * sizeof *c->next : sizeof *c->nodes);
    struct kl_context *nodes = realloc(c->nodes, 2 * c->room * sizeof *nodes);
    if (!nodes) return kl_fail_memory(err, bytes);
    c->nodes = nodes;
    if (c->next) {
        struct kl_context_next *next = realloc(c->next, bytes);
        if (!next) return kl_fail_memory(err, bytes);
        memset(next + c->room * c->k, 0, bytes / 2);
        c->next = next;
    }
    c->room *= 2;
    return KL_OK;
}

int kl_context_make(int64_t *child, struct kl_contexts *c, int64_t node, uint8_t symbol,
                    struct kl_error *err)
{
    struct kl_context_slot *slot;
    int code = c->n_nodes == c->room ? more_nodes(c, err) : KL_OK;
    if (!code && !c->next) code = take(&slot, c, key_of(node, symbol), err);
    if (code) return code;
    if (c->next) c->next[(size_t)node * c->k + symbol].child = (uint32_t)c->n_nodes;
    else slot->value = (uint32_t)c->n_nodes;
    c->nodes[c->n_nodes] = (struct kl_context){ 0 };
    *child = (int64_t)c->n_nodes++;
    return KL_OK;
}

bool kl_context_told(const struct kl_contexts *c, int64_t node, uint8_t symbol)
{
    if (c->next) return c->next[(size_t)node * c->k + symbol].count != 0;
    return slot_of(c, key_of(node, symbol | 256u))->key != 0;
}

int kl_context_add(bool *first, struct kl_contexts *c, int64_t node, uint8_t symbol,
                   struct kl_error *err)
{
    struct kl_context_slot *slot;
    const int code = c->next ? KL_OK : take(&slot, c, key_of(node, symbol | 256u), err);
    if (code) return code;
    const uint32_t count = ++*(c->next ? &c->next[(size_t)node * c->k + symbol].count : &slot->value);
    *first = count == 1;
    struct kl_context *context = &c->nodes[node];
    if (count > context->count || (count == context->count && symbol > context->symbol))
        *context = (struct kl_context){ count, symbol };
    return KL_OK;
}
