/* SPDX-License-Identifier: MIT
   Private to the readers of bits: an input as a format sees it. */
#ifndef KL_QRNG_BITS_BITS_INT_H
#define KL_QRNG_BITS_BITS_INT_H

#include "qrng/bits/bits.h"
#include "qrng/bits/form.h"
#include "qrng/bits/words.h"

struct kl_bits_source;

/* What an input's bytes are, from its options. */
enum kl_bits_coding {
    KL_BITS_ROWS, /* rows: text, .npy, a file of ours */
    KL_BITS_PACKED,
    KL_BITS_SYMBOLS, /* these three in the order of KL_BITS_ENCODINGS */
    KL_BITS_HEX,
    KL_BITS_BASE64
};

/* A format: how its rows come. open sets block.n_bits; next fills block.n_rows, words and device. */
struct kl_bits_format {
    const char *name;
    bool (*knows)(const unsigned char *first, size_t n, const struct kl_bits_how *how);
    int (*open)(struct kl_bits_source *s, struct kl_error *err);
    int (*next)(struct kl_bits_source *s, size_t max_rows, struct kl_error *err);
    void (*close)(struct kl_bits_source *s); /* what is in state */
};
extern const struct kl_bits_format kl_bits_packed, kl_bits_coded, kl_bits_h5, kl_bits_npy, kl_bits_text;

struct kl_bits_source {
    const char *path; /* for messages: "standard input" for "-" */
    bool spooled;
    char content[65]; /* of what is spooled, once it is known: it cannot change */
    int fd;           /* a regular file, or an unlinked one */
    uint64_t size;    /* its bytes */
    struct kl_bits_how how;
    enum kl_bits_coding coding;
    const struct kl_bits_format *format;
    void *state;          /* of the format */
    struct kl_file *file; /* open, if it is one of ours */
    struct kl_bits block;
    size_t block_rows;    /* room for so many */
    size_t expected_rows; /* for progress */
    size_t row;           /* rows that have been read */
    bool labelled;        /* rows name their device; else all are of the first one */
    size_t *count, *seen; /* [KL_BITS_DEVICES]: rows of each, and the first of them (from 1) */
};

/* ---- one input (source.c) ---- */
int kl_bits_open(struct kl_bits_source **source, const char *path, const struct kl_bits_how *how,
                 struct kl_error *err);
/* The next rows, in *block until the next call: its words, device, n_rows (0: at the end; then n_devices
   and names are known and checked). */
int kl_bits_next(struct kl_bits_source *source, const struct kl_bits **block, struct kl_error *err);
int kl_bits_rewind(struct kl_bits_source *source, struct kl_error *err);
void kl_bits_close(struct kl_bits_source **source); /* accepts NULL, clears the caller's pointer */

/* ---- what formats share ---- */
/* Characters 0 and 1 into words that are 0; how many there were (at most n) before another one. */
size_t kl_bits_digits(uint64_t *words, const char *text, size_t n);
/* The name of an input without labels: its path's last part without an ending. */
void kl_bits_name(char name[KL_BITS_NAME], const char *path);
/* The words of a row once n_bits, 1 or more, is known. KL_EDATA (too many), KL_EUSAGE (symbols). */
int kl_bits_make_block(struct kl_bits_source *s, size_t n_bits, struct kl_error *err);
/* KL_EDATA in words that say which byte, or character of a wider code, stands where a 0 or 1 is
   expected. column: from 1. */
int kl_bits_wrong(const struct kl_bits_source *s, size_t row, size_t column, uint32_t found,
                  struct kl_error *err);

/* ---- what inputs are not (check.c) ---- */
/* KL_EDATA: the input is something else than what its options say, or than rows. */
int kl_bits_check(const struct kl_bits_source *s, struct kl_error *err);
enum { KL_BITS_ADVICE = 160 };
/* What else an input that was taken for rows may be, for a message: "" or "; ..." */
void kl_bits_advise(char words[KL_BITS_ADVICE], const struct kl_bits_source *s);

#endif
