/* SPDX-License-Identifier: MIT
   Images in HDF5 files that others wrote: read, or refused in words within the time limit. Written by
   h5py where it is, and by this program as a sealed file, which is refused when a pixel changes; mutated
   copies neither hang nor crash the caller. */
#include <fcntl.h>
#include <signal.h>
#include <time.h>

#include "store_test.h"

static void check_read(const char *path, int expected, const char *words)
{
    struct kl_error err = { 0 };
    struct kl_foreign f;
    int rc = kl_store_foreign_read(&f, path, NULL, &err);
    CHECK(rc == expected, "%s: %d %s", path, rc, err.text);
    CHECK(rc == 0 || (!f.data && strstr(err.text, words)), "%s: %s", path, err.text);
    if (rc == 0) {
        bool same = f.rank == 3 && f.dims[0] == 30 && f.dims[1] == 8 && f.dims[2] == 7;
        for (size_t i = 0; i < 30 * 56 && same; i++) same = f.data[i] == (i * 7) % 251;
        CHECK(same, "%s: other pixels", path);
        CHECK(f.label && f.label[29] == 9, "%s: labels", path);
    }
    kl_store_foreign_free(&f);
}

static void check_ours(char path[1024])
{
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    size_t dims[3] = { 30, 8, 7 };
    uint8_t x[30 * 56];
    int64_t y[30];
    for (size_t i = 0; i < sizeof x; i++) x[i] = (uint8_t)((i * 7) % 251);
    for (int i = 0; i < 30; i++) y[i] = i % 10;
    int rc = kl_store_writer_open(&w, in_folder(path, "ours.h5"), &test_header, &err);
    rc = rc ? rc : kl_store_writer_put(w, "images", KL_TYPE_U8, 0, 3, dims, x, &err);
    rc = rc ? rc : kl_store_writer_put(w, "labels", KL_TYPE_I64, 0, 1, dims, y, &err);
    rc = rc ? rc : kl_store_writer_put(w, "params/numbers", KL_TYPE_F32, 0, 1, dims, y, &err);
    rc = rc ? rc : kl_store_writer_publish(&w, NULL, &err);
    CHECK(rc == 0, "%s", err.text);
    check_read(path, 0, "");
    char named[1100], flat[1024];
    snprintf(named, sizeof named, "%s:/images", path);
    check_read(named, 0, "");
    snprintf(named, sizeof named, "%s:labels", path);
    check_read(named, KL_EDATA, "expected uint8");
    snprintf(named, sizeof named, "%s:nothing", path);
    check_read(named, KL_EDATA, "absent");
    check_read("/nonexistent.h5", KL_ENOINPUT, "/nonexistent.h5");
    check_read(test_folder, KL_ENOINPUT, "is a folder, expected a file");
    snprintf(named, sizeof named, "%s:params/numbers", path);
    check_read(named, KL_EDATA, "dataset params/numbers: expected uint8");
    rc = kl_store_writer_open(&w, in_folder(flat, "flat.h5"), &test_header, &err);
    rc = rc ? rc : kl_store_writer_put(w, "bytes", KL_TYPE_U8, 0, 1, dims, x, &err);
    rc = rc ? rc : kl_store_writer_publish(&w, NULL, &err);
    CHECK(rc == 0, "%s", err.text);
    check_read(flat, KL_EDATA, "images");
    signal(SIGCHLD, SIG_IGN); /* its end is then not told */
    check_read(path, 0, "");
    signal(SIGCHLD, SIG_DFL);
}

/* Bits of a file without seal flipped: any answer but a crash or a wait beyond the limit. */
static void mutate(const char *sealed)
{
    char path[1024];
    struct kl_error err;
    struct stat s;
    FILE *f = fopen(sealed, "rb");
    if (!f || fstat(fileno(f), &s)) {
        CHECK(0, "%s", sealed);
        return;
    }
    size_t n = (size_t)s.st_size - 48; /* what is left is an ordinary HDF5 file */
    char *bytes = malloc(n);
    CHECK(fread(bytes, 1, n, f) == n, "read");
    fclose(f);
    in_folder(path, "mutant.h5");
    int fd = open(path, O_RDWR | O_CREAT, 0666), good = 0, refused = 0;
    CHECK(pwrite(fd, bytes, n, 0) == (ssize_t)n, "write");
    check_read(path, 0, "");
    srand(5);
    double longest = 0;
    for (int i = 0; i < 300; i++) {
        struct kl_foreign f;
        size_t at[4];
        for (int k = 0; k < 4; k++) {
            at[k] = (size_t)rand() % (n < 4000 ? n : 4000);
            char byte = (char)rand();
            CHECK(pwrite(fd, &byte, 1, (off_t)at[k]) == 1, "write");
        }
        double start = kl_clock();
        int rc = kl_store_foreign_read(&f, path, "none", &err);
        double took = kl_clock() - start;
        longest = took > longest ? took : longest;
        CHECK(rc == 0 || rc == KL_EDATA, "%d %s", rc, err.text);
        good += rc == 0;
        refused += rc != 0;
        kl_store_foreign_free(&f);
        for (int k = 0; k < 4; k++) CHECK(pwrite(fd, bytes + at[k], 1, (off_t)at[k]) == 1, "write");
    }
    CHECK(longest < 8, "one took %.1f s", longest);
    printf("of 300 mutants %d were read, %d refused, longest %.2f s\n", good, refused, longest);
    close(fd);
    free(bytes);
}

static void check_flip(const char *path)
{
    char byte = 0;
    int fd = open(path, O_RDWR);
    off_t at = -1;
    for (off_t i = 0; at < 0 && pread(fd, &byte, 1, i) == 1; i++) { /* 0 7 14 21 ...: the first pixels */
        unsigned char run[4];
        if (pread(fd, run, 4, i) == 4 && run[0] == 0 && run[1] == 7 && run[2] == 14 && run[3] == 21)
            at = i;
    }
    CHECK(at > 0 && pwrite(fd, "\1", 1, at) == 1, "no pixels found");
    close(fd);
    check_read(path, KL_EDATA, "damaged");
}

static void check_h5py(void)
{
    char path[1024], command[4096];
    const char *python = getenv("KETLINE_PYTHON") ? getenv("KETLINE_PYTHON") : "python3";
    snprintf(command, sizeof command, "'%s' -c 'import h5py' 2>/dev/null", python);
    if (system(command)) {
        fprintf(stderr, "skipped: h5py is not here\n");
        return;
    }
    in_folder(path, "py.h5");
    snprintf(
        command, sizeof command,
        "'%s' -c 'import h5py, numpy as n, sys\nf = h5py.File(sys.argv[1], \"w\")\n"
        "x = ((n.arange(1680) * 7) %% 251).astype(\"u1\").reshape(30, 8, 7)\n"
        "f.create_dataset(\"pictures\", data=x, chunks=(7, 8, 7), compression=\"gzip\", shuffle=True)\n"
        "f[\"y\"] = n.arange(30) %% 10\nf[\"text\"] = \"hello\"\n"
        "f[\"away\"] = h5py.ExternalLink(\"/etc/passwd\", \"/x\")\n"
        "f.create_dataset(\"bomb\", shape=(60000, 3000, 3000), dtype=\"u1\", chunks=(1, 3000, 3000))\n"
        "f.create_dataset(\"floats\", data=n.zeros((4, 4, 4)))' '%s'",
        python, path);
    CHECK(system(command) == 0, "h5py");
    char named[1100];
    snprintf(named, sizeof named, "%s:pictures", path);
    check_read(named, 0, "");
    check_read(path, KL_EDATA, "name one");
    static const char *const refused[][2] = { { "bomb", "beyond reason" },
                                              { "floats", "expected uint8" },
                                              { "text", "expected uint8" },
                                              { "away", "of another file, '/etc/passwd'" } };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(named, sizeof named, "%s:%s", path, refused[i][0]);
        check_read(named, KL_EDATA, refused[i][1]);
    }
}

int main(void)
{
    char path[1024];
    make_test_folder();
    check_ours(path);
    mutate(path);
    check_flip(path);
    check_h5py();
    return failures != 0;
}
