/* SPDX-License-Identifier: MIT
   Any bytes as JSON. What is read can be written and read again, and then is the same text; it does not
   differ from itself as a key. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 20;

static void check_again(const json_t *value)
{
    struct kl_error err = { 0 };
    char *first, *second, *difference;
    json_t *again;
    need(kl_json_dump(&first, value, &err) == 0, "cannot be written", err.text);
    need(kl_json_parse(&again, first, "again", &err) == 0, err.text, first);
    need(kl_json_dump(&second, again, &err) == 0, "cannot be written again", err.text);
    need(strcmp(first, second) == 0, "another text", second);
    need(kl_store_key_diff(&difference, first, second, &err) == 0, "no key", err.text);
    need(!*difference, "differs from itself", difference);
    json_decref(again);
    free(first);
    free(second);
    free(difference);
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 };
    json_t *value;
    const int code = kl_json_parse_bytes(&value, data, n, "x", &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    else check_again(value);
    json_decref(value);
    return code == 0;
}
