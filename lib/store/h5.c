/* SPDX-License-Identifier: MIT
   The few HDF5 calls of ketline that write. HDF5 writes only metadata, into a sparse file in memory (the
   skeleton); data go by pwrite to the offsets that it assigned. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/driver.h"
#include "store/h5_int.h"

int kl_store_h5_failed(struct kl_error *err, int code, const char *format, ...)
{
    char text[512];
    if (errno == ENOMEM) return kl_fail_memory(err, 4096);
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return kl_fail(err, code, "%s", text);
}

_Static_assert(sizeof(hid_t) == sizeof(long long), "handles of files are passed as long long");

void kl_store_h5_hush(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
}

hid_t kl_store_h5_type(enum kl_type type, size_t item_size)
{
    hid_t t = -1;
    switch (type) {
    case KL_TYPE_U8: return H5Tcopy(H5T_STD_U8LE);
    case KL_TYPE_I32: return H5Tcopy(H5T_STD_I32LE);
    case KL_TYPE_I64: return H5Tcopy(H5T_STD_I64LE);
    case KL_TYPE_F32: return H5Tcopy(H5T_IEEE_F32LE);
    case KL_TYPE_F64: return H5Tcopy(H5T_IEEE_F64LE);
    case KL_TYPE_F16: /* IEEE 754 binary16, as h5py makes it */
        t = H5Tcopy(H5T_IEEE_F32LE);
        H5Tset_fields(t, 15, 10, 5, 0, 10);
        H5Tset_size(t, 2);
        H5Tset_ebias(t, 15);
        return t;
    case KL_TYPE_STRING:
        t = H5Tcopy(H5T_C_S1);
        H5Tset_size(t, item_size);
        H5Tset_strpad(t, H5T_STR_NULLPAD);
        H5Tset_cset(t, H5T_CSET_UTF8);
        return t;
    }
    return t;
}

void kl_store_hdf5_versions(char built[32], char found[32])
{
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(built, 32, "%d.%d.%d", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
    snprintf(found, 32, "%u.%u.%u", major, minor, release);
}

int kl_store_h5_create(int *memory_fd, long long *file, int *problem, struct kl_error *err)
{
    char name[64];
    kl_store_h5_hush();
    *file = -1;
    *memory_fd = memfd_create("ketline-skeleton", MFD_CLOEXEC);
    if (*memory_fd < 0)
        return kl_fail_errno(err, KL_EIO, "memory for a file's metadata: memfd_create failed");
    snprintf(name, sizeof name, KL_DRIVER_NAME, *memory_fd, (void *)problem);
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), fapl = kl_store_driver_access_list();
    H5Pset_obj_track_times(fcpl, 0);
    *file = H5Fcreate(name, H5F_ACC_TRUNC, fcpl, fapl);
    H5Pclose(fcpl);
    H5Pclose(fapl);
    return *file < 0
               ? kl_store_h5_failed(err, KL_EIO, "HDF5: creating a file's metadata in memory failed")
               : 0;
}

int kl_store_h5_close(long long *file, const int *problem, struct kl_error *err)
{
    hid_t f = *file;
    *file = -1;
    if (H5Fclose(f) < 0)
        return kl_store_h5_failed(err, KL_EIO, "HDF5: writing a file's metadata failed");
    errno = *problem;
    return *problem ? kl_fail_errno(err, KL_EIO, "writing a file's metadata to memory failed") : 0;
}

/* Groups on the way to `name`, without times (HDF5's own automatic groups have them). */
static int make_groups(hid_t file, const char *name)
{
    char part[128];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t n = (size_t)(slash - name);
        memcpy(part, name, n);
        part[n] = 0;
        if (H5Lexists(file, part, H5P_DEFAULT) > 0) continue;
        hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
        H5Pset_obj_track_times(gcpl, 0);
        hid_t group = H5Gcreate2(file, part, H5P_DEFAULT, gcpl, H5P_DEFAULT);
        H5Pclose(gcpl);
        if (group < 0) return -1;
        H5Gclose(group);
    }
    return 0;
}

int kl_store_h5_dataset(long long file, struct kl_dataset *d, struct kl_error *err)
{
    hsize_t dims[KL_MAX_RANK];
    int rc = 0;
    kl_store_h5_hush();
    for (int i = 0; i < d->rank; i++) dims[i] = d->dims[i];
    hid_t type = kl_store_h5_type(d->type, d->item_size), dcpl = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    hid_t space = d->rank ? H5Screate_simple(d->rank, dims, NULL) : H5Screate(H5S_SCALAR);
    H5Pset_obj_track_times(dcpl, 0);
    H5Pset_layout(dcpl, H5D_CONTIGUOUS);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
    if (type >= 0 && space >= 0 && make_groups(file, d->name) == 0)
        set = H5Dcreate2(file, d->name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (set < 0)
        rc = kl_store_h5_failed(err, KL_EINTERNAL,
                                "HDF5: dataset %s: cannot be created (does a group of this name exist?)",
                                d->name);
    else {
        haddr_t at = H5Dget_offset(set);
        d->offset = at == HADDR_UNDEF ? 0 : at;
        if (at == HADDR_UNDEF && d->rows && d->row_size)
            rc = kl_fail(err, KL_EINTERNAL, "HDF5: dataset %s: no place was assigned", d->name);
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Tclose(type);
    return rc;
}

static herr_t put_attribute(hid_t object, const struct kl_attribute *a)
{
    size_t n = a->type == KL_ATTR_TEXT && *a->text ? strlen(a->text) : 1;
    hid_t type = a->type == KL_ATTR_TEXT
                     ? kl_store_h5_type(KL_TYPE_STRING, n)
                     : kl_store_h5_type(a->type == KL_ATTR_NUMBER ? KL_TYPE_F64 : KL_TYPE_I64, 0);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, a->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t status = -1;
    if (attribute >= 0) {
        status = H5Awrite(attribute, type,
                          a->type == KL_ATTR_TEXT     ? (const void *)a->text
                          : a->type == KL_ATTR_NUMBER ? (const void *)&a->number
                                                      : (const void *)&a->integer);
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

int kl_store_h5_attributes(long long file, const struct kl_attributes *attributes, struct kl_error *err)
{
    kl_store_h5_hush();
    for (size_t i = 0; i < attributes->n; i++) {
        const struct kl_attribute *a = &attributes->items[i];
        hid_t object = H5Oopen(file, *a->object ? a->object : "/", H5P_DEFAULT);
        if (object < 0)
            return kl_store_h5_failed(err, KL_EINTERNAL,
                                      "attribute %s of %s: there is no such dataset or group", a->name,
                                      a->object);
        herr_t status = put_attribute(object, a);
        H5Oclose(object);
        if (status < 0)
            return kl_store_h5_failed(err, KL_EINTERNAL, "attribute %s of %s: HDF5 cannot write it",
                                      a->name, kl_store_object_name(a->object));
    }
    return 0;
}
