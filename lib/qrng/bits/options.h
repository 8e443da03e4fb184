/* SPDX-License-Identifier: MIT
   Rows of a table of options that say how bits are read, for every tool that reads them whole. */
#ifndef KL_QRNG_BITS_OPTIONS_H
#define KL_QRNG_BITS_OPTIONS_H

#include "qrng/bits/bits.h"

#define KL_ENCODING_HELP "a symbol a byte (its low bits), or text of bytes"
#define KL_ROW_BITS_HELP "of a row of --packed or --encoding"

/* at: offsets in the tool's values, of an int64_t; of a bool, a text and an int64_t. Not in the key:
   what was read is. group: the heading of the first row, or NULL. */
/* clang-format off */
#define KL_SYMBOL_OPTION(at, group)                                                                       \
    { "symbol-bits", 0, KL_OPT_INT, at, "N", 1, KL_BITS_SYMBOL, false,                                    \
      "bits measured together, as 2 of two qubits; else the file's, or 1", group, NULL }
#define KL_PACKED_OPTIONS(packed_at, encoding_at, bits_at, group)                                         \
    { "packed", 0, KL_OPT_FLAG, packed_at, NULL, 0, 0, false,                                             \
      "inputs are raw bytes, most significant bit first", group, NULL },                                  \
    { "encoding", 0, KL_OPT_CHOICE, encoding_at, KL_BITS_ENCODINGS, 0, 0, false, KL_ENCODING_HELP, NULL,  \
      NULL },                                                                                             \
    { "bits", 0, KL_OPT_INT, bits_at, "N", 1, KL_BITS_ROW, false, KL_ROW_BITS_HELP, NULL, NULL }
/* clang-format on */

#endif
