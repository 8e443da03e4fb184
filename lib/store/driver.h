/* SPDX-License-Identifier: MIT
   driver.c for h5.c. */
#ifndef KL_STORE_DRIVER_H
#define KL_STORE_DRIVER_H

#include <hdf5.h>

/* The "path" of an open descriptor for H5Fopen and H5Fcreate, and where errno of the first
   failed read or write goes (int *). HDF5 itself never hears of failed writes: a file whose
   closing failed makes it crash when the process ends. */
#define KL_DRIVER_NAME "/ketline/%d/%p"

/* File access list with this driver, HDF5 1.8's format and no locks; negative: HDF5 failed. */
hid_t kl_store_driver_access_list(void);

#endif
