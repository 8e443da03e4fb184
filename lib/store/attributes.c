/* SPDX-License-Identifier: MIT
   A table of attributes: text, number or integer, of the root or of an object. */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

static int compare(const void *x, const void *y)
{
    const struct kl_attribute *a = x, *b = y;
    int c = strcmp(a->object, b->object);
    return c ? c : strcmp(a->name, b->name);
}

void kl_store_attributes_sort(struct kl_attributes *a)
{
    if (a->n) qsort(a->items, a->n, sizeof *a->items, compare);
}

const struct kl_attribute *kl_store_attributes_find(const struct kl_attributes *a, const char *object,
                                                    const char *name)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->items[i].name, name) == 0 && strcmp(a->items[i].object, object) == 0)
            return &a->items[i];
    return NULL;
}

static void release(struct kl_attribute *a)
{
    free(a->object);
    free(a->name);
    free(a->text);
}

int kl_store_attributes_set(struct kl_attributes *a, const char *object, const char *name,
                            const struct kl_attribute *value, struct kl_error *err)
{
    struct kl_attribute made = *value;
    made.object = strdup(object);
    made.name = strdup(name);
    made.text = value->type == KL_ATTR_TEXT ? strdup(value->text) : NULL;
    if (!made.object || !made.name || (value->type == KL_ATTR_TEXT && !made.text)) goto out;
    struct kl_attribute *old = (struct kl_attribute *)kl_store_attributes_find(a, object, name);
    if (old) {
        release(old);
        *old = made;
        return 0;
    }
    if (a->n == a->room) {
        size_t room = a->room ? 2 * a->room : 16;
        struct kl_attribute *items = realloc(a->items, room * sizeof *items);
        if (!items) goto out;
        a->items = items;
        a->room = room;
    }
    a->items[a->n++] = made;
    return 0;
out:
    release(&made);
    return kl_fail_memory(err, sizeof made);
}

void kl_store_attributes_free(struct kl_attributes *a)
{
    for (size_t i = 0; i < a->n; i++) release(&a->items[i]);
    free(a->items);
    memset(a, 0, sizeof *a);
}

bool kl_store_attribute_is_standard(const struct kl_attribute *a)
{
    static const char *const names[] = { "kind", "schema", "key", "key_parts", "content", "created_by" };
    if (a->object[0]) return strncmp(a->object, "digests/", 8) == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(a->name, names[i]) == 0) return true;
    return false;
}
