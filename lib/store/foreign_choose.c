/* SPDX-License-Identifier: MIT
   Which datasets of a foreign HDF5 file are the images and their labels, by names and shapes. What could
   as well be meant is refused, or named in a note: labels of other images look like labels. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "store/foreign_int.h"

/* ---- names ----
   Which images and labels belong together, by their names: "x_test" and "y_test", "a/images" and
   "a/labels", "NAME_x" and "NAME_y". */

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

/* Find the seam of two words written as one: "xtrain", "testlabels", "x1"; 0: there is none. */
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

static bool words_equal(const struct kl_words *a, const struct kl_words *b)
{
    for (int i = 0; i < a->n && i < b->n; i++)
        if (strcmp(a->stem[i], b->stem[i]) != 0) return false;
    return a->n == b->n;
}

const char *const kl_usual_images[] = { "images", "x", "X", "data", "image", "x_train", NULL };
const char *const kl_usual_labels[] = { "labels", "y", "label", "y_train", NULL };

int kl_store_answer_refuse(struct kl_answer *a, const char *name, const char *text)
{
    a->code = KL_EDATA;
    snprintf(a->text, sizeof a->text, "%s%.140s%s%.480s", *name ? "dataset " : "", name,
             *name ? ": " : "", text);
    return -1;
}

/* Names one after another, as long as there is room. */
static void add_name(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);
    if (size - used > 80) snprintf(list + used, size - used, "%s%.60s", used ? ", " : "", name);
}

static const struct kl_listed *find(const struct kl_listed *all, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    return NULL;
}

/* The first of these names that is there. */
static const struct kl_listed *first_of(const char *const *names, const struct kl_listed *all, size_t n)
{
    const struct kl_listed *found = NULL;
    for (; *names && !found; names++) found = find(all, n, *names);
    return found;
}

/* (n, h, w) or (n, h, w, c) of more than a pixel: labels may have shape (n, 1, 1, 1). */
static bool looks_like_images(const struct kl_listed *l)
{
    return (l->rank == 3 || l->rank == 4) && l->kind != KL_LISTED_OTHER && l->kind != KL_LISTED_TEXTS &&
           l->dims[1] * l->dims[2] > 1 && !l->link;
}

static bool is_vector(const struct kl_listed *l, uint64_t n)
{
    uint64_t rest = n;
    for (int i = 0; i < l->rank && i < 4; i++)
        rest = l->dims[i] == 1 ? rest : rest == l->dims[i] ? 1 : 0;
    return l->rank >= 1 && l->rank <= 4 && rest == 1;
}

bool kl_store_listed_fits(const struct kl_listed *l, uint64_t n)
{
    if (l->kind == KL_LISTED_BROKEN) return true; /* reading it tells */
    if (l->kind == KL_LISTED_TEXTS) return is_vector(l, n);
    return l->kind != KL_LISTED_OTHER && (is_vector(l, n) || (l->rank == 2 && l->dims[0] == n));
}

/* ---- images ---- */

static bool could_be_images(const struct kl_listed *l)
{
    if (strchr(l->name, '/')) return false;
    return l->kind == KL_LISTED_BROKEN || (l->kind == KL_LISTED_U8 && looks_like_images(l));
}

/* The only one that fits is not taken where its name, or another dataset's, says that it is none. */
static int check_only(struct kl_answer *a, const struct kl_listed *only, const struct kl_listed *all,
                      size_t n)
{
    struct kl_words words, theirs;
    char text[400];
    kl_store_words_of(&words, only->name);
    if ((words.mask || words.labels) && !words.images)
        return kl_store_answer_refuse(a, only->name,
                                      "by its name it holds no images; name the images as FILE:DATASET");
    for (size_t i = 0; i < n; i++) {
        kl_store_words_of(&theirs, all[i].name);
        if (&all[i] == only || !theirs.images || !looks_like_images(&all[i]) ||
            all[i].kind == KL_LISTED_U8)
            continue;
        snprintf(text, sizeof text,
                 "the only one of uint8, but by its name %.100s holds the images; name them as "
                 "FILE:DATASET",
                 all[i].name);
        return kl_store_answer_refuse(a, only->name, text);
    }
    return 0;
}

static int refuse_images(struct kl_answer *a, bool several, const struct kl_listed *all, size_t n)
{
    char names[200] = "", text[500];
    for (size_t i = 0; i < n; i++)
        if (all[i].kind == KL_LISTED_U8 && looks_like_images(&all[i]))
            add_name(names, sizeof names, all[i].name);
    snprintf(text, sizeof text, "%s%s%s%s; name one as FILE:DATASET",
             several  ? "several uint8 datasets could be the images"
             : *names ? "no images in its root"
                      : "no uint8 dataset of shape (n, h, w) or (n, h, w, c)",
             *names ? " (" : "", names, *names ? ")" : "");
    return kl_store_answer_refuse(a, "", text);
}

const struct kl_listed *kl_store_foreign_choose_images(struct kl_answer *a, const char *wanted,
                                                       const struct kl_listed *all, size_t n)
{
    const struct kl_listed *only = NULL;
    size_t fit = 0;
    if (*wanted) {
        if (!(only = find(all, n, wanted)))
            kl_store_answer_refuse(a, wanted, "absent, or not a plain dataset");
        return only;
    }
    if ((only = first_of(kl_usual_images, all, n))) return only;
    for (size_t i = 0; i < n; i++)
        if (could_be_images(&all[i]) && fit++ == 0) only = &all[i];
    if (n >= KL_FOREIGN_LISTED) fit = 2; /* there may be more than were listed */
    if (fit != 1) refuse_images(a, fit > 1, all, n);
    return fit != 1 || check_only(a, only, all, n) ? NULL : only;
}

/* ---- labels ---- */

struct pairing {
    const struct kl_listed *all, *images;
    size_t n;
    struct kl_words words; /* of the images */
    bool links;            /* soft ones are looked at, and nothing else */
};

static bool named_labels(struct kl_words *words, const struct kl_listed *l)
{
    kl_store_words_of(words, l->name);
    return words->labels && !words->mask;
}

/* Labels by their name, and by the rest of it, of these images. */
static bool is_pair(const struct pairing *p, const struct kl_words *images, const struct kl_listed *l)
{
    struct kl_words words;
    return l != p->images && l->link == p->links && named_labels(&words, l) &&
           words_equal(&words, images);
}

/* Do these labels belong, by their names, to other images of the file? */
static bool is_anothers(const struct pairing *p, const struct kl_listed *l)
{
    for (size_t i = 0; i < p->n; i++) {
        struct kl_words words;
        if (&p->all[i] == p->images || &p->all[i] == l || !looks_like_images(&p->all[i])) continue;
        kl_store_words_of(&words, p->all[i].name);
        if (!words.labels && is_pair(p, &words, l)) return true;
    }
    return false;
}

/* Several could be meant, or none surely. */
static int refuse_labels(struct kl_answer *a, const struct pairing *p, bool pairs, const char *how)
{
    char names[200] = "", text[500];
    const uint64_t count = p->images->dims[0];
    for (size_t i = 0; i < p->n; i++) {
        struct kl_words words;
        const struct kl_listed *l = &p->all[i];
        if (l == p->images || l->link != p->links || !kl_store_listed_fits(l, count)) continue;
        if (pairs ? is_pair(p, &p->words, l) : named_labels(&words, l))
            add_name(names, sizeof names, l->name);
    }
    snprintf(text, sizeof text, "%s (%s); name them: --labels DATASET, or --labels none", how, names);
    return kl_store_answer_refuse(a, p->images->name, text);
}

/* "classes", texts, but not one for each image. */
static bool is_list_of_names(const struct kl_listed *l, uint64_t n)
{
    return (l->kind == KL_LISTED_OTHER || l->kind == KL_LISTED_TEXTS) && !is_vector(l, n);
}

/* The labels that have the images' own name: one that fits, or one that does not, which reading tells.
 */
static int choose_pair(const struct kl_listed **labels, struct kl_answer *a, const struct pairing *p)
{
    size_t fit = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct kl_listed *l = &p->all[i];
        if (!is_pair(p, &p->words, l) || is_list_of_names(l, p->images->dims[0])) continue;
        if (kl_store_listed_fits(l, p->images->dims[0]) ? fit++ == 0 : !*labels) *labels = l;
    }
    return fit > 1 ? refuse_labels(a, p, true, "which labels belong to it is not plain") : 0;
}

/* One of training and one of test, say; or other names altogether, but for the usual ones. */
static bool is_strange(const struct kl_words *labels, const struct kl_listed *l,
                       const struct kl_words *images)
{
    bool usual = !labels->n || !images->n;
    for (const char *const *name = kl_usual_labels; *name && !usual; name++)
        usual = strcmp(*name, l->name) == 0;
    return !usual || (labels->split && images->split && labels->split != images->split);
}

/* Labels of another name: if there are no other images and no other labels that could be meant. */
static int choose_other(const struct kl_listed **labels, struct kl_answer *a, const struct pairing *p)
{
    const uint64_t count = p->images->dims[0];
    size_t fit = 0, others = 0, anothers = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct kl_words words;
        const struct kl_listed *l = &p->all[i];
        if (l == p->images || l->link) continue;
        if (looks_like_images(l) && l->dims[0] == count) others++;
        if (!named_labels(&words, l) || !kl_store_listed_fits(l, count)) continue;
        if (l->rank == 2 && !is_vector(l, count)) continue; /* a table, of whatever */
        if (is_anothers(p, l) || is_strange(&words, l, &p->words)) anothers++;
        else if (fit++ == 0) *labels = l;
    }
    if (p->n >= KL_FOREIGN_LISTED) anothers++; /* of what was not listed */
    if (fit == 1 && !others && !anothers) return 0;
    *labels = NULL;
    if (!fit && !anothers) return 0;
    return refuse_labels(a, p, false, "which labels belong to it its name does not say");
}

static int choose_labels(const struct kl_listed **labels, struct kl_answer *a, const char *wanted,
                         const struct pairing *p)
{
    if (!wanted) {
        struct pairing linked = *p;
        linked.links = true; /* where no labels lie beside the images, a link to some may */
        int rc = choose_pair(labels, a, p);
        if (!rc && !*labels) rc = choose_pair(labels, a, &linked);
        return rc || *labels ? rc : choose_other(labels, a, p);
    }
    if (*wanted && !(*labels = find(p->all, p->n, wanted)))
        return kl_store_answer_refuse(a, wanted, "absent, or not a plain dataset");
    return 0;
}

/* One remark after another, as long as there is room. */
static void add_note(struct kl_answer *a, const char *between, const char *text, const char *names,
                     const char *end)
{
    const size_t used = strlen(a->note);
    snprintf(a->note + used, sizeof a->note - used, "%s%s%s%s", used ? between : "", text, names, end);
}

/* Is it a list of class names, by the names that public files use? */
static bool names_classes(const struct kl_listed *l)
{
    static const char *const names[] = { "list_classes", "class_names", "classnames", "label_names",
                                         "categories" };
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found = found || strcasestr(l->name, names[i]);
    return found && l->rank == 1;
}

/* Note datasets that look like images or labels and are not used; that there are no labels; that images
 * may lie across. */
static void remark(struct kl_answer *a, const struct pairing *p, const struct kl_listed *labels,
                   const char *wanted)
{
    char images[200] = "", others[200] = "", classes[200] = "";
    for (size_t i = 0; i < p->n; i++) {
        struct kl_words words;
        const struct kl_listed *l = &p->all[i];
        if (l == p->images || l == labels || l->link) continue;
        const bool named = named_labels(&words, l) && !(wanted && !*wanted); /* none are wanted */
        if (names_classes(l)) add_name(classes, sizeof classes, l->name);
        else if (looks_like_images(l)) add_name(images, sizeof images, l->name);
        else if (named && l->kind != KL_LISTED_OTHER && !is_list_of_names(l, p->images->dims[0]))
            add_name(others, sizeof others, l->name);
    }
    if (!wanted && !labels)
        add_note(a, "", "no labels; --labels DATASET or FILE.h5:DATASET names them", "", "");
    if (*images) add_note(a, "; ", "not used: ", images, " (shaped as images)");
    if (*others)
        add_note(a, *images ? ", " : "; ", *images ? "" : "not used: ", others, " (named as labels)");
    if (*classes) add_note(a, "; ", "classes are called by their numbers, not as in ", classes, "");
    if (p->images->matlab)
        add_note(
            a, "; ",
            "saved by MATLAB, whose sizes come here in reverse: its images of (h, w, n) are read with "
            "rows and columns exchanged",
            "", "");
}

int kl_store_foreign_choose_labels(struct kl_answer *a, const struct kl_listed *images,
                                   const char *wanted, const struct kl_listed *all, size_t n)
{
    const struct kl_listed *labels = NULL, *root = first_of(kl_usual_labels, all, n);
    struct pairing p = { .all = all, .n = n, .images = images };
    kl_store_words_of(&p.words, images->name);
    if (root) strcpy(a->root_labels, root->name);
    if (choose_labels(&labels, a, wanted, &p)) return -1;
    if (labels) strcpy(a->labels, labels->name);
    remark(a, &p, labels, wanted);
    return 0;
}
