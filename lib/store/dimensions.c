/* SPDX-License-Identifier: MIT
   Names of a dataset's dimensions, a text attribute, and the dimension scales that are made of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/h5_int.h"
#include "store/store_int.h"

/* ---- names ---- */
static const struct kl_dataset *find(const struct kl_writer *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->entries[i]->stored.dataset.name, name) == 0) return &w->entries[i]->stored.dataset;
    return NULL;
}

/* Length of "GROUP/", 0 in the root. */
static size_t group_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash + 1 - name) : 0;
}

static int check(const struct kl_writer *w, const struct kl_dataset *d, int i, const char *scale,
                 struct kl_error *err)
{
    const struct kl_dataset *s = find(w, scale);
    const size_t group = group_length(d->name);
    char bare[40];
    snprintf(bare, sizeof bare, "dimension_%zu", d->dims[i]);
    if (strcmp(scale + group_length(scale), bare) == 0) return 0;
    if (!s || s->rank != 1 || s->dims[0] != d->dims[i] || group_length(scale) != group ||
        strncmp(scale, d->name, group) || strcmp(scale, d->name) == 0)
        return kl_fail(
            err, KL_EINTERNAL,
            "dataset %s: dimension %d of %zu: %s is not a scale of it: one dimension, as long, of the "
            "same group",
            d->name, i, d->dims[i], scale);
    return 0;
}

int kl_store_writer_dimensions(struct kl_writer *w, const char *dataset, const char *const *scales,
                               struct kl_error *err)
{
    char words[KL_MAX_RANK * sizeof((struct kl_dataset *)0)->name];
    size_t n = 0;
    int rc = 0;
    pthread_mutex_lock(&w->mutex);
    const struct kl_dataset *d = find(w, dataset);
    if (!d || d->rank == 0)
        rc = kl_fail(err, KL_EINTERNAL, "dataset %s: is not declared, or has no dimensions", dataset);
    for (int i = 0; !rc && i < d->rank; i++) {
        rc = check(w, d, i, scales[i], err);
        if (!rc)
            n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", i ? " " : "",
                                  scales[i] + group_length(scales[i]));
    }
    pthread_mutex_unlock(&w->mutex);
    return rc ? rc : kl_store_writer_text(w, dataset, "dimensions", words, err);
}

/* ---- scales ----
   Dimension scales, by which netCDF-4 readers (xarray, ArviZ) know a dataset's dimensions: HDF5's
   attributes CLASS, NAME, DIMENSION_LIST and REFERENCE_LIST, made of the text attributes `dimensions`.
   As in "HDF5 Dimension Scale Specification" (The HDF Group, 2005), written without its high-level
   library. Where some dataset has `dimensions`, the others get scales without values in the root, one
   for each size, since such a reader warns of each group in which a dimension has none. */

bool kl_store_h5_is_dimension(const char *name)
{
    return strncmp(name, "dimension_", 10) == 0 && !strchr(name, '/');
}

/* Dimension `index` of a dataset is told by a scale. As HDF5 keeps it in REFERENCE_LIST: dataset and
 * index. */
struct reference {
    hobj_ref_t dataset;
    int index;
    hobj_ref_t scale;
    bool no_values; /* the scale is one without values, of so many: */
    size_t size;
    char name[128]; /* the scale's */
};
struct references {
    struct reference *items;
    size_t n;
};

bool kl_store_h5_is_scale_attribute(const char *name)
{
    static const char *const names[] = { "CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static bool attribute_is_dimensions(const struct kl_attribute *a)
{
    return a->type == KL_ATTR_TEXT && a->object[0] && strcmp(a->name, "dimensions") == 0;
}

static herr_t write_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *data)
{
    herr_t status = -1;
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        status = H5Awrite(attribute, type, data);
        H5Aclose(attribute);
    }
    return status;
}

/* HDF5 takes a dataset for a scale only if this text ends in NUL. */
static herr_t write_word(hid_t object, const char *name, const char *word)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(word) + 1);
    herr_t status = write_attribute(object, name, type, space, word);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

/* DIMENSION_LIST: a list of one reference for each dimension. */
static herr_t write_list(hid_t dataset, struct reference *reference, int rank)
{
    hvl_t lists[KL_MAX_RANK];
    hsize_t n = (hsize_t)rank;
    for (int i = 0; i < rank; i++) lists[i] = (hvl_t){ 1, &reference[i].scale };
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ), space = H5Screate_simple(1, &n, NULL);
    herr_t status = write_attribute(dataset, "DIMENSION_LIST", type, space, lists);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

static herr_t add_reference(struct references *all, hid_t file, const char *object, int index)
{
    struct reference *t = &all->items[all->n++];
    t->index = index;
    return H5Rcreate(&t->scale, file, t->name, H5R_OBJECT, -1) < 0 ||
                   H5Rcreate(&t->dataset, file, object, H5R_OBJECT, -1) < 0
               ? -1
               : 0;
}

/* The dataset's own list: of the last `rank` items. */
static herr_t end_list(struct references *all, hid_t file, const char *object, int rank)
{
    hid_t dataset = H5Dopen2(file, object, H5P_DEFAULT);
    herr_t status = dataset < 0 ? -1 : write_list(dataset, all->items + all->n - rank, rank);
    if (dataset >= 0) H5Dclose(dataset);
    return status;
}

/* "dimension_4", or, the second time in a dataset, "dimension_4_2". No storage belongs to it. */
static herr_t make_size(struct reference *t, hid_t file, const size_t *dims, int index)
{
    const hsize_t n = t->size = dims[index];
    t->no_values = true;
    int time = 1;
    for (int i = 0; i < index; i++) time += dims[i] == n;
    const int end = snprintf(t->name, sizeof t->name, "dimension_%zu", t->size);
    if (time > 1) snprintf(t->name + end, sizeof t->name - (size_t)end, "_%d", time);
    if (H5Lexists(file, t->name, H5P_DEFAULT) > 0) return 0;
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(dcpl, 0);
    hid_t set = H5Dcreate2(file, t->name, H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    return set < 0 ? -1 : H5Dclose(set);
}

/* The words of one dataset's `dimensions` to scales. */
static herr_t take_dataset(struct references *all, hid_t file, const struct kl_attribute *a)
{
    const char *slash = strrchr(a->object, '/');
    int rank = 0;
    for (const char *word = a->text; *word; word += strspn(word, " ")) {
        struct reference *t = &all->items[all->n];
        const int n = (int)strcspn(word, " ");
        size_t size;
        herr_t status = 0;
        if (rank == KL_MAX_RANK) return -1;
        if (sscanf(word, "dimension_%zu", &size) == 1) status = make_size(t, file, &size, 0);
        else
            snprintf(t->name, sizeof t->name, "%.*s%.*s", slash ? (int)(slash + 1 - a->object) : 0,
                     a->object, n, word);
        if (status < 0 || add_reference(all, file, a->object, rank++) < 0) return -1;
        word += n;
    }
    return end_list(all, file, a->object, rank);
}

static herr_t take_sizes(struct references *all, hid_t file, const char *name, int rank,
                         const size_t *dims)
{
    for (int i = 0; i < rank; i++)
        if (make_size(&all->items[all->n], file, dims, i) < 0 || add_reference(all, file, name, i) < 0)
            return -1;
    return rank ? end_list(all, file, name, rank) : 0;
}

/* A dataset that nothing else tells of, and its digests. A scale may have no list of its own. */
static herr_t refer_to_sizes(struct references *all, hid_t file, const struct kl_stored *s,
                             const struct kl_attributes *attributes, size_t n_named)
{
    char digests[sizeof s->dataset.name + 8];
    const size_t blocks[2] = { s->n_blocks, 16 };
    bool named = kl_store_attributes_find(attributes, s->dataset.name, "dimensions");
    for (size_t i = 0; i < n_named && !named; i++)
        named = strcmp(all->items[i].name, s->dataset.name) == 0;
    snprintf(digests, sizeof digests, "digests/%.119s", s->dataset.name);
    const herr_t status =
        named ? 0 : take_sizes(all, file, s->dataset.name, s->dataset.rank, s->dataset.dims);
    return status < 0 ? status : take_sizes(all, file, digests, 2, blocks);
}

static hid_t reference_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct reference));
    H5Tinsert(type, "dataset", offsetof(struct reference, dataset), H5T_STD_REF_OBJ);
    H5Tinsert(type, "dimension", offsetof(struct reference, index), H5T_NATIVE_INT);
    return type;
}

/* n dimensions tell of one scale. In the file the pairs stand close: HDF5 would keep the gaps of memory.
 */
static herr_t write_scale(hid_t file, const struct reference *reference, size_t n)
{
    const char *slash = strrchr(reference->name, '/');
    char bare[96]; /* as netCDF-4 calls it */
    snprintf(bare, sizeof bare, "This is a netCDF dimension but not a netCDF variable. %10zu",
             reference->size);
    hsize_t count = n;
    hid_t scale = H5Dopen2(file, reference->name, H5P_DEFAULT);
    if (scale < 0) return -1;
    hid_t memory = reference_type(), type = H5Tcopy(memory), space = H5Screate_simple(1, &count, NULL);
    hid_t attribute = H5Tpack(type) < 0
                          ? -1
                          : H5Acreate2(scale, "REFERENCE_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t status = attribute < 0 ? -1 : H5Awrite(attribute, memory, reference);
    if (attribute >= 0) H5Aclose(attribute);
    if (status >= 0) status = write_word(scale, "CLASS", "DIMENSION_SCALE");
    if (status >= 0)
        status = write_word(scale, "NAME",
                            reference->no_values ? bare
                            : slash              ? slash + 1
                                                 : reference->name);
    H5Sclose(space);
    H5Tclose(type);
    H5Tclose(memory);
    H5Dclose(scale);
    return status;
}

static int by_scale(const void *x, const void *y)
{
    const struct reference *a = x, *b = y;
    const int c = strcmp(a->name, b->name);
    if (c) return c;
    if (a->dataset != b->dataset) return a->dataset < b->dataset ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

int kl_store_h5_scales(long long file, struct kl_stored *const *stored, size_t n_stored,
                       const struct kl_attributes *attributes, struct kl_error *err)
{
    struct references all = { 0 };
    herr_t status = 0;
    size_t n = 0;
    for (size_t i = 0; i < attributes->n; i++) n += attribute_is_dimensions(&attributes->items[i]);
    if (n == 0) return 0;
    const size_t room = (n + 2 * n_stored) * KL_MAX_RANK;
    kl_store_h5_hush();
    all.items = calloc(room, sizeof *all.items);
    if (!all.items) return kl_fail_memory(err, room * sizeof *all.items);
    for (size_t i = 0; i < attributes->n && status >= 0; i++)
        if (attribute_is_dimensions(&attributes->items[i]))
            status = take_dataset(&all, file, &attributes->items[i]);
    for (size_t i = 0, named = all.n; i < n_stored && status >= 0; i++)
        status = refer_to_sizes(&all, file, stored[i], attributes, named);
    if (status >= 0) qsort(all.items, all.n, sizeof *all.items, by_scale);
    for (size_t i = 0, end; i < all.n && status >= 0; i = end) {
        for (end = i + 1; end < all.n && strcmp(all.items[end].name, all.items[i].name) == 0;) end++;
        status = write_scale(file, all.items + i, end - i);
    }
    free(all.items);
    return status < 0 ? kl_store_h5_failed(err, KL_EINTERNAL, "HDF5 cannot write dimension scales") : 0;
}
