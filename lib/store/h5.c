/* SPDX-License-Identifier: MIT
   The few HDF5 calls of ketline. HDF5 writes only metadata, into a sparse file in memory (the skeleton);
   data go by pwrite to the offsets that it assigned. It reads only files whose seal has been checked. */
#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/h5_int.h"
#include "store/store_int.h"

/* ---- the driver ----
   HDF5's view of a file: over a descriptor that is already open. So HDF5 never sees a path (the
   bytes that it parses are those whose seal was checked), works on files without a name, and takes no
   lock. */

/* The "path" of an open descriptor for H5Fopen and H5Fcreate, and where errno of the first
   failed read or write goes (int *). HDF5 itself never hears of failed writes: a file whose
   closing failed makes it crash when the process ends. */
#define KL_DRIVER_NAME "/ketline/%d/%p"

struct driver {
    H5FD_t head; /* first member: HDF5's own fields */
    int fd, *problem;
    haddr_t eoa;
};

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    int fd;
    void *problem;
    (void)fapl;
    (void)maxaddr;
    struct driver *d = sscanf(name, KL_DRIVER_NAME, &fd, &problem) == 2 ? calloc(1, sizeof *d) : NULL;
    if (!d) return NULL;
    d->fd = fd;
    d->problem = problem;
    if (flags & H5F_ACC_TRUNC && ftruncate(fd, 0)) {
        free(d);
        return NULL;
    }
    return &d->head;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

static int driver_cmp(const H5FD_t *a, const H5FD_t *b)
{
    int x = ((const struct driver *)a)->fd, y = ((const struct driver *)b)->fd;
    return (x > y) - (x < y);
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t eoa)
{
    (void)type;
    ((struct driver *)file)->eoa = eoa;
    return 0;
}

/* The first failure is kept. */
static void note_problem(const struct driver *d)
{
    if (!*d->problem) *d->problem = errno ? errno : EIO;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    const struct driver *d = (const struct driver *)file;
    struct stat s;
    (void)type;
    if (fstat(d->fd, &s) == 0) return (haddr_t)s.st_size;
    note_problem(d);
    return HADDR_UNDEF;
}

/* Beyond the end are zeros, as in every driver of HDF5. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t at, size_t n, void *buffer)
{
    char *to = buffer;
    (void)type;
    (void)dxpl;
    while (n) {
        ssize_t got = pread(((struct driver *)file)->fd, to, n, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            note_problem((struct driver *)file);
            return -1;
        }
        if (got == 0) {
            for (size_t i = 0; i < n; i++) to[i] = 0;
            return 0;
        }
        to += got;
        at += (haddr_t)got;
        n -= (size_t)got;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t at, size_t n,
                           const void *buffer)
{
    (void)type;
    (void)dxpl;
    const struct driver *d = (struct driver *)file;
    if (kl_store_pwrite_all(d->fd, buffer, n, at, "HDF5", NULL)) note_problem(d);
    return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t dxpl, hbool_t closing)
{
    const struct driver *d = (struct driver *)file;
    (void)dxpl;
    (void)closing;
    if (driver_get_eof(file, H5FD_MEM_DEFAULT) != d->eoa && ftruncate(d->fd, (off_t)d->eoa))
        note_problem(d);
    return 0;
}

static const H5FD_class_t driver_class = {
    .name = "ketline",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_cmp,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_SINGLE,
};

/* Registered once and until HDF5 itself ends: H5FD_close gives back the file's reference to its driver
   and then calls the driver's close, out of memory that is freed if that was the last one. */
static hid_t registered(void)
{
    static hid_t driver = H5I_INVALID_HID;
    if (driver < 0) driver = H5FDregister(&driver_class);
    return driver;
}

/* File access list with this driver, HDF5 1.8's format and no locks; negative: HDF5 failed. */
static hid_t driver_access_list(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), driver = registered();
    herr_t status = driver < 0 ? -1 : H5Pset_driver(fapl, driver, NULL);
    if (status >= 0) status = H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V18);
    if (status >= 0) status = H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG);
    if (status < 0) {
        H5Pclose(fapl);
        return -1;
    }
    errno = 0; /* what HDF5 tried in vain is no reason for what fails from here on */
    return fapl;
}

/* ---- writing ---- */
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

/* A type as it stands in the file; item_size: of KL_TYPE_STRING. */
static hid_t h5_type(enum kl_type type, size_t item_size)
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
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), fapl = driver_access_list();
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
    hid_t type = h5_type(d->type, d->item_size), dcpl = H5Pcreate(H5P_DATASET_CREATE), set = -1;
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
                     ? h5_type(KL_TYPE_STRING, n)
                     : h5_type(a->type == KL_ATTR_NUMBER ? KL_TYPE_F64 : KL_TYPE_I64, 0);
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

/* ---- what a file holds ---- */
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
        hid_t ours = h5_type((enum kl_type)t, 0);
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
    if (kl_store_h5_is_dimension(name)) return 0;
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
    hid_t fapl = driver_access_list(), file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
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
