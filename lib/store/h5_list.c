/* SPDX-License-Identifier: MIT
   What an HDF5 file holds. HDF5 reads only files whose seal has been checked. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/driver.h"
#include "store/h5_int.h"

struct listing {
    struct kl_dataset *datasets;
    size_t n, room;
    struct kl_attributes *attributes;
    const char *path, *object;
    struct kl_error *err;
    int rc;
};

static bool known_type(hid_t type, enum kl_type *found, size_t *item_size)
{
    if (H5Tget_class(type) == H5T_STRING) {
        *found = KL_TYPE_STRING;
        *item_size = H5Tget_size(type);
        return H5Tis_variable_str(type) == 0 && *item_size > 0 && *item_size <= INT_MAX; /* as "%.*s" */
    }
    for (int t = KL_TYPE_U8; t < KL_TYPE_STRING; t++) {
        hid_t ours = kl_store_h5_type((enum kl_type)t, 0);
        bool equal = H5Tequal(type, ours) > 0;
        H5Tclose(ours);
        if (equal) {
            *found = (enum kl_type)t;
            *item_size = kl_store_type_size((enum kl_type)t);
            return true;
        }
    }
    return false;
}

static herr_t one_attribute(hid_t location, const char *name, const H5A_info_t *info, void *context)
{
    struct listing *l = context;
    struct kl_attribute a = { .type = KL_ATTR_TEXT };
    enum kl_type found = KL_TYPE_U8;
    size_t size = 0;
    (void)info;
    if (kl_store_h5_is_scale_attribute(name)) return 0;
    hid_t attribute = H5Aopen(location, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);
    bool fine = type >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                known_type(type, &found, &size) &&
                (found == KL_TYPE_STRING || found == KL_TYPE_F64 || found == KL_TYPE_I64) &&
                size <= KL_TEXT_BYTES;
    char *text = calloc(1, size + 1);
    if (fine && text) {
        void *to = found == KL_TYPE_STRING ? (void *)text
                   : found == KL_TYPE_F64  ? (void *)&a.number
                                           : (void *)&a.integer;
        a.type = found == KL_TYPE_STRING ? KL_ATTR_TEXT
                 : found == KL_TYPE_F64  ? KL_ATTR_NUMBER
                                         : KL_ATTR_INTEGER;
        a.text = text;
        fine = H5Aread(attribute, type, to) >= 0;
        if (fine) l->rc = kl_store_attributes_set(l->attributes, l->object, name, &a, l->err);
    }
    if (!text) l->rc = kl_fail_memory(l->err, size + 1);
    else if (!fine)
        l->rc = kl_store_h5_failed(l->err, KL_EDATA,
                                   "%s: attribute %s of %s: not of a form that ketline writes", l->path,
                                   name, kl_store_object_name(l->object));
    free(text);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return l->rc ? -1 : 0;
}

static int describe(struct kl_dataset *d, hid_t set, const char *name)
{
    hsize_t dims[32];
    hid_t space = H5Dget_space(set), type = H5Dget_type(set), dcpl = H5Dget_create_plist(set);
    int rank = H5Sget_simple_extent_ndims(space);
    bool fine = rank >= 0 && rank <= KL_MAX_RANK && strlen(name) < sizeof d->name &&
                H5Sget_simple_extent_type(space) != H5S_NULL && H5Pget_layout(dcpl) == H5D_CONTIGUOUS &&
                H5Pget_external_count(dcpl) == 0 && known_type(type, &d->type, &d->item_size);
    if (fine) {
        H5Sget_simple_extent_dims(space, dims, NULL);
        strcpy(d->name, name);
        d->rank = rank;
        for (int i = 0; i < rank; i++) d->dims[i] = dims[i];
        haddr_t at = H5Dget_offset(set);
        d->offset = at == HADDR_UNDEF ? 0 : at;
        fine = kl_store_dataset_measure(d) && (at != HADDR_UNDEF || d->rows * d->row_size == 0);
    }
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
    return fine ? 0 : -1;
}

static int one_dataset(struct listing *l, hid_t set, const char *name)
{
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 16;
        struct kl_dataset *datasets = realloc(l->datasets, room * sizeof *datasets);
        if (!datasets) return kl_fail_memory(l->err, room * sizeof *datasets);
        l->datasets = datasets;
        l->room = room;
    }
    struct kl_dataset *d = &l->datasets[l->n];
    memset(d, 0, sizeof *d);
    if (describe(d, set, name))
        return kl_store_h5_failed(l->err, KL_EDATA, "%s: dataset %s: not of a form that ketline writes",
                                  l->path, name);
    l->n++;
    return 0;
}

static herr_t one_object(hid_t root, const char *name, const H5O_info_t *info, void *context)
{
    struct listing *l = context;
    hsize_t at = 0;
    l->object = strcmp(name, ".") ? name : "";
    hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    if (object < 0) return -1;
    if (info->type == H5O_TYPE_DATASET) l->rc = one_dataset(l, object, name);
    if (!l->rc && H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, one_attribute, l) < 0 &&
        !l->rc)
        l->rc = kl_store_h5_failed(l->err, KL_EDATA, "%s: attributes of %s: HDF5 cannot read them",
                                   l->path, kl_store_object_name(l->object));
    H5Oclose(object);
    return l->rc ? -1 : 0;
}

/* A disk that fails is no damaged file. */
static int unreadable(struct kl_error *err, const char *path, int problem)
{
    errno = problem;
    return kl_fail_errno(err, KL_EIO, "%s: reading failed", path);
}

int kl_store_h5_list(int fd, const char *path, struct kl_dataset **datasets, size_t *n,
                     struct kl_attributes *attributes, struct kl_error *err)
{
    char name[64];
    int problem = 0;
    struct listing l = { .attributes = attributes, .path = path, .err = err };
    kl_store_h5_hush();
    H5PLset_loading_state(0);
    snprintf(name, sizeof name, KL_DRIVER_NAME, fd, (void *)&problem);
    hid_t fapl = kl_store_driver_access_list(), file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    if (file < 0)
        return problem ? unreadable(err, path, problem)
                       : kl_store_h5_failed(err, KL_EDATA, "%s: HDF5 cannot open it", path);
    if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, one_object, &l, H5O_INFO_BASIC) < 0 && !l.rc)
        l.rc = kl_store_h5_failed(err, KL_EDATA, "%s: HDF5 cannot list its datasets", path);
    H5Fclose(file);
    if (problem) l.rc = unreadable(err, path, problem);
    if (l.rc) {
        free(l.datasets);
        return l.rc;
    }
    *datasets = l.datasets;
    *n = l.n;
    return 0;
}
