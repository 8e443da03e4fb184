/* SPDX-License-Identifier: MIT
   What the tests of the weights' readers share. */
#ifndef KL_WEIGHTS_TEST_H
#define KL_WEIGHTS_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weights/weights_int.h"
#include "tests/unit/check.h"

typedef int parser(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err);

/* Parse a copy that ends where its allocation ends, so that a sanitizer sees a read beyond. */
static inline int parse(struct kl_weights **weights, parser *parser, const void *data, size_t n,
                        struct kl_error *err)
{
    unsigned char *copy = malloc(n ? n : 1);
    struct kl_bytes file = { copy, n, "x.bin" };
    *err = (struct kl_error){ 0 };
    *weights = calloc(1, sizeof **weights);
    memcpy(copy, data, n);
    const int rc = parser(*weights, &file, err);
    free(copy);
    return rc;
}

static inline int parse_only(parser *parser, const void *data, size_t n, struct kl_error *err)
{
    struct kl_weights *w = NULL;
    const int rc = parse(&w, parser, data, n, err);
    kl_weights_free(&w);
    return rc;
}

/* One line that names the file. */
static inline bool refused(parser *parser, const void *data, size_t n, struct kl_error *err)
{
    return parse_only(parser, data, n, err) == KL_EDATA && !strchr(err->text, '\n') &&
           strncmp(err->text, "x.bin: ", 7) == 0;
}

#endif
