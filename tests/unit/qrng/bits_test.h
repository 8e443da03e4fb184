/* SPDX-License-Identifier: MIT
   A file of kind device-bits, right or wrong in one of its parts. */
#ifndef KL_BITS_TEST_H
#define KL_BITS_TEST_H

#include "qrng/bits/bits.h"
#include "tests/unit/any_file.h"
#include "tests/unit/check.h"

/* 4 rows of 10 bits of 2 devices, the second row of the second one, and what differs from that. */
struct device_bits {
    const char *kind;
    int rows, labels, names; /* so many more bits, labels, class_names */
    int second;              /* added to the label of row 2 */
    double n_bits, symbol_bits;
    bool no_bits, no_labels, no_names, no_n_bits, no_symbol_bits;
};

static inline int write_device_bits(const char *path, const struct device_bits *b, struct kl_error *err)
{
    static const uint8_t bits[2 * 80000] = { 0x6d, 0x80, 0xd9, 0x40, 0x12, 0x00, 0xff, 0xc0 };
    static const char names[3 * 4200] = "onetwosix";
    static int32_t labels[80000];
    labels[1] = 1 + b->second;
    const size_t dims[2] = { (size_t)(4 + b->rows), 2 }, n_labels = (size_t)(4 + b->labels),
                 n_names = (size_t)(2 + b->names);
    struct kl_writer *w = NULL;
    int rc = open_any_file(&w, path, b->kind ? b->kind : "device-bits", err);
    if (!rc && !b->no_bits) rc = kl_store_writer_put(w, "bits", KL_TYPE_U8, 0, 2, dims, bits, err);
    if (!rc && !b->no_labels)
        rc = kl_store_writer_put(w, "labels", KL_TYPE_I32, 0, 1, &n_labels, labels, err);
    if (!rc && !b->no_names)
        rc = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, 3, 1, &n_names, names, err);
    if (!rc && !b->no_n_bits) rc = kl_store_writer_number(w, "", "n_bits", 10 + b->n_bits, err);
    if (!rc && !b->no_symbol_bits)
        rc = kl_store_writer_number(w, "", "symbol_bits", 1 + b->symbol_bits, err);
    if (!rc) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

#endif
