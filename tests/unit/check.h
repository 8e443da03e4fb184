/* SPDX-License-Identifier: MIT
   CHECK(condition) or CHECK(condition, format, ...): a line on standard error and a count when it fails; main
   returns `failures != 0`. */
#ifndef KL_CHECK_H
#define KL_CHECK_H

#include <stdio.h>

static int failures;

#define CHECK(condition, ...)                                              \
    do {                                                                   \
        if (!(condition)) {                                                \
            fprintf(stderr, "%s:%d: %s:", __FILE__, __LINE__, #condition); \
            fprintf(stderr, " " __VA_ARGS__);                              \
            fputc('\n', stderr);                                           \
            failures++;                                                    \
        }                                                                  \
    } while (0)

#endif
