/* SPDX-License-Identifier: MIT
   Labels of a sweep's rows: their points' names without the options that all rows share. */
#include <stdio.h>
#include <string.h>

#include "plot/head/sweep_labels.h"

/* The option that begins at or behind text, up to the next blank; NULL: there is none. */
static const char *next_option(const char *text, size_t *length)
{
    text += strspn(text, " ");
    *length = strcspn(text, " ");
    return *length ? text : NULL;
}

static bool has_option(const char *name, const char *option, size_t length)
{
    size_t own;
    for (const char *at = name; (at = next_option(at, &own)); at += own)
        if (own == length && strncmp(at, option, length) == 0) return true;
    return false;
}

static void append(char label[KL_SWEEP_LABEL], const char *option, size_t length)
{
    const size_t used = strlen(label);
    snprintf(label + used, KL_SWEEP_LABEL - used, "%s%.*s", used ? " " : "", (int)length, option);
}

void kl_plot_sweep_labels(char (*labels)[KL_SWEEP_LABEL], char shared[KL_SWEEP_LABEL],
                          const char (*names)[KL_SWEEP_LABEL], size_t n)
{
    size_t length;
    shared[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        labels[i][0] = '\0';
        for (const char *at = names[i]; (at = next_option(at, &length)); at += length) {
            size_t having = 0;
            for (size_t k = 0; k < n; k++) having += has_option(names[k], at, length);
            if (having < n || n == 1) append(labels[i], at, length);
            else if (i == 0) append(shared, at, length);
        }
    }
}

bool kl_plot_sweep_labels_collide(cairo_t *cr, double size, double room,
                                  const char (*labels)[KL_SWEEP_LABEL], size_t n)
{
    char one[KL_TEXT], other[KL_TEXT];
    for (size_t i = 0; i < n; i++) {
        kl_plot_text_cut(one, cr, size, room, labels[i]);
        for (size_t k = 0; k < i; k++) {
            kl_plot_text_cut(other, cr, size, room, labels[k]);
            if (strcmp(one, other) == 0) return true;
        }
    }
    return false;
}
