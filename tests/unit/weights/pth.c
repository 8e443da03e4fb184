/* SPDX-License-Identifier: MIT
   The .pth reader: a small archive as torch.save writes it, then the same with every trick that has
   fooled other readers: pickles that call os.system, CVE-2025-32434 (calls by other opcodes) and
   CVE-2026-24747 (items set on what is no dictionary, storages that are longer than their data), flag
   bits, headers that contradict the directory, duplicates, gaps, overlaps. */
#include <time.h>
#include <zlib.h>

#include "weights_test.h"
#include "tests/unit/test_folder.h"
#include "weights/weights_int.h"

/* Faults of the member that they are given to. */
struct trick {
    int member;                          /* which; -1: none */
    unsigned flags_local, flags_central; /* xor */
    unsigned method_local, method_central;
    int crc, size_local, size_central, size_after, offset, gap;
    const char *name_local;
    bool zip64_lies, comment, trailing, extra, central_extra, count;
};
static const struct trick none = { .member = -1 };

static unsigned char file[1 << 16];
static size_t length;

static void number(uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) file[length++] = i < 8 ? (unsigned char)(x >> (8 * i)) : 0;
}

static void bytes(const void *data, size_t n)
{
    memcpy(file + length, data, n);
    length += n;
}

struct member {
    const char *name;
    const void *data;
    size_t n;
};

static void local_header(const struct member *m, const struct trick *t)
{
    const char *name = t->name_local ? t->name_local : m->name;
    number(0x04034b50, 4);
    number(0, 2);
    number(0x808 ^ t->flags_local, 2);
    number(t->method_local, 2);
    number(0, 4 + 4); /* time, CRC */
    number((uint32_t)t->size_local, 4);
    number((uint32_t)t->size_local, 4);
    number(strlen(name), 2);
    number(6, 2);
    bytes(name, strlen(name));
    bytes(t->extra ? "\1\0\2\0ZZ" : "FB\2\0ZZ", 6);
    bytes(m->data, m->n);
    number(0x08074b50, 4);
    number(crc32(0, m->data, (unsigned)m->n), 4);
    number(m->n + (unsigned)t->size_after, 4);
    number(m->n + (unsigned)t->size_after, 4);
}

static void central_entry(const struct member *m, size_t at, const struct trick *t)
{
    number(0x02014b50, 4);
    number(0, 4);
    number(0x808 ^ t->flags_central, 2);
    number(t->method_central, 2);
    number(0, 4);
    number(crc32(0, m->data, (unsigned)m->n) + (unsigned)t->crc, 4);
    number(m->n + (unsigned)t->size_central, 4);
    number(m->n + (unsigned)t->size_central, 4);
    number(strlen(m->name), 2);
    number(t->central_extra ? 4 : 0, 2);
    number(0, 2 + 2 + 2 + 4);
    number(at + (unsigned)t->offset, 4);
    bytes(m->name, strlen(m->name));
    if (t->central_extra) bytes("\1\0\0\0", 4);
}

static void make(const struct member *members, int n, const struct trick *t)
{
    size_t at[16];
    length = 0;
    for (int i = 0; i < n; i++) {
        if (i == t->member) length += (size_t)t->gap;
        at[i] = length;
        local_header(&members[i], i == t->member ? t : &none);
    }
    const size_t directory = length;
    for (int i = 0; i < n; i++) central_entry(&members[i], at[i], i == t->member ? t : &none);
    const size_t size = length - directory, end64 = length;
    number(0x06064b50, 4);
    number(44, 8);
    number(0x002d031e, 4);
    number(0, 8);
    number((uint64_t)n, 8);
    number((uint64_t)n, 8);
    number(size, 8);
    number(directory + t->zip64_lies, 8);
    number(0x07064b50, 4);
    number(0, 4);
    number(end64, 8);
    number(1, 4);
    number(0x06054b50, 4);
    number(0, 4);
    number((uint64_t)(n + t->count), 2);
    number((uint64_t)(n + t->count), 2);
    number(size, 4);
    number(directory, 4);
    number(t->comment, 2);
    if (t->comment || t->trailing) number('x', 1);
}

/* A pickle in pieces; S: text with its length, as BINUNICODE wants it. */
#define S(n, text) "X" n "\0\0\0" text
#define STORAGE(elements) \
    "(" S("\7", "storage") "ctorch\nFloatStorage\n" S("\1", "0") S("\3", "cpu") "K" elements "tQ"
#define TENSOR(storage, offset, size, stride)                                              \
    "ctorch._utils\n_rebuild_tensor_v2\n(" storage "K" offset "(" size "t(" stride "t\x89" \
    "ccollections\nOrderedDict\n)RtR"
#define DICT(items) \
    "\x80\2"        \
    "ccollections\nOrderedDict\nq\0)Rq\1(" items "u."
#define SOUND DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0", "K\2K\3", "K\1K\2"))

static const float six[6] = { 1, 2, 3, 4, 5, 6 };

static struct member members[8] = { { "a/data.pkl", NULL, 0 },
                                    { "a/byteorder", "little", 6 },
                                    { "a/data/0", six, sizeof six },
                                    { "a/version", "3\n", 2 } };

static void make_pickle(const void *pickle, size_t n)
{
    members[0].data = pickle;
    members[0].n = n;
    make(members, 4, &none);
}

static void sound(void)
{
    struct kl_weights *w = NULL;
    struct kl_error err;
    static const float want[] = { 1, 3, 5, 2, 4, 6 }; /* strides (1, 2): column-major */
    make_pickle(SOUND, sizeof SOUND - 1);
    CHECK(parse(&w, kl_weights_pth_parse, file, length, &err) == 0, "%s", err.text);
    const struct kl_weight *t = kl_weights_find(w, "w");
    CHECK(t && t->rank == 2 && t->dims[0] == 2 && t->dims[1] == 3, "shape");
    CHECK(t && memcmp(t->data, want, sizeof want) == 0, "values");
    kl_weights_free(&w);
    const size_t n = length;
    for (size_t cut = 0; cut < n; cut++)
        CHECK(refused(kl_weights_pth_parse, file, cut, &err), "cut at %zu: %s", cut, err.text);
    for (size_t bit = 0; bit < 8 * n;
         bit++) { /* only version bytes, times, attributes and padding have no second copy */
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        const int rc = parse(&w, kl_weights_pth_parse, file, n, &err);
        CHECK(rc == KL_EDATA ||
                  (rc == 0 && w->n == 1 && memcmp(w->tensors[0].data, want, sizeof want) == 0),
              "bit %zu: %d %s", bit, rc, err.text);
        kl_weights_free(&w);
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

static void archives(void)
{
    static const struct trick tricks[] = {
        { .member = 0, .flags_local = 1, .flags_central = 1 }, /* encrypted, by both, by one of them */
        { .member = 0, .flags_local = 1 },
        { .member = 0, .flags_central = 1 },
        { .member = 2, .flags_local = 0x20, .flags_central = 0x20 },
        { .member = 2, .flags_local = 0x40, .flags_central = 0x40 },
        { .member = 2, .flags_central = 0x20 },
        { .member = 1, .flags_local = 8, .flags_central = 8 },
        { .member = 0, .method_local = 8, .method_central = 8 },
        { .member = 0, .method_local = 8 },
        { .member = 0, .method_central = 8 },
        { .member = 2, .crc = 1 },
        { .member = 2, .size_local = 3 },
        { .member = 2, .size_central = 4 },
        { .member = 2, .size_central = -4 },
        { .member = 2, .size_central = 1 << 30 },
        { .member = 2, .size_after = 1 },
        { .member = 1, .offset = 4 },
        { .member = 1, .offset = -60 },
        { .member = 0, .gap = 8 },
        { .member = 2, .gap = 8 },
        { .member = 0, .name_local = "b/data.pkl" },
        { .member = 0, .name_local = "a/data.pklx" },
        { .member = -1, .zip64_lies = true },
        { .member = -1, .comment = true },
        { .member = -1, .trailing = true },
        { .member = 1, .extra = true },
        { .member = 1, .central_extra = true },
        { .member = -1, .count = true }
    };
    struct kl_error err;
    members[0].data = SOUND;
    members[0].n = sizeof SOUND - 1;
    for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
        make(members, 4, &tricks[i]);
        CHECK(refused(kl_weights_pth_parse, file, length, &err), "trick %zu: %s", i, err.text);
    }
    static const char *const names[] = { "a/data.pkl", "a/data/0",  "a/../x",      "/etc/passwd",
                                         "a\\b",       "b/version", "a/code/x.py", "a/constants.pkl",
                                         "a/",         "" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        members[4] = (struct member){ names[i], "x", 1 };
        make(members, 5, &none);
        CHECK(refused(kl_weights_pth_parse, file, length, &err), "a further member %s: %s", names[i],
              err.text);
    }
    members[1].data = "big";
    members[1].n = 3;
    make(members, 4, &none);
    CHECK(refused(kl_weights_pth_parse, file, length, &err), "byte order");
    members[1] = (struct member){ "a/byteorder", "little", 6 };
    make(members, 2, &none);
    CHECK(refused(kl_weights_pth_parse, file, length, &err), "no storage");
}

#define P(text)               \
    {                         \
        text, sizeof text - 1 \
    }
static const struct {
    const char *text;
    size_t n;
} evil[] = {
    P("\x80\2"
      "cos\nsystem\n" S("\x0c", "touch /tmp/x") "\x85R."), /* the classic */
    P("cposix\nsystem\n(S'id'\ntR."),
    P("\x80\2"
      "c__builtin__\neval\n" S("\1", "1") "\x85R."),
    P("\x80\4\x8c\2os\x8c\6system\x93\x8c\2id\x85R."),                     /* STACK_GLOBAL */
    P("\x80\2(S'id'\nios\nsystem\n."), P("\x80\2(cos\nsystem\nS'id'\no."), /* INST, OBJ */
    P("\x80\2"
      "ccollections\nOrderedDict\n)\x81."), /* NEWOBJ */
    P("\x80\2"
      "ccollections\nOrderedDict\n(K\1tR."),
    P("\x80\2"
      "ctorch\nload\n)R."),
    P("\x80\2"
      "ccollections\nCounter\n)R."),
    P("\x80\2"
      "ctorch._utils\n_rebuild_sparse_tensor\n)R."),
    P("\x80\2"
      "ctorch.storage\n_load_from_bytes\n)R."),
    P("\x80\2"
      "ctorch\nFloatStorage\n)R."),
    P("\x80\2K\1(K\1K\2u."), P("\x80\2)(K\1K\2u."),
    P("\x80\2"
      "K\1K\2K\3s."), /* items on what is no dictionary */
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0", "K\2K\3", "K\1K\2")) "x"), /* after the end */
    P(DICT(S("\1", "w") TENSOR(STORAGE("\7"), "\0", "K\2", "K\1"))),           /* longer than its data */
    P(DICT(S("\1", "w") TENSOR(STORAGE("\5"), "\0", "K\2", "K\1"))),           /* shorter */
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0", "K\2K\4", "K\3K\1"))),     /* reaches beyond */
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\5", "K\2", "K\1"))),
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0", "K\2", "J\xff\xff\xff\xff"))), /* negative stride */
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0", "K\7", "K\0"))), /* more elements than storage */
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0",
                               "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"
                               "K\2",
                               "K\2K\1"))),
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0", "K\1K\1K\1K\1K\1", "K\1K\1K\1K\1K\1"))),
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0", "K\2", "K\1K\1"))),
    P(DICT(S("\1", "w") TENSOR("K\6", "\0", "K\2", "K\1"))), /* a number as storage */
    P(DICT(S("\1", "w") "ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE(
        "\6") "K\0K\6K\1\x85\x89"
              "ccollections\nOrderedDict\n)RtR")), /* a size that is no tuple */
    P(DICT(S("\1", "w") "K\1")), P(DICT("K\1" TENSOR(STORAGE("\6"), "\0", "K\2", "K\1"))),
    P(DICT(S("\1", "w"))), P("\x80\2."), P("\x80\2K\1."), P("\x80\2}}."), P("\x80\2(."), P("\x80\2t."),
    P("\x80\2u."), P("\x80\2h\1."), P("\x80\2q\1."), P("\x80\2r\xff\xff\xff\xff."),
    P("\x80\2}r\xff\xff\xff\x7f."),
    P("\x80\2X\xff\xff\xff\xff"
      "a."),
    P("\x80\2\x8a\x09"
      "123456789."),
    P("\x80\3}."), P("}."), P(""),
    P("\x80\2(" S("\7", "storage") "ctorch\nFloatStorage\n" S("\4", "../0") S("\3", "cpu") "K\6tQ."),
    P("\x80\2(" S("\6", "module") "ctorch\nFloatStorage\n" S("\1", "0") S("\3", "cpu") "K\6tQ."),
    /* a name twice */
    P(DICT(S("\1", "w") TENSOR(STORAGE("\6"), "\0", "K\2", "K\1") S("\1", "w")
               TENSOR(STORAGE("\6"), "\0", "K\2", "K\1")))
};

static void refused_pickles(void)
{
    struct kl_error err;
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
        make_pickle(evil[i].text, evil[i].n);
        CHECK(refused(kl_weights_pth_parse, file, length, &err), "pickle %zu: %s", i, err.text);
        CHECK(!strstr(err.text, "archive is refused"), "pickle %zu should get as far as the pickle: %s",
              i, err.text);
    }
}

static void sound_parameter(void)
{
    struct kl_error err;
    static const char param[] = DICT(S("\1", "w") "ctorch._utils\n_rebuild_parameter\n" TENSOR(
        STORAGE("\6"), "\0", "K\2", "K\1") "\x88"
                                           "ccollections\nOrderedDict\n)R\x87R");
    make_pickle(param, sizeof param - 1);
    CHECK(parse_only(kl_weights_pth_parse, file, length, &err) == 0, "a parameter: %s", err.text);
}

/* Each byte of the pickle replaced, with a true CRC. */
static void every_byte(void)
{
    struct kl_error err;
    for (size_t i = 0; i < sizeof SOUND - 1; i++) {
        char copy[sizeof SOUND];
        for (int x = 0; x < 256; x++) {
            memcpy(copy, SOUND, sizeof copy);
            copy[i] = (char)x;
            make_pickle(copy, sizeof copy - 1);
            const int rc = parse_only(kl_weights_pth_parse, file, length, &err);
            CHECK(rc == 0 || rc == KL_EDATA, "byte %zu as %d: %d %s", i, x, rc, err.text);
        }
    }
}

static int run(const struct kl_zip *zip, const char *pickle, size_t n, struct kl_error *err)
{
    const struct kl_bytes f = { .path = "x.bin" };
    struct kl_pickle m = { .file = &f, .err = err, .zip = zip, .prefix = "a/" };
    m.at = (const unsigned char *)pickle;
    m.end = m.at + n;
    const int code = kl_weights_pickle_run(&m);
    kl_weights_pickle_free(&m);
    return code;
}

/* As many members as an archive may have, the last of them asked for as often as a pickle can: who looks
   through the list each time takes 2.6 s over 1 MB. Then more values than may be, and a stack that is
   too deep. */
static void large(void)
{
    enum { MEMBERS = 20000, ASKED = 60000 };
    static const char head[] = "\x80\2" S("\7", "storage") "q\0ctorch\nFloatStorage\nq\1" S(
        "\5", "19999") "q\2" S("\3", "cpu") "q\3K\1q\4";
    static const char one[13] = "(h\0h\1h\2h\3h\4tQ";
    struct kl_zip zip = { .members = calloc(MEMBERS, sizeof *zip.members),
                          .sorted = calloc(MEMBERS, sizeof *zip.sorted),
                          .n = MEMBERS };
    struct kl_error err = { 0 };
    char name[24], *pickle = malloc(sizeof head + ASKED * sizeof one), *to = pickle;
    for (int i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, "a/data/%05d", i);
        zip.members[i] =
            (struct kl_zip_member){ .name = strdup(name), .data = (const void *)six, .n = 4 };
        zip.sorted[i] = &zip.members[i];
    }
    to = mempcpy(to, head, sizeof head - 1);
    for (int i = 0; i < ASKED; i++) to = mempcpy(to, one, sizeof one);
    *to++ = '.';
    const clock_t start = clock();
    CHECK(run(&zip, pickle, (size_t)(to - pickle), &err) == 0, "%s", err.text);
    CHECK(clock() - start < 2 * CLOCKS_PER_SEC, "%g s", (double)(clock() - start) / CLOCKS_PER_SEC);
    to = pickle + 2;
    for (int i = 0; i < 40000; i++) to = mempcpy(to, "(NNNNt", 6);
    CHECK(run(&zip, pickle, (size_t)(to - pickle), &err) == KL_EDATA &&
              strstr(err.text, "too many values"),
          "%s", err.text);
    memset(pickle + 2, '(', 100001);
    CHECK(run(&zip, pickle, 100003, &err) == KL_EDATA && strstr(err.text, "too deep"), "%s", err.text);
    kl_weights_zip_close(&zip);
    free(pickle);
}

/* The files of the default weights: the two formats hold the same values; a name with another digest is
   refused. */
static void real_ones(const char *shared)
{
    char pth[512], safe[512], wrong[1024];
    struct kl_weights *a = NULL, *b = NULL;
    struct kl_error err = { 0 };
    snprintf(pth, sizeof pth, "%s/weights/resnet18_gray28-10ad2fe8.pth", shared);
    snprintf(safe, sizeof safe, "%s/weights/resnet18-gray28-f16.safetensors", shared);
    if (access(pth, R_OK) != 0 || access(safe, R_OK) != 0) {
        printf("skipped: %s is not there\n", pth);
        return;
    }
    CHECK(kl_weights_read(&a, pth, &err) == 0 && kl_weights_read(&b, safe, &err) == 0, "%s", err.text);
    CHECK(a && b && a->n == 122 && b->n == 122, "122 tensors");
    CHECK(a && strncmp(a->sha256, "10ad2fe8", 8) == 0, "digest");
    for (size_t i = 0; a && b && i < a->n; i++) {
        const struct kl_weight *t = &a->tensors[i], *u = kl_weights_find(b, t->name);
        CHECK(u && u->n == t->n && memcmp(u->data, t->data, 4 * t->n) == 0, "%s", t->name);
    }
    kl_weights_free(&a);
    kl_weights_free(&b);
    make_test_folder();
    char *full = realpath(pth, NULL);
    CHECK(full && symlink(full, in_folder(wrong, "net-01234567.pth")) == 0, "%s", wrong);
    free(full);
    CHECK(kl_weights_read_named(&a, wrong, &err) == KL_EDATA && strstr(err.text, "01234567"), "%s",
          err.text);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED") ? getenv("KETLINE_SHARED") : "../shared";
    sound();
    archives();
    refused_pickles();
    sound_parameter();
    every_byte();
    large();
    real_ones(shared);
    return failures != 0;
}
