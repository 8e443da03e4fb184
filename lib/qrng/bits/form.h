/* SPDX-License-Identifier: MIT
   bits_form: what bytes are that may be raw bits, or may be something else. */
#ifndef KL_QRNG_BITS_FORM_H
#define KL_QRNG_BITS_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KL_BITS_LOOK = 4096 }; /* first bytes that tell a form */

enum kl_bits_form {
    KL_FORM_NONE,   /* nothing that is known: it may be random */
    KL_FORM_ROWS,   /* text of 0 and 1 that begins as rows do, perhaps with separators or labels */
    KL_FORM_DIGITS, /* text of decimal digits and separators */
    KL_FORM_HEX,
    KL_FORM_BASE64,
    KL_FORM_TEXT,
    KL_FORM_OWN, /* what is read without an option that says how: HDF5, .npy */
    KL_FORM_FILE /* another format */
};

struct kl_bits_look {
    enum kl_bits_form form;
    size_t n;           /* bytes of text, for its forms */
    bool few;           /* letters, which stand for symbols */
    bool prose;         /* of text: with line ends or tabs, or less than half of the characters between
                           its least and its largest, which samples would use */
    bool binary;        /* of text: its digits are 0 and 1 alone */
    const char *what;   /* "a gzip file"; NULL: KL_FORM_NONE */
    const char *remedy; /* the command that converts it, or NULL */
};
/* What the first n bytes of an input are, of which KL_BITS_LOOK are enough. Random bytes are taken for
   something in less than one of 2^35 inputs; form.c has the sum. */
struct kl_bits_look kl_bits_look(const unsigned char *first, size_t n);

/* A line of text as rows have it: bits, then perhaps a blank and a label. */
bool kl_bits_is_row(const char *text, size_t n);

/* Bits that bytes have. */
struct kl_bits_widths {
    uint8_t set[8];    /* in any of bytes 0, 8, 16, ...; 1, 9, 17, ... */
    uint8_t before[8]; /* the last of each */
    uint8_t last;
    bool varies; /* some byte is not that eight before */
    size_t n, ones;
    size_t changes;        /* from 255 to another byte, or back */
    bool zero, one, other; /* a byte is 0; is 1; is none of 0, 1 and 255 */
};
/* Adds the next n bytes; w begins as zeros. */
void kl_bits_widths_add(struct kl_bits_widths *w, const unsigned char *bytes, size_t n);
/* Bits from the lowest to the highest that any byte has, 1 to 7, and *below, how many lower ones none
   has: the ones, were they anywhere in their bytes alike, would all lie so in less than one of 2^58
   inputs. 8: that cannot be said. */
int kl_bits_width(int *below, const struct kl_bits_widths *w);
/* 2, 4 or 8: the bytes are of numbers of so many bytes each, since in some byte of each two bits or
   more, the highest or the lowest, are never set that others have. Ones that were anywhere alike would
   lie so in less than one of 2^54 inputs. 1: that cannot be said. */
int kl_bits_stride(const struct kl_bits_widths *w);
/* Every byte is 0, 1 or 255, and 22 times or more there is a change to 255 or back: masks and signs are
   stored so. Bits of a stream change where a byte ends one time of eight. */
bool kl_bits_signs(const struct kl_bits_widths *w);

#endif
