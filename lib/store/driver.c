/* SPDX-License-Identifier: MIT
   HDF5's view of a file: a driver over a descriptor that is already open. So HDF5 never sees a path (the
   bytes that it parses are those whose seal was checked), works on files without a name, and takes no
   lock. */
#include <hdf5.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/driver.h"
#include "store/store_int.h"

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

hid_t kl_store_driver_access_list(void)
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
