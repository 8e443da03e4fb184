/* SPDX-License-Identifier: MIT
   What may be replaced by a result, and which names mean one place. */
#include <fcntl.h>

#include "store/store_int.h"
#include "store_test.h"

static void put(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(data, 1, n, f) == n, "%s", path);
    if (f) fclose(f);
}

static void check_places(void)
{
    char a[1024], link[1024], other[1024], dots[2048], set[1100], none[1024], folder[1024],
        set_none[1100], long_name[5000];
    put(in_folder(a, "a"), "a", 1);
    in_folder(other, "b");
    in_folder(none, "none/a");
    mkdir(in_folder(folder, "sub"), 0777);
    CHECK(symlink("a", in_folder(link, "link")) == 0);
    snprintf(dots, sizeof dots, "%s/../a", folder);
    snprintf(set, sizeof set, "%s:images", a);
    snprintf(set_none, sizeof set_none, "%s:images", none);
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 3] = ':';
    long_name[sizeof long_name - 1] = 0;
    CHECK(kl_store_same_place(a, a) && kl_store_same_place(a, link) && kl_store_same_place(a, dots));
    CHECK(kl_store_same_place(a, set) && kl_store_same_place(set, a), "FILE:DATASET is FILE");
    CHECK(!kl_store_same_place(a, other) && !kl_store_same_place(a, none) &&
          !kl_store_same_place(set_none, a));
    CHECK(!kl_store_same_place(a, long_name) && !kl_store_same_place(a, folder));
    CHECK(kl_store_same_place(other, other), "neither is there, and they would be one file");
    snprintf(dots, sizeof dots, "%s/../b", folder);
    CHECK(kl_store_same_place(other, dots) && !kl_store_same_place(none, none),
          "a folder that is there, or not");
    CHECK(!kl_store_same_place("/dev/shm/a", a), "another file system");
    struct kl_error err = { 0 };
    CHECK(kl_store_target_no_input(a, (const char *const[]){ other, link }, 2, &err) == KL_EUSAGE &&
              strstr(err.text, "is an input; give another name"),
          "%s", err.text);
    CHECK(kl_store_target_no_input(a, (const char *const[]){ other }, 1, &err) == 0);
    CHECK(kl_store_place_check(other, &err) == 0 && kl_store_place_check("x", &err) == 0, "%s",
          err.text);
    CHECK(kl_store_place_check(none, &err) == KL_EIO && strstr(err.text, "folder does not exist"), "%s",
          err.text);
    snprintf(dots, sizeof dots, "%s/b/c", a);
    CHECK(kl_store_place_check(dots, &err) == KL_EIO && strstr(err.text, "folder does not exist"), "%s",
          err.text);
    snprintf(dots, sizeof dots, "%s/c", a);
    CHECK(kl_store_place_check(dots, &err) == KL_EIO &&
              strstr(err.text, "is no folder, c cannot lie in it"),
          "%s", err.text);
    CHECK(chmod(a, 0700) == 0 && kl_store_place_check(dots, &err) == KL_EIO &&
              strstr(err.text, "is no folder"),
          "a program: %s", err.text);
    CHECK(kl_store_place_check("/proc/version", &err) == 0 || strstr(err.text, "cannot create a file"),
          "%s", err.text);
    CHECK(kl_store_place_check("/sys/x", &err) == 0 || strstr(err.text, "cannot create a file"), "%s",
          err.text);
}

/* The first bytes of an HDF5 file of that length. */
static void put_superblock(const char *path, unsigned version, uint64_t eof, size_t n)
{
    unsigned char bytes[200] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 0, 8, 8 };
    bytes[8] = (unsigned char)version;
    memcpy(bytes + 28, &eof, 8);
    put(path, bytes, n);
}

static void check_ours(void)
{
    char path[1024], sub[1024];
    struct kl_error err = { 0 };
    struct stat s;
    in_folder(path, "t.h5");
#define TARGET(kind, force) kl_store_target_check(path, kind, force, NULL, 0, &err)
    CHECK(TARGET("features", false) == 0, "nothing is there");
    put(path, "", 0);
    CHECK(TARGET("features", false) == 0, "an empty file");
    char words[200];
    memset(words, 'w', sizeof words);
    put(path, words, sizeof words);
    CHECK(TARGET("features", false) == KL_EUSAGE, "many words");
    put_superblock(path, 2, 10, 200);
    CHECK(TARGET("features", false) == KL_EUSAGE, "an end within the superblock");
    put(path, "words", 5);
    CHECK(TARGET("features", false) == KL_EUSAGE && strstr(err.text, "was not written by ketline"), "%s",
          err.text);
    CHECK(TARGET("features", true) == 0, "by force");
    CHECK(kl_store_target_check(path, "features", true, (const char *const[]){ path }, 1, &err) ==
              KL_EUSAGE,
          "an input, even by force");
    put_superblock(path, 2, 200, 200);
    CHECK(TARGET("features", false) == KL_EUSAGE, "another program's, as long as it says");
    put_superblock(path, 2, 150, 200);
    CHECK(TARGET("features", false) == 0, "ours without its seal");
    put_superblock(path, 0, 200, 200);
    CHECK(TARGET("features", false) == KL_EUSAGE, "another version");
    put_superblock(path, 2, 48, 48);
    CHECK(TARGET("features", false) == KL_EUSAGE, "hardly a file");
    CHECK(write_test_file(path, 6, 4, 1, &err) == 0, "%s", err.text);
    CHECK(
        TARGET("features", false) == 0 && TARGET("head", false) == KL_EUSAGE &&
            strstr(err.text, "holds a file of kind 'features', which one of kind 'head' would replace"),
        "%s", err.text);
    int fd = open(path, O_RDWR);
    CHECK(stat(path, &s) == 0 && pwrite(fd, "x", 1, s.st_size - 60) == 1);
    close(fd);
    CHECK(TARGET("head", false) == 0, "ours, damaged");
    mkdir(in_folder(sub, "folder.h5"), 0777);
    CHECK(kl_store_target_check(sub, "head", false, NULL, 0, &err) == 0,
          "a folder: opening it will tell");
    CHECK(kl_store_target_check("-", "head", false, NULL, 0, &err) == 0, "standard output");
}

static void check_bytes(void)
{
    char path[1024], sub[1024], mark[80];
    struct kl_error err = { 0 };
    const char *const inputs[] = { path };
    in_folder(path, "t.svg");
    memset(mark, 'm', sizeof mark - 1);
    mark[sizeof mark - 1] = 0;
#define BYTES(mark, force) kl_store_target_check_bytes(path, 2, mark, force, NULL, 0, &err)
    CHECK(BYTES("ket", false) == 0, "nothing is there");
    put(path, "", 0);
    CHECK(BYTES("ket", false) == 0, "an empty file");
    put(path, "##ketline", 9);
    CHECK(BYTES("ket", false) == 0 && BYTES("tek", true) == 0);
    CHECK(BYTES("tek", false) == KL_EUSAGE && strstr(err.text, "was not written by ketline"), "%s",
          err.text);
    CHECK(BYTES("ketline and more", false) == KL_EUSAGE, "too short");
    CHECK(BYTES(mark, false) == KL_EUSAGE, "a mark that no file is searched for");
    CHECK(kl_store_target_check_bytes(path, 2, "ket", true, inputs, 1, &err) == KL_EUSAGE, "an input");
    CHECK(kl_store_target_check_bytes(in_folder(sub, "sub"), 0, "k", false, NULL, 0, &err) == KL_EIO,
          "a folder");
    CHECK(kl_store_target_check_bytes("/proc/self/mem", 0, "k", false, NULL, 0, &err) == 0,
          "empty, it says");
}

int main(void)
{
    make_test_folder();
    check_places();
    check_ours();
    check_bytes();
    return failures != 0;
}
