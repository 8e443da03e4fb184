/* SPDX-License-Identifier: MIT
   The safetensors reader: values of each type, then what an attacker would write. */
#include "weights_test.h"

static size_t make(unsigned char *file, const char *header, const void *data, size_t n)
{
    const size_t length = strlen(header);
    memset(file, 0, 8);
    for (int i = 0; i < 4; i++) file[i] = (unsigned char)(length >> (8 * i));
    memcpy(file + 8, header, length);
    memcpy(file + 8 + length, data, n);
    return 8 + length + n;
}

static void values(void)
{
    static const char header[] =
        "{\"__metadata__\":{\"a\":\"b\"},\"h\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]},"
        "\"b\":{\"dtype\":\"BF16\",\"shape\":[1,2],\"data_offsets\":[4,8]},"
        "\"l\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[8,16]},"
        "\"f\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[16,20]},\"e\":{\"dtype\":\"F32\","
        "\"shape\":"
        "[0],"
        "\"data_offsets\":[20,20]}}  ";
    static const unsigned char data[] = { 0x00, 0x3c, 0x00, 0xc0, 0x80, 0x3f, 0x20, 0xc0, 7,    0,
                                          0,    0,    0,    0,    0,    0,    0,    0,    0x28, 0x42 };
    unsigned char file[1024];
    struct kl_weights *w = NULL;
    struct kl_error err;
    const size_t n = make(file, header, data, sizeof data);
    CHECK(parse(&w, kl_weights_safetensors_parse, file, n, &err) == 0, "%s", err.text);
    const struct kl_weight *h = kl_weights_find(w, "h"), *b = kl_weights_find(w, "b"),
                           *l = kl_weights_find(w, "l");
    const struct kl_weight *f = kl_weights_find(w, "f"), *e = kl_weights_find(w, "e");
    CHECK(h && b && l && f && e && w->n == 5, "five tensors");
    if (failures) return;
    CHECK(h->data[0] == 1 && h->data[1] == -2, "F16");
    CHECK(b->data[0] == 1 && b->data[1] == -2.5f && b->rank == 2 && b->dims[1] == 2, "BF16");
    CHECK(l->data[0] == 7 && l->rank == 0 && l->n == 1 && f->data[0] == 42 && e->n == 0,
          "I64, F32, an empty one");
    kl_weights_free(&w);
    for (size_t cut = 0; cut < n; cut++)
        CHECK(refused(kl_weights_safetensors_parse, file, cut, &err), "cut at %zu: %s", cut, err.text);
    file[n] = 0;
    CHECK(refused(kl_weights_safetensors_parse, file, n + 1, &err), "a byte too many");
    for (size_t bit = 0; bit < 8 * (n - sizeof data);
         bit++) { /* any answer, but no damage (run under a sanitizer) */
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        const int rc = parse_only(kl_weights_safetensors_parse, file, n, &err);
        CHECK(rc == 0 || rc == KL_EDATA, "bit %zu: %d %s", bit, rc, err.text);
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

/* Tensors of types that are not read stand in nobody's way, unless they are asked for. */
static void others(void)
{
    static const struct {
        const char *dtype;
        int bytes; /* of two elements */
    } types[] = { { "BOOL", 2 }, { "U8", 2 },  { "I8", 2 },  { "F8_E4M3", 2 }, { "F8_E5M2", 2 },
                  { "I16", 4 },  { "U16", 4 }, { "U32", 8 }, { "U64", 16 },    { "C64", 16 } };
    unsigned char file[1024], data[20] = { 0 };
    char header[256];
    struct kl_error err;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct kl_weights *w = NULL;
        const int end = types[i].bytes;
        data[end + 2] = 0x28, data[end + 3] = 0x42; /* 42 */
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"%s\",\"shape\":[2],\"data_offsets\":[0,%d]},"
                 "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[%d,%d]}}",
                 types[i].dtype, end, end, end + 4);
        const size_t n = make(file, header, data, (size_t)end + 4);
        CHECK(parse(&w, kl_weights_safetensors_parse, file, n, &err) == 0, "%s: %s", types[i].dtype,
              err.text);
        const struct kl_weight *a = kl_weights_find(w, "a"), *b = kl_weights_find(w, "b");
        CHECK(a && a->n == 0 && strcmp(a->unread, types[i].dtype) == 0, "%s", types[i].dtype);
        CHECK(b && b->data[0] == 42 && !*b->unread, "%s", types[i].dtype);
        CHECK(a && kl_weights_check_read(w, a, &err) == KL_EDATA && strstr(err.text, "tensor a: dtype"));
        CHECK(b && kl_weights_check_read(w, b, &err) == 0);
        kl_weights_free(&w);
        memset(data, 0, sizeof data);
    }
}

static void attacks(void)
{
#define T(shape, begin, end) \
    "{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"
    static const char *const headers[] = {
        "",
        "[]",
        "{",
        "{\"a\":1}",
        "{\"a\":{}}",
        "{\"a\":" T("[2]", "0", "8") ",\"a\":" T("[2]", "0", "8") "}", /* a name twice */
        "{\"a\":" T("[1]", "0", "4") ",\"b\":" T("[2]", "0", "8") "}", /* overlap */
        "{\"a\":" T("[1]", "4", "8") "}",                              /* hole at the start */
        "{\"a\":" T("[1]", "0", "4") "}",                              /* hole at the end */
        "{\"a\":" T("[2]", "8", "0") "}",
        "{\"a\":" T("[4]", "0", "16") "}", /* backwards, beyond */
        "{\"a\":" T("[3]", "0", "8") "}",
        "{\"a\":" T("[-2]", "0", "8") "}",
        "{\"a\":" T("[2.0]", "0", "8") "}",
        "{\"a\":" T("[4294967296,4294967296]", "0", "8") "}", /* overflows */
        "{\"a\":" T("[9223372036854775807,2]", "0", "8") "}",
        "{\"a\":" T("[2305843009213693954]", "0", "8") "}",
        "{\"a\":" T("[2]", "0", "18446744073709551616") "}",
        "{\"a\":" T("[1,1,1,1,2]", "0", "8") "}",
        "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[0,8]}}",
        "{\"a\":{\"dtype\":\"F33\",\"shape\":[2],\"data_offsets\":[0,8]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"x\":1}}",
        "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
        "{\"a\":" T("[2]", "0", "8") "} x"
    };
    unsigned char file[2048], eight[8] = { 0 };
    struct kl_error err;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const size_t n = make(file, headers[i], eight, 8);
        CHECK(refused(kl_weights_safetensors_parse, file, n, &err), "header %zu: %s", i, err.text);
    }
    size_t n = make(file, "{\"a\":" T("[2]", "0", "8") "}", eight, 8);
    CHECK(parse_only(kl_weights_safetensors_parse, file, n, &err) == 0, "the same, sound: %s", err.text);
    for (int i = 3; i < 8; i++) {
        memcpy(file, eight, 8);
        file[i] = 0x7f;
        CHECK(refused(kl_weights_safetensors_parse, file, n, &err), "header length %d", i);
    }
    char *deep = malloc(200000);
    memset(deep, '[', 200000);
    memcpy(deep, "\x38\x0d\x03\0\0\0\0\0{\"a\":", 13); /* 0x30d38 = 200000 - 8 */
    CHECK(refused(kl_weights_safetensors_parse, deep, 200000, &err) && strstr(err.text, "depth"), "%s",
          err.text);
    free(deep);
}

int main(void)
{
    values();
    others();
    attacks();
    return failures != 0;
}
