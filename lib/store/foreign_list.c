/* SPDX-License-Identifier: MIT
   The datasets of a foreign HDF5 file, in the process that parses it. Only plain links are followed, and
   soft ones to labels: no external or user-defined ones, which lead to other files. */
#include <stdlib.h>
#include <string.h>

#include "store/foreign_child.h"

struct list {
    struct kl_listed *items;
    size_t n, room;
};

static int kind_of(hid_t set)
{
    hid_t type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type);
    const bool u8 = class == H5T_INTEGER && H5Tget_size(type) == 1 && H5Tget_sign(type) == H5T_SGN_NONE;
    H5Tclose(type);
    if (class < 0) return KL_LISTED_BROKEN;
    if (u8) return KL_LISTED_U8;
    if (class == H5T_STRING) return KL_LISTED_TEXTS;
    return class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM ? KL_LISTED_NUMBERS
                                                                           : KL_LISTED_OTHER;
}

static void look(struct kl_listed *l, hid_t file)
{
    hsize_t dims[4] = { 0 };
    hid_t set = H5Dopen2(file, l->name, H5P_DEFAULT), space = set < 0 ? -1 : H5Dget_space(set);
    l->rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (l->rank >= 1 && l->rank <= 4) H5Sget_simple_extent_dims(space, dims, NULL);
    for (int i = 0; i < 4; i++) l->dims[i] = dims[i];
    l->kind = l->rank < 0 ? KL_LISTED_BROKEN : kind_of(set);
    l->matlab = set >= 0 && H5Aexists(set, "MATLAB_class") > 0;
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
}

static bool leads_to_dataset(hid_t file, const char *name)
{
    struct kl_answer unused = { 0 };
    char to[KL_FOREIGN_NAME];
    return kl_store_foreign_follow(to, file, name, &unused) == 0 &&
           kl_store_foreign_is_dataset(file, to);
}

static void add(struct list *list, hid_t file, const char *name, bool link)
{
    if (list->n == list->room || strlen(name) >= KL_FOREIGN_NAME) return;
    if (!(link ? leads_to_dataset(file, name) : kl_store_foreign_is_dataset(file, name))) return;
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i].name, name) == 0) return;
    struct kl_listed *l = &list->items[list->n++];
    strcpy(l->name, name);
    l->link = link;
    look(l, file);
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    struct kl_words words = { 0 };
    const bool soft = info->type == H5L_TYPE_SOFT;
    if (soft) kl_store_words_of(&words, name);
    if (!soft || words.labels) add(context, file, name, soft);
    return 0;
}

static void add_all(struct list *list, hid_t file, const char *const *names)
{
    for (; *names; names++) add(list, file, *names, false);
}

struct kl_listed *kl_store_foreign_list(size_t *n, hid_t file, const struct kl_wish *wish,
                                        struct kl_answer *a)
{
    struct list list = { .room = KL_FOREIGN_LISTED + 32 };
    if (!(list.items = calloc(list.room, sizeof *list.items))) {
        kl_store_answer_refuse(a, "", "no memory to list its datasets");
        return NULL;
    }
    if (*wish->images) add(&list, file, wish->images, false);
    if (wish->labels && *wish->labels) add(&list, file, wish->labels, false);
    add_all(&list, file, kl_usual_images);
    add_all(&list, file, kl_usual_labels);
    if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &list) < 0) {
        kl_store_answer_refuse(a, "", "HDF5 cannot list its datasets: damaged");
        free(list.items);
        return NULL;
    }
    *n = list.n;
    return list.items;
}
