/* SPDX-License-Identifier: MIT
   Which images and labels belong together, by their names: "x_test" and "y_test", "a/images" and
   "a/labels", "NAME_x" and "NAME_y". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "store/foreign_int.h"

static const char *const of_images[] = { "x",       "image",    "images",  "img",     "imgs",
                                         "data",    "pixel",    "pixels",  "photo",   "photos",
                                         "picture", "pictures", "patch",   "patches", "input",
                                         "inputs",  "sample",   "samples", NULL };
static const char *const of_labels[] = { "y",       "label",  "labels",  "lbl",      "target",
                                         "targets", "class",  "classes", "category", "categories",
                                         "digit",   "digits", "answer",  "answers",  "ans",
                                         "truth",   NULL };
static const char *const of_masks[] = { "mask", "masks", "seg", "segmentation", "segmentations", NULL };
static const char *const of_training[] = { "train", "training", "tr", NULL };
static const char *const of_test[] = { "test", "testing", "te", NULL };
static const char *const of_validation[] = { "val", "valid", "validation", "dev", "eval", NULL };

static bool is_of(const char *const *list, const char *word, size_t n)
{
    for (; *list; list++)
        if (strlen(*list) == n && strncmp(*list, word, n) == 0) return true;
    return false;
}

static unsigned split_of(const char *word, size_t n)
{
    return is_of(of_training, word, n)     ? 1
           : is_of(of_test, word, n)       ? 2
           : is_of(of_validation, word, n) ? 4
                                           : 0;
}

/* Where a word that is written as one, "xtrain", "testlabels", "x1", falls into two; 0: it does not. */
static size_t seam_of(const char *word, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const char *end = word + i;
        const bool first = is_of(of_images, word, i) || is_of(of_labels, word, i),
                   last = is_of(of_images, end, n - i) || is_of(of_labels, end, n - i);
        if (first && (split_of(end, n - i) || strspn(end, "0123456789") >= n - i)) return i;
        if (last && split_of(word, i)) return i;
    }
    return 0;
}

static void add_word(struct kl_words *words, const char *word, size_t n)
{
    const size_t seam = seam_of(word, n);
    if (seam) {
        add_word(words, word, seam);
        add_word(words, word + seam, n - seam);
        return;
    }
    const bool images = is_of(of_images, word, n), labels = is_of(of_labels, word, n);
    words->images |= images;
    words->labels |= labels;
    words->split |= split_of(word, n);
    words->mask |= is_of(of_masks, word, n);
    if (images || labels || words->n == KL_WORDS) return;
    char *stem = words->stem[words->n++];
    n = n < sizeof words->stem[0] ? n : sizeof words->stem[0] - 1;
    memcpy(stem, word, n);
    stem[n] = 0;
}

void kl_store_words_of(struct kl_words *words, const char *name)
{
    char word[KL_FOREIGN_NAME];
    size_t n = 0;
    *words = (struct kl_words){ 0 };
    for (const unsigned char *c = (const unsigned char *)name;; c++) {
        const bool within = isalnum(*c) || *c >= 0x80,
                   turn = n && isupper(*c) && islower(c[-1]); /* xTrain */
        if (n && (!within || turn)) {
            word[n] = '\0';
            add_word(words, word, n);
            n = 0;
        }
        if (!*c) return;
        if (within && n < sizeof word - 1) word[n++] = (char)tolower(*c);
    }
}

bool kl_store_words_equal(const struct kl_words *a, const struct kl_words *b)
{
    for (int i = 0; i < a->n && i < b->n; i++)
        if (strcmp(a->stem[i], b->stem[i]) != 0) return false;
    return a->n == b->n;
}
