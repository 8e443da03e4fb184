/* SPDX-License-Identifier: MIT
   A folder's sub-folders as classes: numbers by their value, other names by their bytes, letters from
   macOS put together; what is said of an order that may not be meant. Keys stay where nothing of this is
   so. */
#include <jansson.h>
#include <sys/stat.h>

#include "ingest/ingest_int.h"
#include "ingest_test.h"
#include "store/store.h"

static int serial;
static char folder[1200];

/* Makes the sub-folders, up to a NULL. */
static void make(const char *const *names)
{
    char path[1400];
    snprintf(folder, sizeof folder, "%s/f%d", test_folder, serial++);
    mkdir(folder, 0777);
    for (; *names; names++) {
        snprintf(path, sizeof path, "%s/%s", folder, *names);
        CHECK(mkdir(path, 0777) == 0, "%s", path);
        snprintf(path, sizeof path, "%s/%s/x.txt", folder, *names);
        put(path, "x", 1);
    }
}

/* Check the names of classes, by their numbers: "0 1 2 10"; and a word of what is said, or NULL. */
static void check(const char *const *names, const char *expected, const char *said)
{
    struct kl_folder_classes c;
    struct kl_error err = { 0 };
    struct kl_cautions cautions = { 0 };
    struct kl_log log = {
        .tool = "t", .to = fopen("/dev/null", "w"), .level = 0, .cautions = &cautions
    };
    char found[400] = "";
    make(names);
    CHECK(kl_ingest_folder_classes(&c, folder, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < c.n; i++)
        if (i == 0 || c.items[i].label != c.items[i - 1].label) {
            CHECK(c.items[i].label == (i ? c.items[i - 1].label + 1 : 0), "%s", expected);
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i ? " " : "",
                     c.items[i].name);
        }
    CHECK(strcmp(found, expected) == 0, "found '%s', expected '%s'", found, expected);
    kl_ingest_folder_classes_say(&c, folder, &log);
    CHECK(said ? cautions.lines && strstr(cautions.lines, said) : !cautions.lines,
          "%s: '%s', expected '%s'", expected, cautions.lines ? cautions.lines : "", said ? said : "");
    kl_ingest_folder_classes_free(&c);
    kl_cautions_free(&cautions);
    fclose(log.to);
}
#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void orders(void)
{
    check(NAMES("0", "1", "2"), "0 1 2", NULL);
    check(NAMES("0", "1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9"),
          "0 1 2 3 4 5 6 7 8 9 10 11", NULL);
    check(NAMES("1", "10", "2"), "1 2 10", "'1' is class 0");
    check(NAMES("0", "2", "10"), "0 2 10", "'2' is class 1");
    check(NAMES("00", "01", "10", "09"), "00 01 09 10", "'09' is class 2");
    check(NAMES("-1", "0.5", "-10", "3"), "-10 -1 0.5 3", "'-10' is class 0");
    check(NAMES("1", "01"), "01 1", "'01' is class 0");
    check(NAMES("1", "10", "2", "a"), "1 10 2 a", "'10' is class 1, before '2'");
    check(NAMES("w0", "w1", "w10", "w2"), "w0 w1 w10 w2", "'w10' is class 2, before 'w2'");
    check(NAMES("class 9 of", "class 10 of"), "class 10 of class 9 of",
          "'class 10 of' is class 0, before");
    check(NAMES("v1.10", "v1.9"), "v1.10 v1.9", "before 'v1.9'");
    check(NAMES("w00", "w01", "w10", "w02"), "w00 w01 w02 w10", NULL);
    check(NAMES("cat", "dog", "cat2"), "cat cat2 dog", NULL);
    check(NAMES("1e5", "0x10", "inf"), "0x10 1e5 inf", NULL);
}

static void letters(void)
{
    check(NAMES("Zebra", "Ze\xcc\x80"
                         "bre"),
          "Zebra Z\xc3\xa8"
          "bre",
          NULL);
    check(NAMES("e\xcc\x81"
                "b",
                "ez"),
          "ez \xc3\xa9"
          "b",
          NULL); /* in the order of the composed ones */
    check(NAMES("\xc3\xa9", "e\xcc\x81", "f"), "f \xc3\xa9",
          "in two forms of its letters: they are one class");
    check(NAMES("__MACOSX", "a", "b"), "a b", "left out 1 folder that lies beside a class's");
    check(NAMES("__MACOSX", "@eaDir", "0", "1", ".git"), "0 1", "left out 2 folders that lie");
}

/* The classes' part of the key is there where their numbers were once others, and only there. */
static bool has_part(const char *const *names)
{
    struct kl_key *key = NULL;
    struct kl_error err = { 0 };
    json_t *record = json_object();
    char hex[65] = "", *parts = NULL;
    const char *path = folder;
    make(names);
    CHECK(!kl_store_key_begin(&key, "k", 1, "t", 1, &err) &&
              !kl_ingest_images_identify(key, record, &path, 1, NULL, false, &err) &&
              !kl_store_key_finish(&key, hex, &parts, &err),
          "%s", err.text);
    const bool has = parts && strstr(parts, "by number");
    json_decref(record);
    free(parts);
    return has;
}

static void keys(void)
{
    CHECK(!has_part(NAMES("0", "1", "2")));
    CHECK(!has_part(NAMES("1", "2", "9")));
    CHECK(!has_part(NAMES("w1", "w10", "w2")));
    CHECK(!has_part(NAMES("Z\xc3\xa8"
                          "bre",
                          "a")));
    CHECK(has_part(NAMES("1", "10", "2")));
    CHECK(has_part(NAMES("Ze\xcc\x80"
                         "bre",
                         "a")));
    CHECK(has_part(NAMES("__MACOSX", "a")));
}

int main(void)
{
    make_test_folder();
    setenv("XDG_CACHE_HOME", test_folder, 1);
    orders();
    letters();
    keys();
    return failures != 0;
}
