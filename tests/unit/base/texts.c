/* SPDX-License-Identifier: MIT
   Texts as other programs write them: marks of byte order, UTF-16, tables parted by tabs and semicolons
   with commas in numbers; letters that macOS took apart, against Python's unicodedata
   (tests/golden/make_compositions.py). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static char path[1024];

static void put(const char *bytes, size_t n)
{
    FILE *f = fopen(in_folder(path, "text"), "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "%s", path);
}

static void check_text(const char *bytes, size_t n, const char *expected)
{
    char *text;
    size_t length;
    struct kl_error err = { 0 };
    put(bytes, n);
    const int code = kl_read_text(&text, &length, path, 100, "a text", &err);
    if (expected) CHECK(!code && length == strlen(expected) && !strcmp(text, expected), "%s", err.text);
    else CHECK(code == KL_EDATA && !text && strstr(err.text, "save it as UTF-8"), "%s", err.text);
    free(text);
}
#define TEXT(bytes, expected) check_text(bytes, sizeof bytes - 1, expected)

static void read_texts(void)
{
    TEXT("a: 1\r\n", "a: 1\r\n");
    TEXT("", "");
    TEXT("\xef\xbb\xbf"
         "a\xc3\xa9",
         "a\xc3\xa9");
    TEXT("\xef\xbb\xbf", "");
    TEXT("\xff\xfe"
         "a\0\n\0",
         "a\n");
    TEXT("\xfe\xff"
         "\0a\0\xe9",
         "a\xc3\xa9");
    TEXT("\xff\xfe\xc0\x03\x3d\xd8\x00\xde", "\xcf\x80\xf0\x9f\x98\x80"); /* pi, U+1F600 */
    TEXT("\xff\xfe"
         "a",
         NULL);
    TEXT("\xff\xfe\x3d\xd8"
         "a\0",
         NULL);
    TEXT("\xff\xfe\x00\xde", NULL);
    TEXT("\xff\xfe\x3d\xd8", NULL);
}

/* Longer than what is first made room for, and longer than allowed. */
static void read_long(void)
{
    enum { N = 300000 };
    char *bytes = malloc(N), *text;
    size_t n;
    struct kl_error err = { 0 };
    for (int i = 0; i < N; i++) bytes[i] = (char)('a' + i % 23);
    put(bytes, N);
    CHECK(!kl_read_bytes(&text, &n, path, N, "a text", &err) && n == N && !memcmp(text, bytes, N) &&
              text[N] == 0,
          "%s", err.text);
    free(text);
    CHECK(kl_read_bytes(&text, &n, path, N - 1, "a text", &err) == KL_EDATA && !text &&
              strstr(err.text, "more than 299999 bytes, expected a text"),
          "%s", err.text);
    free(bytes);
}

static void check_table(const char *text, const char *message)
{
    static const double expected[2][3] = { { 1, 0.5, -2500 }, { 2, -1.25, 3 } };
    static const char *const names[] = { "n", "beta", "a loss, raw" };
    char copy[200];
    struct kl_csv t;
    struct kl_error err = { 0 };
    bool more;
    strcpy(copy, text);
    int code = kl_csv_open(&t, "t.csv", copy, strlen(copy), 1, &err);
    if (!code) code = kl_csv_row(&t, &more, &err);
    CHECK(code || (more && t.n == 3 && !strcmp(t.fields[2], names[2])), "%s", text);
    for (size_t i = 0; i < 2 && !code; i++) {
        code = kl_csv_row(&t, &more, &err);
        CHECK(code || (more && t.n == 3 && t.line == i + 2), "%s", text);
        for (size_t k = 0; k < 3 && !code; k++) {
            double value;
            code = kl_csv_number(&value, &t, k, names[k], &err);
            CHECK(code || value == expected[i][k], "%s: %zu %zu: %g", text, i, k, value);
        }
    }
    if (message) CHECK(code == KL_EDATA && !strcmp(err.text, message), "%s: %s", text, err.text);
    else CHECK(!code && !kl_csv_row(&t, &more, &err) && !more, "%s: %s", text, err.text);
}

static void tables(void)
{
    check_table("n,beta,\"a loss, raw\"\n1,0.5,-2.5e3\n2,-1.25,3\n", NULL);
    check_table("n,beta,\"a loss, raw\"\r\n1,0.5,-2.5e3\r\n2,-1.25,3", NULL);
    check_table("n,beta,\"a loss, raw\"\r1,\"0,5\",\"-2500\"\r2,\"-1,25\",3 \r", NULL);
    check_table("n;beta;a loss, raw\r\n1;0,5;-2,5e3\r\n2;-1,25;3\r\n", NULL);
    check_table("n;beta;a loss, raw\n1;0.5;-2.5e3\n2;-1.25;3\n", NULL);
    check_table("n\tbeta\ta loss, raw\n1\t0,5\t-2500,0\n2\t-1.25\t3\n", NULL);
    check_table("n;beta;a loss, raw\n1;0,5;-2.500,0\n2;-1,25;3\n",
                "t.csv: line 2, column a loss, raw: found '-2.500,0', expected a number");
    check_table("n;beta;a loss, raw\n1;0,5;-2,500,0\n2;-1,25;3\n",
                "t.csv: line 2, column a loss, raw: found '-2,500,0', expected a number");
    check_table("n;beta;a loss, raw\n1;0,5;-2500\n2;,;3\n",
                "t.csv: line 3, column beta: found ',', expected a number");
    check_table("n;beta;a loss, raw\n1;0,5;-2500\n2;\"1\n", "t.csv: line 3: a quote without its end");
}

static void compositions(void)
{
    json_error_t why;
    json_t *all = json_load_file("tests/golden/compositions.json", 0, &why), *pair;
    size_t i;
    CHECK(json_array_size(all) == 18, "%s", why.text);
    json_array_foreach(all, i, pair)
    {
        const char *apart = json_string_value(json_array_get(pair, 0)),
                   *whole = json_string_value(json_array_get(pair, 1));
        char text[2][100];
        strcpy(text[0], apart), strcpy(text[1], whole);
        CHECK(kl_compose(text[0]) == (strcmp(apart, whole) != 0) && !kl_compose(text[1]), "%s", whole);
        CHECK(!strcmp(text[0], whole) && !strcmp(text[1], whole), "'%s', expected '%s'", text[0], whole);
    }
    json_decref(all);
    char odd[] = "e\xff\xcc\x81\xe9\xcc"; /* no UTF-8 */
    CHECK(!kl_compose(odd) && !strcmp(odd, "e\xff\xcc\x81\xe9\xcc"), "%s", odd);
}

int main(void)
{
    make_test_folder();
    read_texts();
    read_long();
    tables();
    compositions();
    return failures != 0;
}
