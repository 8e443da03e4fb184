/* SPDX-License-Identifier: MIT
   Every allocation of base fails once, or from then on: KL_ENOMEM in words, nothing lost, no half-made
   object. */
#include <jansson.h>
#include <unistd.h>

#include "../unit/base/options_test.h"
#include "faults.h"

static const char *config;

static int parse(struct kl_error *err)
{
    struct parsed p =
        PARSE("a", "b", "--config", config, "--lr", "0.5", "--grid", "a=1", "--grid", "b=2");
    *err = p.err;
    free(p.args);
    return p.code;
}

static int json(struct kl_error *err)
{
    struct values v = test_defaults;
    char *text = kl_options_json(&test_tool, &v, false);
    int code = text ? KL_OK : kl_fail_memory(err, 1);
    CHECK(!text || strstr(text, "\"qubits\":4"), "%s", text);
    free(text);
    return code;
}

static int arena(struct kl_error *err)
{
    struct kl_arena arena;
    int code = kl_arena_init(&arena, 100, err);
    for (int i = 0; i < 20 && !code; i++) {
        unsigned char *block = kl_arena_take(&arena, 1 << 15, 1);
        if (block) memset(block, i, 1 << 15);
        else code = kl_fail_memory(err, 1 << 15);
    }
    kl_arena_free(&arena);
    return code;
}

static void add(void *context, size_t i, int thread)
{
    (void)thread;
    __atomic_fetch_add((size_t *)context, i, __ATOMIC_RELAXED);
}

static int pool(struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    size_t sum = 0;
    int code = kl_pool_create(&pool, 4, err);
    CHECK(!code || !pool, "no half-made pool");
    if (code) return code;
    kl_pool_for(pool, 100, add, &sum);
    CHECK(sum == 4950, "%zu", sum);
    kl_pool_destroy(&pool);
    return KL_OK;
}

static int sha256(struct kl_error *err)
{
    char hex[65] = "";
    return kl_sha256_file(hex, config, err);
}

static void check_all(const char *what, int (*run)(struct kl_error *err), long least, bool forever)
{
    long n = 1;
    for (;; n++) {
        struct kl_error err = { 0 };
        faults_arm(FAULT_MEMORY, n, forever);
        int code = run(&err);
        bool fired = faults_disarm();
        if (!fired) {
            CHECK(code == 0, "%s without faults: %s", what, err.text);
            break;
        }
        CHECK(code == KL_ENOMEM && err.text[0], "%s, %ld: code %d %s", what, n, code, err.text);
        if (n > 10000) exit(1);
    }
    CHECK(n - 1 >= least, "%s: only %ld allocations seen, expected %ld", what, n - 1, least);
}

int main(void)
{
    static const char yaml[] = "n_qubits: 3\noptimizer: sgd\nnote: words\n";
    unsetenv("KETLINE_STORE");
    config = test_file(yaml, sizeof yaml - 1);
    json_set_alloc_funcs(malloc, free); /* through this program's wrappers */
    for (int forever = 0; forever < 2; forever++) {
        check_all("options", parse, 8, forever);
        check_all("json", json, 20, forever);
        check_all("arena", arena, 3, forever);
        check_all("pool", pool, 5, forever);
        check_all("sha256", sha256, 1, forever);
    }
    unlink(config);
    return failures != 0;
}
