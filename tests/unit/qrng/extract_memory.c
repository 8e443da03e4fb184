/* SPDX-License-Identifier: MIT
   A stream of bits is counted in memory that does not grow with it: 32 MiB take no more than 1 MiB, but
   for a few pages. */
#include <sys/resource.h>

#include "../check.h"
#include "qrng/bits/bits_int.h"

enum { ROW = 1024 };

/* Counts so many rows of a device that has no end; the process's largest memory so far, in KiB. */
static long count(size_t rows)
{
    const char *zero = "/dev/zero";
    const struct kl_bits_how how = { .packed = true, .row_bits = ROW, .max_rows = rows };
    struct kl_bits_extract e = { 0 };
    struct kl_error err = { 0 };
    struct rusage usage = { 0 };
    CHECK(kl_bits_inputs_open(&e.inputs, &zero, 1, &how, &err) == 0, "%s", err.text);
    CHECK(kl_bits_extract_count(&e, &err) == 0, "%s", err.text);
    CHECK(e.n_rows == rows && e.tallies.devices[0].rows == (int64_t)rows, "%zu rows", e.n_rows);
    kl_bits_extract_free(&e);
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(void)
{
    const long little = count(1 << 13), much = count(1 << 18);
    CHECK(much - little < 8 * 1024, "%ld KiB, then %ld", little, much);
    return failures != 0;
}
