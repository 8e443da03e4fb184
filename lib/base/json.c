/* SPDX-License-Identifier: MIT
   Parsing and making JSON values, with "no memory" told from "damaged". */
#include "base/base.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* jansson's parser (2.14) does not survive every refusal of memory: where the buffer of a word cannot
   grow it drops a character and goes on, writes past a block or stops at an assertion. So it parses in
   an arena, never hears of a refusal, and what it has made is copied. */
struct parse {
    struct kl_arena arena;
    jmp_buf refused;
};
static _Thread_local struct parse *parse; /* NULL: nothing is parsed */

static void *take(size_t n)
{
    if (!parse) return malloc(n);
    void *block = kl_arena_take(&parse->arena, 1, n);
    if (!block) longjmp(parse->refused, 1);
    return block;
}

static void give(void *block)
{
    if (!parse) free(block);
}

static void be_asked(void)
{
    json_set_alloc_funcs(take, give);
}

/* In the arena of `parse`. */
static json_t *load(bool *refused, const void *text, size_t n, json_error_t *problem)
{
    *refused = setjmp(parse->refused) != 0;
    return *refused ? NULL : json_loadb(text, n, JSON_REJECT_DUPLICATES, problem);
}

int kl_json_parse(json_t **value, const char *text, const char *what, struct kl_error *err)
{
    return kl_json_parse_bytes(value, text, strlen(text), what, err);
}

int kl_json_parse_bytes(json_t **value, const void *text, size_t n, const char *what,
                        struct kl_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    json_error_t problem;
    pthread_once(&once, be_asked);
    struct parse own;
    bool refused;
    *value = NULL;
    int code = kl_arena_init(&own.arena, n, err);
    if (code) return code;
    parse = &own;
    const json_t *found = load(&refused, text, n, &problem);
    parse = NULL;
    if (found) *value = json_deep_copy(found);
    kl_arena_free(&own.arena);
    if (*value) return KL_OK;
    if (refused || found) return kl_fail_memory(err, n);
    return kl_fail(err, KL_EDATA, "%s: not JSON: %s", what, problem.text);
}

/* Each byte beyond ASCII as the character of that number in Latin-1, so that other bytes stay another
   text. */
static char *from_latin1(const char *text)
{
    char *utf8 = malloc(2 * strlen(text) + 1), *to = utf8;
    if (!utf8) return NULL;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < 128) {
            *to++ = (char)*c;
            continue;
        }
        *to++ = (char)(0xc0 | *c >> 6);
        *to++ = (char)(0x80 | (*c & 0x3f));
    }
    *to = '\0';
    return utf8;
}

int kl_json_string(json_t **value, const char *text, struct kl_error *err)
{
    errno = 0;
    *value = json_string(text);
    char *copy = *value || errno == ENOMEM ? NULL : from_latin1(text);
    if (copy) *value = json_string(copy);
    free(copy);
    return *value ? KL_OK : kl_fail_memory(err, strlen(text));
}

/* In one block of the right size: json_dumps (jansson 2.14) forgets to look whether its buffer could
   grow at a name. */
int kl_json_dump_as(char **text, const json_t *value, size_t flags, struct kl_error *err)
{
    size_t n = json_dumpb(value, NULL, 0, flags);
    *text = n ? malloc(n + 1) : NULL;
    if (*text && json_dumpb(value, *text, n, flags) != n) {
        free(*text);
        *text = NULL;
    }
    if (!*text) return kl_fail_memory(err, n + 1);
    (*text)[n] = 0;
    return KL_OK;
}

int kl_json_dump(char **text, const json_t *value, struct kl_error *err)
{
    return kl_json_dump_as(text, value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY, err);
}

/* Lines, each ended by a newline. NULL: none. */
static int array_of_lines(json_t **value, const char *lines, struct kl_error *err)
{
    int code = (*value = json_array()) ? KL_OK : kl_fail_memory(err, 64);
    for (const char *line = lines ? lines : ""; *line && !code;) {
        const size_t n = strcspn(line, "\n");
        char *own = strndup(line, n);
        json_t *text = NULL;
        code = own ? kl_json_string(&text, own, err) : kl_fail_memory(err, n);
        if (!code && json_array_append_new(*value, text)) code = kl_fail_memory(err, n);
        free(own);
        line += n + (line[n] == '\n');
    }
    return code;
}

int kl_json_lines(json_t **value, const char *lines, struct kl_error *err)
{
    const int code = array_of_lines(value, lines, err);
    if (!code) return code;
    json_decref(*value);
    *value = NULL;
    return code;
}

/* A number in as few digits as give it back. */
static int dump_value(char **text, const json_t *value, struct kl_error *err)
{
    enum { LEAST = 6, MOST = 17 };
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
    if (!json_is_real(value)) return kl_json_dump_as(text, value, flags, err);
    for (size_t digits = LEAST;; digits++) {
        const int code = kl_json_dump_as(text, value, flags | JSON_REAL_PRECISION(digits), err);
        if (code || digits == MOST || strtod(*text, NULL) == json_real_value(value)) return code;
        free(*text);
    }
}

static int value_of(json_t **value, const struct kl_json_pair *pair, struct kl_error *err)
{
    const double number = pair->number;
    switch (pair->type) {
    case KL_JSON_TEXT:
        if (pair->text) return kl_json_string(value, pair->text, err);
        *value = json_null();
        break;
    case KL_JSON_LINES: return kl_json_lines(value, pair->text, err);
    case KL_JSON_COUNT: *value = json_integer((json_int_t)number); break;
    case KL_JSON_BOOL: *value = json_boolean(number != 0); break;
    default: *value = isfinite(number) ? json_real(number) : json_null();
    }
    return *value ? KL_OK : kl_fail_memory(err, 64);
}

int kl_json_members(char **text, const json_t *object, struct kl_error *err)
{
    size_t size;
    const char *name;
    json_t *value;
    FILE *all = open_memstream(text, &size);
    int code = all ? KL_OK : kl_fail_memory(err, 64);
    bool first = true;
    json_object_foreach((json_t *)object, name, value)
    {
        char *one = NULL;
        if (!code) code = dump_value(&one, value, err);
        if (!code) fprintf(all, "%c\"%s\":%s", first ? '{' : ',', name, one);
        first = false;
        free(one);
    }
    if (all) fputs(first ? "{}" : "}", all);
    const bool whole = all && !ferror(all);
    if (all && (fclose(all) != 0 || !whole) && !code) code = kl_fail_memory(err, 64);
    return code;
}

int kl_json_line(FILE *to, const struct kl_json_pair *pairs, size_t n, struct kl_error *err)
{
    char *line = NULL;
    size_t size;
    FILE *all = open_memstream(&line, &size);
    int code = all ? KL_OK : kl_fail_memory(err, 64);
    for (size_t i = 0; i < n && !code; i++) {
        json_t *value = NULL;
        char *text = NULL;
        const char *raw = pairs[i].text ? pairs[i].text : "null";
        if (pairs[i].type != KL_JSON_RAW) {
            code = value_of(&value, &pairs[i], err);
            if (!code) code = dump_value(&text, value, err);
            raw = text;
        }
        if (!code) fprintf(all, "%c\"%s\":%s", i ? ',' : '{', pairs[i].name, raw);
        free(text);
        json_decref(value);
    }
    const bool whole = all && !ferror(all);
    if (all && (fclose(all) != 0 || !whole) && !code) code = kl_fail_memory(err, 64);
    if (!code) fprintf(to, "%s}\n", line);
    free(line);
    return code;
}
