/* SPDX-License-Identifier: MIT
   The sub-folders of a folder as classes: named by numbers they are in their order, 10 behind 9, else in
   that of the bytes of their names, whose letters are put together as everybody but macOS has them. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ingest/ingest_int.h"

/* Folders beside the classes that are none: of a zip from macOS, of a Synology's thumbnails. */
static const char *const beside[] = { "__MACOSX", "@eaDir" };

static bool is_beside(const char *name)
{
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        if (strcmp(beside[i], name) == 0) return true;
    return false;
}

/* "7", "-1", "0.5" */
static bool is_number(const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const size_t whole = strspn(digits, "0123456789"), point = digits[whole] == '.',
                 part = point ? strspn(digits + whole + 1, "0123456789") : 0;
    return whole + part > 0 && whole + part < 300 && !digits[whole + point + part];
}

static int by_name(const void *a, const void *b)
{
    const struct kl_folder_class *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->folder, y->folder);
}

static int by_number(const void *a, const void *b)
{
    const struct kl_folder_class *x = a, *y = b;
    const double p = strtod(x->name, NULL), q = strtod(y->name, NULL);
    return p != q ? (p > q) - (p < q) : by_name(a, b);
}

/* Of one name, but for the form of its letters, are one class. */
static void number(struct kl_folder_classes *c)
{
    c->n_classes = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i == 0 || strcmp(c->items[i].name, c->items[i - 1].name) != 0) c->n_classes++;
        c->items[i].label = (int32_t)c->n_classes - 1;
    }
}

int kl_ingest_folder_classes(struct kl_folder_classes *c, const char *path, struct kl_error *err)
{
    struct kl_names folders = { 0 };
    *c = (struct kl_folder_classes){ .usual = true, .numbers = true };
    int rc = kl_ingest_names_list(&folders, path, KL_NAMES_FOLDERS, err);
    if (!rc && !(c->items = calloc(folders.n + 1, sizeof *c->items)))
        rc = kl_fail_memory(err, folders.n * sizeof *c->items);
    for (size_t i = 0; i < folders.n && !rc; i++) {
        if (is_beside(folders.items[i])) {
            c->usual = false, c->passed++;
            continue;
        }
        struct kl_folder_class *item = &c->items[c->n++];
        item->folder = strdup(folders.items[i]), item->name = strdup(folders.items[i]);
        if (!item->folder || !item->name) rc = kl_fail_memory(err, strlen(folders.items[i]));
        else if (kl_compose(item->name)) c->usual = false;
        c->numbers = c->numbers && !rc && is_number(item->name);
    }
    kl_ingest_names_free(&folders);
    if (rc || !c->n) return rc;
    qsort(c->items, c->n, sizeof *c->items, c->numbers ? by_number : by_name);
    for (size_t i = 1; i < c->n; i++)
        if (strcmp(c->items[i - 1].folder, c->items[i].folder) > 0) c->usual = false;
    number(c);
    return KL_OK;
}

void kl_ingest_folder_classes_free(struct kl_folder_classes *c)
{
    for (size_t i = 0; i < c->n; i++) free(c->items[i].folder), free(c->items[i].name);
    free(c->items);
    *c = (struct kl_folder_classes){ 0 };
}

/* ---- what is said ---- */
/* Is the number in a greater, where the names differ in nothing else: "w10" and "w2"? */
static bool is_before(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same]) same++;
    while (same && strchr("0123456789", a[same - 1])) same--;
    const size_t m = strspn(a + same, "0123456789"), n = strspn(b + same, "0123456789");
    return m && n && strtod(a + same, NULL) > strtod(b + same, NULL) &&
           strcmp(a + same + m, b + same + n) == 0;
}

static void say_order(const struct kl_folder_classes *c, const struct kl_log *log)
{
    for (size_t i = 1; i < c->n && !c->numbers; i++)
        if (is_before(c->items[i - 1].name, c->items[i].name)) {
            kl_caution(
                log,
                "classes are in the order of their names' bytes: '%s' is class %d, before '%s'; with as "
                "many digits in each they are in that of their numbers",
                c->items[i - 1].name, (int)c->items[i - 1].label, c->items[i].name);
            return;
        }
    for (size_t i = 0; i < c->n && c->numbers; i++)
        if (strtod(c->items[i].name, NULL) != c->items[i].label) {
            kl_caution(
                log,
                "classes are numbered from 0 in the order of their folders' numbers: '%s' is class %d",
                c->items[i].name, (int)c->items[i].label);
            return;
        }
}

void kl_ingest_folder_classes_say(const struct kl_folder_classes *c, const char *path,
                                  const struct kl_log *log)
{
    if (c->passed)
        kl_caution(log, "%s: left out %zu folder%s that %s beside a class's (__MACOSX, @eaDir)", path,
                   c->passed, kl_s(c->passed), c->passed == 1 ? "lies" : "lie");
    for (size_t i = 1; i < c->n; i++)
        if (c->items[i].label == c->items[i - 1].label)
            kl_caution(log,
                       "two folders are called '%s', in two forms of its letters: they are one class",
                       c->items[i].name);
    say_order(c, log);
}
