/* SPDX-License-Identifier: MIT
   A function under every fault: the n-th call fails, once and for ever, for every n; then it is
   interrupted wherever that can be. */
#ifndef KL_TESTS_EACH_H
#define KL_TESTS_EACH_H

#include <string.h>

#include "base/base.h"
#include "faults.h"
#include "tests/unit/check.h"

/* 0 only if what it did is right; else a code and words. */
typedef int each_run(struct kl_error *err);

/* A failure is one of two codes, in one line; without a fault it succeeds, and there is such a call at
 * all. */
static inline void check_each(const char *what, each_run *run, int kind, int code, int other)
{
    for (int forever = 0; forever < 2; forever++)
        for (long n = 1;; n++) {
            struct kl_error err = { 0 };
            faults_arm(kind, n, forever);
            const int found = run(&err);
            const bool fired = faults_disarm();
            CHECK(found == 0 || (fired && (found == code || found == other)), "%s, %d, %ld: %d %s", what,
                  kind, n, found, err.text);
            CHECK(found == 0 || (err.text[0] && !strchr(err.text, '\n')), "%s, %d, %ld: %s", what, kind,
                  n, err.text);
            CHECK(fired || n > 1, "%s: no call of kind %d", what, kind);
            if (fired && n < 20000 && failures < 20) continue;
            CHECK(found == 0, "%s, %d, no fault: %d %s", what, kind, found, err.text);
            printf("%s: kind %d: %ld places\n", what, kind, n - 1);
            break;
        }
}

static inline void check_interrupted(const char *what, each_run *run)
{
    struct kl_error err = { 0 };
    faults_arm(FAULT_INTERRUPTED, 0, false);
    const int found = run(&err);
    CHECK(faults_disarm(), "%s: nothing was interrupted", what);
    CHECK(found == 0, "%s, interrupted: %d %s", what, found, err.text);
}

#endif
