/* SPDX-License-Identifier: MIT
   Calls of HDF5 that can fail: -1, and errno as its own allocation leaves it. */
#include "calls.h"

#include <errno.h>
#include <hdf5.h>

#define WRAP(type, name, parameters, arguments)                                      \
    type __real_##name parameters;                                                   \
    type __wrap_##name parameters                                                    \
    {                                                                                \
        return fault_fails(FAULT_HDF5) ? fault_no(ENOMEM) : __real_##name arguments; \
    }

WRAP(hid_t, H5FDregister, (const H5FD_class_t *a), (a))
WRAP(herr_t, H5Pset_driver, (hid_t a, hid_t b, const void *c), (a, b, c))
WRAP(herr_t, H5Pset_libver_bounds, (hid_t a, H5F_libver_t b, H5F_libver_t c), (a, b, c))
WRAP(herr_t, H5Pset_fclose_degree, (hid_t a, H5F_close_degree_t b), (a, b))
WRAP(hid_t, H5Fcreate, (const char *a, unsigned b, hid_t c, hid_t d), (a, b, c, d))
WRAP(hid_t, H5Fopen, (const char *a, unsigned b, hid_t c), (a, b, c))
WRAP(hid_t, H5Gcreate2, (hid_t a, const char *b, hid_t c, hid_t d, hid_t e), (a, b, c, d, e))
WRAP(hid_t, H5Screate, (H5S_class_t a), (a))
WRAP(hid_t, H5Screate_simple, (int a, const hsize_t *b, const hsize_t *c), (a, b, c))
WRAP(hid_t, H5Tcopy, (hid_t a), (a))
WRAP(hid_t, H5Tcreate, (H5T_class_t a, size_t b), (a, b))
WRAP(hid_t, H5Tvlen_create, (hid_t a), (a))
WRAP(herr_t, H5Tpack, (hid_t a), (a))
WRAP(herr_t, H5Rcreate, (void *a, hid_t b, const char *c, H5R_type_t d, hid_t e), (a, b, c, d, e))
WRAP(hid_t, H5Dcreate2, (hid_t a, const char *b, hid_t c, hid_t d, hid_t e, hid_t f, hid_t g),
     (a, b, c, d, e, f, g))
WRAP(hid_t, H5Dget_space, (hid_t a), (a))
WRAP(hid_t, H5Dopen2, (hid_t a, const char *b, hid_t c), (a, b, c))
WRAP(herr_t, H5Dread, (hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, void *f), (a, b, c, d, e, f))
WRAP(herr_t, H5Sselect_hyperslab,
     (hid_t a, H5S_seloper_t b, const hsize_t *c, const hsize_t *d, const hsize_t *e, const hsize_t *f),
     (a, b, c, d, e, f))
WRAP(hid_t, H5Acreate2, (hid_t a, const char *b, hid_t c, hid_t d, hid_t e, hid_t f), (a, b, c, d, e, f))
WRAP(herr_t, H5Awrite, (hid_t a, hid_t b, const void *c), (a, b, c))
WRAP(hid_t, H5Aopen, (hid_t a, const char *b, hid_t c), (a, b, c))
WRAP(hid_t, H5Aget_type, (hid_t a), (a))
WRAP(hid_t, H5Aget_space, (hid_t a), (a))
WRAP(herr_t, H5Aread, (hid_t a, hid_t b, void *c), (a, b, c))
WRAP(hid_t, H5Oopen, (hid_t a, const char *b, hid_t c), (a, b, c))
WRAP(herr_t, H5Aiterate2,
     (hid_t a, H5_index_t b, H5_iter_order_t c, hsize_t *d, H5A_operator2_t e, void *f),
     (a, b, c, d, e, f))
WRAP(herr_t, H5Ovisit2, (hid_t a, H5_index_t b, H5_iter_order_t c, H5O_iterate_t d, void *e, unsigned f),
     (a, b, c, d, e, f))

/* It is closed all the same: HDF5 would write to it at its own end, when nothing of it is there. */
herr_t __real_H5Fclose(hid_t file);
herr_t __wrap_H5Fclose(hid_t file)
{
    const herr_t status = __real_H5Fclose(file);
    return fault_fails(FAULT_HDF5) ? fault_no(ENOMEM) : status;
}
