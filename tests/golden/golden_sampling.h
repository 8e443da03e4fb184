/* SPDX-License-Identifier: MIT
   Golden values of sampling: sgld/golden.h5 and sampling/golden_peers.h5. */
#ifndef KL_TESTS_GOLDEN_SAMPLING_H
#define KL_TESTS_GOLDEN_SAMPLING_H

#include <math.h>

#include "golden.h"
#include "tests/unit/check.h"

static inline const char *golden_path(char path[4096], const char *name)
{
    const char *shared = getenv("KETLINE_SHARED");
    snprintf(path, 4096, "%s/reference/%s", shared ? shared : "../shared", name);
    return path;
}

static inline bool golden_absent(const char *name)
{
    char path[4096];
    FILE *there = fopen(golden_path(path, name), "rb");
    if (there) fclose(there);
    else printf("skipped: %s is absent\n", path);
    return !there;
}

static inline hid_t golden_open(const char *name)
{
    char path[4096];
    const hid_t file = H5Fopen(golden_path(path, name), H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    return file;
}

/* Relative error, with a floor below which errors are absolute. */
static inline void golden_close(const char *what, size_t i, double found, double expected,
                                double relative, double floor)
{
    const double off = fabs(found - expected), room = relative * fmax(fabs(expected), floor);
    CHECK(off <= room || (isnan(found) && isnan(expected)),
          "%s [%zu]: found %.17g, expected %.17g, off by %.2g", what, i, found, expected, off);
}

#endif
