/* SPDX-License-Identifier: MIT
   Which labels belong to which images, by names and shapes as public files have them: Keras' and h5py's
   examples, deeplearning.ai, PatchCamelyon, Galaxy10, USPS, MedMNIST, dSprites, CIFAR-100. */
#include <string.h>

#include "store/foreign_int.h"
#include "tests/unit/check.h"

enum { N = 40 };
#define U8(name_, ...)                                   \
    {                                                    \
        .name = name_, .kind = KL_LISTED_U8, __VA_ARGS__ \
    }
#define PICTURES .rank = 3, .dims = { N, 28, 28 }
#define PICTURES_OF(n) .rank = 3, .dims = { n, 28, 28 }
#define LABELS(name_)                                                      \
    {                                                                      \
        .name = name_, .kind = KL_LISTED_NUMBERS, .rank = 1, .dims = { N } \
    }
#define LABELS_OF(name_, n)                                                \
    {                                                                      \
        .name = name_, .kind = KL_LISTED_NUMBERS, .rank = 1, .dims = { n } \
    }
#define TABLE(name_, c)                                                       \
    {                                                                         \
        .name = name_, .kind = KL_LISTED_NUMBERS, .rank = 2, .dims = { N, c } \
    }
#define FLOATS(name_)                                      \
    {                                                      \
        .name = name_, .kind = KL_LISTED_NUMBERS, PICTURES \
    }
#define TEXTS(name_, n)                                                  \
    {                                                                    \
        .name = name_, .kind = KL_LISTED_OTHER, .rank = 1, .dims = { n } \
    }

static const struct layout {
    const char *wanted;          /* FILE:wanted */
    const char *images, *labels; /* images NULL: refused, and `said` is in the text */
    const char *said;            /* of an accepted one: in its note; NULL: it has none */
    struct kl_listed sets[6];
} layouts[] = {
    /* Keras and h5py */
    { "",
      "x_train",
      "y_train",
      "not used: x_test (shaped as images), y_test (named as labels)",
      { U8("x_train", PICTURES), LABELS("y_train"), U8("x_test", PICTURES), LABELS("y_test") } },
    { "x_test",
      "x_test",
      "y_test",
      "not used: x_train",
      { U8("x_train", PICTURES), LABELS("y_train"), U8("x_test", PICTURES), LABELS("y_test") } },
    { "X_test",
      "X_test",
      "Y_test",
      "X_train",
      { U8("X_train", PICTURES), LABELS("Y_train"), U8("X_test", PICTURES), LABELS("Y_test") } },
    { "test_x",
      "test_x",
      "test_y",
      "train_x",
      { LABELS("train_y"), U8("train_x", PICTURES), U8("test_x", PICTURES), LABELS("test_y") } },
    { "XTest",
      "XTest",
      "YTest",
      "XTrain",
      { LABELS("YTrain"), U8("XTrain", PICTURES), U8("XTest", PICTURES), LABELS("YTest") } },
    { "xtest",
      "xtest",
      "ytest",
      "xtrain",
      { LABELS("ytrain"), U8("xtrain", PICTURES), U8("xtest", PICTURES), LABELS("ytest") } },
    { "",
      "images",
      "labels",
      "not as in class_names",
      { LABELS("labels"), U8("images", PICTURES), TEXTS("class_names", 10) } },
    { "", "data", "label", NULL, { U8("data", PICTURES), LABELS("label") } },
    { "test/images",
      "test/images",
      "test/labels",
      "not used: labels (named as labels)",
      { LABELS("labels"), U8("test/images", PICTURES), LABELS("test/labels") } },
    { "images/test",
      "images/test",
      "labels/test",
      "images/train",
      { U8("images/train", PICTURES), LABELS("labels/train"), U8("images/test", PICTURES),
        LABELS("labels/test") } },
    { "a/images",
      "a/images",
      "a/labels",
      "b/images",
      { U8("a/images", PICTURES), LABELS("a/labels"), U8("b/images", PICTURES), LABELS("b/labels") } },
    { "cats_x",
      "cats_x",
      "cats_y",
      "dogs_x",
      { LABELS("dogs_y"), U8("dogs_x", PICTURES), U8("cats_x", PICTURES), LABELS("cats_y") } },
    { "x1", "x1", "y1", "x2", { LABELS("y2"), U8("x2", PICTURES), U8("x1", PICTURES), LABELS("y1") } },
    /* deeplearning.ai's cats: texts that name the classes, and labels */
    { "",
      "train_set_x",
      "train_set_y",
      "not as in list_classes",
      { TEXTS("list_classes", 2), U8("train_set_x", PICTURES), LABELS("train_set_y") } },
    { "test_set_x",
      "test_set_x",
      "test_set_y",
      "train_set_x",
      { U8("train_set_x", PICTURES), LABELS("train_set_y"), U8("test_set_x", PICTURES),
        LABELS("test_set_y") } },
    /* PatchCamelyon: labels in another file */
    { "", "x", "", "no labels; --labels DATASET or FILE.h5:DATASET names them", { U8("x", PICTURES) } },
    /* Galaxy10: with tables of the sky */
    { "",
      "images",
      "ans",
      NULL,
      { U8("images", PICTURES), LABELS("ans"), LABELS("ra"), LABELS("redshift"), LABELS("dec") } },
    { "train/data",
      "train/data",
      "train/target",
      "test/data",
      { U8("train/data", PICTURES), LABELS("train/target"), U8("test/data", PICTURES),
        LABELS("test/target") } },
    /* MedMNIST's names; labels of shape (n, 1) */
    { "val_images",
      "val_images",
      "val_labels",
      "train_images",
      { U8("train_images", PICTURES), TABLE("train_labels", 1), U8("val_images", PICTURES),
        TABLE("val_labels", 1) } },
    /* dSprites: six factors, no class; 3dshapes the same under the labels' name, which reading refuses
     */
    { "",
      "imgs",
      "",
      "not used: latents_classes (named as labels)",
      { U8("imgs", PICTURES), TABLE("latents_classes", 6), TABLE("latents_values", 6) } },
    { "", "images", "labels", NULL, { U8("images", PICTURES), TABLE("labels", 6) } },
    /* Labels of another name, where nothing else can be meant */
    { "", "data", "y_train", NULL, { U8("data", PICTURES), LABELS("y_train") } },
    { "x_train", "x_train", "labels", NULL, { U8("x_train", PICTURES), LABELS("labels") } },
    { "faces",
      "faces",
      "faces_labels",
      "labels",
      { U8("faces", PICTURES), LABELS("labels"), LABELS("faces_labels") } },
    { "x",
      "x",
      "",
      "not used: y_test (named as labels)",
      { U8("x", PICTURES), LABELS_OF("y_test", 7) } },
    /* texts, and too few: chosen by their name, and refused when they are read */
    { "", "images", "labels", NULL, { U8("images", PICTURES), TEXTS("labels", N) } },
    { "", "images", "labels", NULL, { U8("images", PICTURES), LABELS_OF("labels", 7) } },
    { "", "images", "", "no labels", { U8("images", PICTURES), TEXTS("classes", 10) } },

    /* Ambiguous ones */
    { "x_test",
      NULL,
      NULL,
      "which labels belong to it its name does not say (y_train); name them",
      { U8("x_train", PICTURES), LABELS("y_train"), U8("x_test", PICTURES) } },
    { "x_test", NULL, NULL, "(y_train)", { LABELS("y_train"), U8("x_test", PICTURES) } },
    { "images",
      NULL,
      NULL,
      "which labels belong to it is not plain (labels, target); name them",
      { U8("images", PICTURES), LABELS("labels"), LABELS("target") } },
    { "images",
      NULL,
      NULL,
      "(coarse_labels, fine_labels)",
      { U8("images", PICTURES), LABELS("coarse_labels"), LABELS("fine_labels") } },
    { "cats", NULL, NULL, "(labels)", { U8("cats", PICTURES), U8("dogs", PICTURES), LABELS("labels") } },
    { "test/images",
      NULL,
      NULL,
      "(labels)",
      { LABELS("labels"), U8("images", PICTURES_OF(7)), U8("test/images", PICTURES) } },
    { "b/images", NULL, NULL, "(a/labels)", { LABELS("a/labels"), U8("b/images", PICTURES) } },
    { "faces", "faces", "y_train", NULL, { U8("faces", PICTURES), LABELS("y_train") } },
    { "faces", NULL, NULL, "(animal_labels)", { U8("faces", PICTURES), LABELS("animal_labels") } },
    { "",
      NULL,
      NULL,
      "several uint8 datasets could be the images (a, b); name one as FILE:DATASET",
      { U8("a", PICTURES), U8("b", PICTURES) } },
    { "",
      NULL,
      NULL,
      "no images in its root (train/images); name one as FILE:DATASET",
      { U8("train/images", PICTURES), LABELS("train/labels") } },
    { "",
      NULL,
      NULL,
      "no uint8 dataset of shape (n, h, w) or (n, h, w, c); name one",
      { FLOATS("images2") } },
    /* Masks and maps of labels */
    { "",
      NULL,
      NULL,
      "dataset mask: by its name it holds no images",
      { FLOATS("img"), U8("mask", PICTURES), LABELS("labels") } },
    { "",
      NULL,
      NULL,
      "dataset segmentation: by its name it holds no images",
      { U8("segmentation", PICTURES) } },
    { "", NULL, NULL, "dataset target: by its name it holds no images", { U8("target", PICTURES) } },
    { "",
      NULL,
      NULL,
      "dataset overlay: the only one of uint8, but by its name img holds the images",
      { FLOATS("img"), U8("overlay", PICTURES) } },
    { "mask",
      NULL,
      NULL,
      "dataset mask: which labels belong to it its name does not say (labels)",
      { FLOATS("img"), U8("mask", PICTURES), LABELS("labels") } },
};

static void check(const struct layout *l)
{
    struct kl_answer a = { 0 };
    size_t n = 0;
    while (n < 6 && *l->sets[n].name) n++;
    const struct kl_listed *images = kl_store_foreign_choose_images(&a, l->wanted, l->sets, n);
    const bool fine = images && kl_store_foreign_choose_labels(&a, images, NULL, l->sets, n) == 0;
    CHECK(fine == (l->images != NULL), "%s of %s: %s%s", l->wanted, l->sets[0].name, a.text, a.labels);
    if (!fine)
        CHECK(l->said && strstr(a.text, l->said), "%s of %s: %s", l->wanted, l->sets[0].name, a.text);
    if (!fine || !l->images) return;
    CHECK(strcmp(images->name, l->images) == 0, "%s: %s", l->images, images->name);
    CHECK(strcmp(a.labels, l->labels) == 0, "%s: '%s'", l->images, a.labels);
    CHECK(l->said ? strstr(a.note, l->said) != NULL : !*a.note, "%s: %s", l->images, a.note);
}

/* More datasets than are listed: nothing is taken to be the only one. */
static void check_many(void)
{
    static struct kl_listed many[KL_FOREIGN_LISTED];
    struct kl_answer a = { 0 };
    for (size_t i = 0; i < KL_FOREIGN_LISTED; i++) {
        many[i] = (struct kl_listed)LABELS("");
        snprintf(many[i].name, sizeof many[i].name, "n%zu", i);
    }
    many[5] = (struct kl_listed)U8("pictures", PICTURES);
    CHECK(!kl_store_foreign_choose_images(&a, "", many, KL_FOREIGN_LISTED), "one of many");
    many[7] = (struct kl_listed)LABELS("some_labels");
    a = (struct kl_answer){ 0 };
    CHECK(kl_store_foreign_choose_labels(&a, &many[5], NULL, many, KL_FOREIGN_LISTED) < 0, "labels '%s'",
          a.labels);
    many[8] = (struct kl_listed)LABELS("labels");
    a = (struct kl_answer){ 0 };
    CHECK(kl_store_foreign_choose_labels(&a, &many[5], NULL, many, KL_FOREIGN_LISTED) == 0, "%s",
          a.text);
    CHECK(strcmp(a.labels, "labels") == 0, "'%s'", a.labels);
}

/* Wanted by name, or not at all. */
static void check_wanted(void)
{
    static const struct kl_listed sets[] = { U8("x", PICTURES), LABELS("y"), LABELS("z") };
    struct kl_answer a = { 0 };
    CHECK(kl_store_foreign_choose_labels(&a, &sets[0], "z", sets, 3) == 0 && strcmp(a.labels, "z") == 0,
          "%s", a.text);
    CHECK(strcmp(a.root_labels, "y") == 0 && strstr(a.note, "not used: y"), "%s %s", a.root_labels,
          a.note);
    a = (struct kl_answer){ 0 };
    CHECK(kl_store_foreign_choose_labels(&a, &sets[0], "", sets, 3) == 0 && !*a.labels && !*a.note, "%s",
          a.note);
    CHECK(kl_store_foreign_choose_labels(&a, &sets[0], "w", sets, 3) < 0 &&
          strstr(a.text, "dataset w: absent"));
    CHECK(!kl_store_foreign_choose_images(&a, "w", sets, 3) && strstr(a.text, "dataset w: absent"));
}

int main(void)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) check(&layouts[i]);
    check_many();
    check_wanted();
    return failures != 0;
}
