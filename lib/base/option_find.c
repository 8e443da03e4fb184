/* SPDX-License-Identifier: MIT
   A row of a tool's table of options, by number, name, letter, or the nearest name. */
#include <string.h>

#include "base/base_int.h"

/* Is the name among the words of tool->without? */
static bool is_without(const struct kl_tool *tool, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = tool->without; at && (at = strstr(at, name)); at += n)
        if ((at == tool->without || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

const struct kl_option *kl_option_at(const struct kl_tool *tool, size_t i)
{
    if (i < tool->n_options) return &tool->options[i];
    i -= tool->n_options;
    for (size_t k = 0; k < kl_n_common_options; k++)
        if (!is_without(tool, kl_common_options[k].name) && i-- == 0) return &kl_common_options[k];
    return NULL;
}

static bool same_name(const char *known, const char *name, size_t length)
{
    if (!known || strlen(known) != length) return false;
    for (size_t i = 0; i < length; i++) {
        char a = known[i] == '_' ? '-' : known[i], b = name[i] == '_' ? '-' : name[i];
        if (a != b) return false;
    }
    return true;
}

const struct kl_option *kl_option_find(const struct kl_tool *tool, const char *name, size_t length)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++)
        if (same_name(option->name, name, length) || same_name(option->alias, name, length))
            return option;
    return NULL;
}

const struct kl_option *kl_option_letter(const struct kl_tool *tool, char letter)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++)
        if (option->letter == letter) return option;
    return NULL;
}

/* One row at a time. */
size_t kl_word_distance(const char *a, size_t n, const char *b)
{
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1], m = strlen(b);
    if (n > LONGEST || m > LONGEST) return SIZE_MAX;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

/* The only option that begins so, if three letters at least say how. */
static const char *begins_with(const struct kl_tool *tool, const char *name, size_t length)
{
    const struct kl_option *option;
    const char *found = NULL;
    for (size_t i = 0; length >= 3 && (option = kl_option_at(tool, i)); i++) {
        if (strncmp(option->name, name, length) != 0 || !option->help) continue;
        if (found) return NULL;
        found = option->name;
    }
    return found;
}

const char *kl_option_nearest(const struct kl_tool *tool, const char *name, size_t length)
{
    const struct kl_option *option;
    const char *nearest = NULL;
    size_t least = length / 2 + 1;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++) {
        if (option->offset == offsetof(struct kl_common, emit)) continue; /* for packagers */
        size_t d = kl_word_distance(name, length, option->name);
        if (d < least) least = d, nearest = option->name;
        if (option->alias && (d = kl_word_distance(name, length, option->alias)) < least)
            least = d, nearest = option->alias;
    }
    return nearest ? nearest : begins_with(tool, name, length);
}
