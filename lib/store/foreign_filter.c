/* SPDX-License-Identifier: MIT
   How a dataset of a foreign HDF5 file is stored, in the process that parses it: which filters are read,
   and h5py's own one, lzf, of which HDF5 knows nothing. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "store/foreign_child.h"

enum { LZF = 32000 };

/* ---- lzf ---- */
/* LibLZF's format: a byte below 32 says how many bytes follow as they are, less one; of any other the
   upper three bits are a length, less two, 7: a byte more; the lower five and one byte a distance back,
   less one. Bytes written to `to`, which has room for `room`; 0: damaged, or more. */
static size_t expand(unsigned char *to, size_t room, const unsigned char *from, size_t n)
{
    size_t out = 0, in = 0;
    while (in < n) {
        const size_t first = from[in++];
        size_t length = first < 32 ? first + 1 : first >> 5;
        if (first < 32) {
            if (length > n - in || length > room - out) return 0;
            memcpy(to + out, from + in, length);
            in += length, out += length;
            continue;
        }
        if (length == 7 && in < n) length += from[in++];
        if (in == n) return 0;
        const size_t back = ((first & 31) << 8 | from[in++]) + 1;
        length += 2;
        if (back > out || length > room - out) return 0;
        for (size_t i = 0; i < length; i++, out++) to[out] = to[out - back];
    }
    return out;
}

/* As HDF5 calls a filter. values: versions, then a chunk's bytes. */
static size_t read_lzf(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *size,
                       void **buffer)
{
    enum { LARGEST = 1 << 28 };
    size_t room = n_values > 2 && values[2] ? values[2] : 4 * n;
    if (!(flags & H5Z_FLAG_REVERSE)) return 0;
    for (; room && room <= LARGEST; room *= 2) {
        unsigned char *to = malloc(room);
        const size_t out = to ? expand(to, room, *buffer, n) : 0;
        if (out) {
            free(*buffer);
            *buffer = to, *size = room;
            return out;
        }
        free(to);
        if (n_values > 2 && values[2]) return 0; /* the room is known */
    }
    return 0;
}

void kl_store_foreign_lzf(void)
{
    static const H5Z_class2_t lzf = {
        .version = H5Z_CLASS_T_VERS, .id = LZF, .decoder_present = 1, .name = "lzf", .filter = read_lzf
    };
    H5Zregister(&lzf);
}

/* ---- what is read ---- */
/* The name of a filter, by its number in HDF5's list. */
static const char *name_of(H5Z_filter_t filter)
{
    static const struct {
        H5Z_filter_t filter;
        const char *name;
    } known[] = { { H5Z_FILTER_SZIP, "szip" },
                  { H5Z_FILTER_NBIT, "nbit" },
                  { H5Z_FILTER_SCALEOFFSET, "scaleoffset" },
                  { 307, "bzip2" },
                  { 32001, "blosc" },
                  { 32004, "lz4" },
                  { 32008, "bitshuffle" },
                  { 32013, "zfp" },
                  { 32015, "zstd" },
                  { 32026, "blosc2" } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].filter == filter) return known[i].name;
    return "unknown";
}

void kl_store_foreign_unread(char why[200], hid_t set)
{
    const hid_t dcpl = H5Dget_create_plist(set);
    const H5D_layout_t layout = H5Pget_layout(dcpl);
    const int n = H5Pget_nfilters(dcpl);
    why[0] = 0;
    if (layout == H5D_VIRTUAL || H5Pget_external_count(dcpl) > 0)
        snprintf(why, 200,
                 "its data lie in other files (%s); copy them into one, as h5py's f['y'] = "
                 "f['x'][:] does",
                 layout == H5D_VIRTUAL ? "a virtual dataset" : "external storage");
    else if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT)
        snprintf(why, 200, "stored in a way that is not read");
    for (int i = 0; i < n && !*why; i++) {
        unsigned flags, config;
        size_t values = 0;
        const H5Z_filter_t f =
            H5Pget_filter2(dcpl, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
        if (f != H5Z_FILTER_DEFLATE && f != H5Z_FILTER_SHUFFLE && f != H5Z_FILTER_FLETCHER32 && f != LZF)
            snprintf(why, 200,
                     "compressed by a filter that is not read, number %d (%s), expected gzip or lzf, "
                     "with shuffle or fletcher32; write it again with compression='gzip'",
                     (int)f, name_of(f));
    }
    H5Pclose(dcpl);
}
