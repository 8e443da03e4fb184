/* SPDX-License-Identifier: MIT
   What the rows of a table are: devices, pairs of them, or people. */
#include <stdlib.h>
#include <string.h>

#include "plot/page/page_int.h"

static int load_devices(struct kl_page_rows *r, struct kl_file *file, bool people, struct kl_error *err)
{
    static const char *const names[] = { "devices", "device_names", "class_names" };
    const struct kl_dataset *d = people ? kl_store_file_find(file, "subject_names") : NULL;
    for (int i = 0; i < 3 && !d && !people; i++) d = kl_store_file_find(file, names[i]);
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1) return KL_OK;
    r->n_devices = d->rows, r->size = d->item_size;
    return kl_store_file_load((void **)&r->devices, file, d, err);
}

/* What extract-features --reference leaves: numbers of devices beside those of pairs. */
static bool is_reference_of_devices(const char *name)
{
    return strcmp(name, "reference/rate") == 0 || strcmp(name, "reference/last_row_rate") == 0;
}

bool kl_plot_page_rows_agree(const char *one, const char *other)
{
    return is_reference_of_devices(one) == is_reference_of_devices(other);
}

int kl_plot_page_rows_load(struct kl_page_rows *r, struct kl_file *file, const char *group, size_t rows,
                           struct kl_error *err)
{
    *r = (struct kl_page_rows){ 0 };
    const bool of_bits = strcmp(kl_store_file_kind(file), "device-bits") == 0;
    const bool people = strncmp(group, "subjects/", 9) == 0;
    const bool devices = people || strncmp(group, "device_", 7) == 0 || is_reference_of_devices(group) ||
                         strcmp(kl_store_file_kind(file), "synthetic") == 0 ||
                         strcmp(kl_store_file_kind(file), "nist") == 0;
    const bool pairs =
        !devices && (strncmp(group, "pairs/", 6) == 0 || strncmp(group, "scores/", 7) == 0 ||
                     (of_bits && strncmp(group, "reference/", 10) == 0));
    const struct kl_dataset *d = kl_store_file_find(file, "pairs");
    if (!devices && !pairs) return KL_OK;
    int code = load_devices(r, file, people, err);
    if (code || !r->devices) return code;
    r->are_devices = devices && r->n_devices == rows;
    r->are_pairs =
        pairs && (d ? d->type == KL_TYPE_I32 && d->rank == 2 && d->rows == rows && d->dims[1] == 2
                    : rows == r->n_devices * (r->n_devices - 1) / 2);
    if (r->are_pairs && d) code = kl_store_file_load((void **)&r->pairs, file, d, err);
    return code;
}

/* Without a list, pairs stand as 0 1, 0 2, ..., 1 2, ... */
static void find_pair(size_t pair[2], const struct kl_page_rows *r, size_t row)
{
    if (r->pairs) {
        pair[0] = (size_t)r->pairs[2 * row], pair[1] = (size_t)r->pairs[2 * row + 1];
        return;
    }
    size_t first = 0;
    while (row >= r->n_devices - 1 - first) row -= r->n_devices - 1 - first, first++;
    pair[0] = first, pair[1] = first + 1 + row;
}

void kl_plot_page_row_write(FILE *to, const struct kl_page_rows *r, size_t row, const char *tag)
{
    char a[KL_NAME], b[KL_NAME];
    size_t pair[2] = { row, row };
    fputs(tag, to);
    if (!r->are_devices && !r->are_pairs) {
        fprintf(to, "%zu</th>", row);
        return;
    }
    if (r->are_pairs) find_pair(pair, r, row);
    kl_plot_name(a, r->devices, r->n_devices, r->size, pair[0]);
    kl_plot_name(b, r->devices, r->n_devices, r->size, pair[1]);
    kl_plot_html_text(to, a);
    if (r->are_pairs) {
        fputs(" v ", to);
        kl_plot_html_text(to, b);
    }
    fputs("</th>", to);
}

void kl_plot_page_rows_free(struct kl_page_rows *r)
{
    free(r->devices);
    free(r->pairs);
}
