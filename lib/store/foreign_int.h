/* SPDX-License-Identifier: MIT
   What the process that reads foreign HDF5 files and its parent say to each other. */
#ifndef KL_FOREIGN_INT_H
#define KL_FOREIGN_INT_H

#include <stdbool.h>
#include <stdint.h>

#define KL_FOREIGN_BYTES ((uint64_t)1 << 36) /* of all pixels, at most */

/* First this through the pipe, then dims' pixels, then n_labels int32. */
struct kl_answer {
    int code, rank;
    uint64_t dims[4], n_labels;
    char text[640];
};

/* The child's whole life; its exit status. to: the pipe; wanted: name of the dataset, "": look for it;
   size: of the file, in bytes. */
int kl_foreign_child(int to, const char *path, const char *wanted, uint64_t size, bool want_labels);

#endif
