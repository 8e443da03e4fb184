/* SPDX-License-Identifier: MIT
   Any bytes as a YAML file of options. Values that are taken lie within the table's bounds; as
   --print-config writes them, they are read again, to the same values. */
#include <stdio.h>

#include "tests/fuzz/frame/tool.h"

const int fuzz_corpus = 30;

static void check_again(const struct values *v)
{
    struct values asked = *v, again = tool_defaults;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    char *text = NULL;
    size_t n;
    asked.common.print_config = true;
    FILE *to = open_memstream(&text, &n);
    need(to && kl_options_answer(&tool, &asked, to) && fclose(to) == 0, "cannot be printed", "");
    fuzz_file_make(&file, text, n);
    need(kl_config_read(&tool, &again, file.path, &err) == 0, err.text, text);
    char *first = kl_options_json(&tool, v, false), *second = kl_options_json(&tool, &again, false);
    need(first && second && strcmp(first, second) == 0, "other values when read again", text);
    fuzz_file_free(&file);
    free(first);
    free(second);
    free(text);
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct values v = tool_defaults;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    fuzz_file_make(&file, data, n);
    const int code = kl_config_read(&tool, &v, file.path, &err);
    fuzz_file_free(&file);
    if (code) need_refusal(code, KL_EDATA, KL_EUSAGE, &err);
    need_bounds(&v);
    if (!code) check_again(&v);
    return code == 0;
}
