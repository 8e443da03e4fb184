/* SPDX-License-Identifier: MIT
   The reference's files of quantum control. */
#ifndef KL_TESTS_GOLDEN_CONTROL_H
#define KL_TESTS_GOLDEN_CONTROL_H

#include <unistd.h>

#include "golden.h"

/* golden.h5 or peers.h5. Where it cannot be read the test says so and is skipped; where it is no HDF5 it
   fails. */
static inline hid_t golden_control(const char *name)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/control/%s", shared ? shared : "../shared", name);
    if (access(path, R_OK) != 0) {
        printf("skipped: %s cannot be read\n", path);
        exit(77);
    }
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    return file;
}

#endif
