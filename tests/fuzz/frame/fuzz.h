/* SPDX-License-Identifier: MIT
   The frame of the fuzz targets. Each tests/fuzz/NAME.c judges any bytes as one format: nothing crashes,
   takes long or much memory, and what is read is what the bytes say; what is refused is refused in one
   printable line. frame.c holds the two mains: one replays tests/fuzz/NAME/, the other is libFuzzer's
   (-DKL_FUZZ, make fuzz-NAME). */
#ifndef KL_FUZZ_H
#define KL_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/* The target: true if the bytes were read, false if they were refused. Ends the process (need) where a
   promise is broken. */
bool fuzz(const unsigned char *data, size_t n);
/* How many files its corpus holds at least, so that a lost folder is noticed. */
extern const int fuzz_corpus;

/* Ends the process unless it holds. */
void need(bool holds, const char *what, const char *found);
/* A refusal: one of these codes (0: any), one line without control characters. */
void need_refusal(int found, int code, int other, const struct kl_error *err);

/* Bytes as a file without a name. */
struct fuzz_file {
    int fd;
    char path[32];
};
void fuzz_file_make(struct fuzz_file *file, const void *data, size_t n);
void fuzz_file_free(struct fuzz_file *file);
/* A folder that goes, with all that is in it, when the process ends. */
const char *fuzz_folder(void);
void fuzz_write(const char *path, const void *data, size_t n);
/* The bytes with a NUL behind them, in a block of that size, so that a sanitizer sees a read beyond.
   Free it. */
char *fuzz_text(const unsigned char *data, size_t n);

#endif
