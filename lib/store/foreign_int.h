/* SPDX-License-Identifier: MIT
   What the process that reads foreign HDF5 files and its parent say to each other, and how datasets are
   chosen by their names and shapes. */
#ifndef KL_FOREIGN_INT_H
#define KL_FOREIGN_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hdf5.h>

#include "store/numbers.h"
#include "store/store.h"
#include "base/base.h"

#define KL_FOREIGN_BYTES ((uint64_t)1 << 36) /* of all pixels, at most */
enum { KL_FOREIGN_LISTED = 1000 };

/* The request for data of a file. */
struct kl_foreign_wish {
    const char *path;
    uint64_t size;      /* of the file, in bytes */
    const char *images; /* name of the dataset, "": look for it */
    const char *labels; /* the same, NULL: those that belong to the images, "": none */
    uint64_t n;         /* not 0: labels alone, so many, from the dataset `labels` */
    bool look;          /* names alone, nothing is read */
    uint64_t numbers;   /* not 0: the numbers of dataset `images` alone, at most so many */
    bool or_texts;      /* they may be texts */
    const char *texts;  /* not NULL: in place of these numbers, texts of this name that belong to them */
};

/* First this through the pipe, then dims' pixels, then n_labels int32, then n_names texts of KL_TEXT
   bytes; or numbers, double. */
struct kl_answer {
    int code, rank;
    bool pairs;                          /* each number is two: real, imaginary */
    bool texts;                          /* each is KL_TEXT bytes */
    char mark[KL_MARK];                  /* the writer's order of indices is the reverse; or "" */
    uint64_t dims[4], n_labels, n_names; /* n_names: of labels that were texts */
    /* As in struct kl_foreign. */
    char images[KL_FOREIGN_NAME], labels[KL_FOREIGN_NAME], root_labels[KL_FOREIGN_NAME];
    char note[KL_FOREIGN_NOTE], text[640];
};

/* Doubles of an answer with numbers; UINT64_MAX: too many to count. */
static inline uint64_t kl_store_foreign_count(const struct kl_answer *a)
{
    uint64_t n = a->texts ? KL_TEXT / sizeof(double) : a->pairs ? 2 : 1;
    for (int i = 0; i < a->rank; i++)
        if (__builtin_mul_overflow(n, a->dims[i], &n)) return UINT64_MAX;
    return n;
}

/* The child's whole life; its exit status. to: the pipe. */
int kl_store_foreign_child(int to, const struct kl_foreign_wish *wish);

/* A dataset of a file, listed. */
struct kl_listed {
    char name[KL_FOREIGN_NAME];
    enum { KL_LISTED_U8, KL_LISTED_NUMBERS, KL_LISTED_TEXTS, KL_LISTED_OTHER, KL_LISTED_BROKEN } kind;
    int rank;
    uint64_t dims[4]; /* of rank 1 to 4 */
    bool matlab;      /* MATLAB saved it, whose order of sizes is the reverse */
    bool link; /* a soft link of this name leads to it; none but those named as labels are listed */
};

/* foreign_choose.c: the words of a dataset's name, "train/x" and "train_y": of images and of labels, and
   what is left, which a pair has in common. */
enum { KL_WORDS = 16 };
struct kl_words {
    bool images, labels, mask; /* there is such a word */
    unsigned split;            /* bits: 1 training, 2 test, 4 validation */
    int n;
    char stem[KL_WORDS][32]; /* the others, small letters */
};
void kl_store_words_of(struct kl_words *words, const char *name);

/* foreign_choose.c, from the n datasets of a file. The images: `wanted`, or if that is "" the first of
   the usual names, or the only one that fits; NULL: the answer refuses. */
extern const char *const kl_usual_images[], *const kl_usual_labels[]; /* up to a NULL */
const struct kl_listed *kl_store_foreign_choose_images(struct kl_answer *answer, const char *wanted,
                                                       const struct kl_listed *all, size_t n);
/* Choose the labels of these images, and note what of the file is not used: labels, root_labels and note
   of the answer. wanted: as in kl_foreign_wish. -1: the answer refuses. */
int kl_store_foreign_choose_labels(struct kl_answer *answer, const struct kl_listed *images,
                                   const char *wanted, const struct kl_listed *all, size_t n);
/* text about a dataset, or about none (""), as the answer. Returns -1. */
int kl_store_answer_refuse(struct kl_answer *answer, const char *name, const char *text);
/* Could it hold one label for each of n images: so many numbers, or rows of so many? */
bool kl_store_listed_fits(const struct kl_listed *listed, uint64_t n);

/* ---- Private to the process that parses foreign HDF5 files ---- */

/* Why a dataset is not read, in words: stored outside of this file, or compressed by a filter other than
   deflate, shuffle, checksum (HDF5's own) and lzf (foreign_child.c). "": it is. */
void kl_store_foreign_unread(char why[200], hid_t set);
/* foreign_child.c: the datasets of a file, at most KL_FOREIGN_LISTED beside those of the wanted and of
   the usual names; malloc'ed, NULL: the answer says why. */
struct kl_listed *kl_store_foreign_list(size_t *n, hid_t file, const struct kl_foreign_wish *wish,
                                        struct kl_answer *a);
/* foreign_values.c: n labels, malloc'ed; or NULL, and the answer refuses. set: open, or negative.
   *names: of labels that are texts the a->n_names different ones, in the order of their bytes,
   malloc'ed; else NULL. */
int32_t *kl_store_foreign_labels(hid_t set, const struct kl_listed *listed, uint64_t n,
                                 char (**names)[KL_TEXT], struct kl_answer *a);
/* foreign_values.c: the numbers of dataset wish->images, malloc'ed; or NULL, and the answer refuses. */
double *kl_store_foreign_numbers_of(hid_t file, const struct kl_foreign_wish *wish, struct kl_answer *a);
/* foreign_values.c: the texts called wish->texts, KL_TEXT bytes each, malloc'ed, none if there are none;
   NULL: the answer refuses. */
double *kl_store_foreign_texts_of(hid_t file, const struct kl_foreign_wish *wish, struct kl_answer *a);
/* foreign_child.c: a dataset to which plain links alone lead. */
bool kl_store_foreign_is_dataset(hid_t file, const char *name);

#endif
