/* SPDX-License-Identifier: MIT
   Shards of any number become the bytes of the unsharded run, without what stands aside in some;
   missing, double and foreign shards are refused in words. */
#include "store/shard.h"
#include "store_test.h"

enum { N = 1000, WIDTH = 40 };

static const char whole_parts[] = "{\"kind\":\"features\",\"n\":1}";

static int write_rows(const char *path, size_t first, size_t n, int index, int count, unsigned seed,
                      struct kl_error *err)
{
    struct kl_writer *w = NULL;
    struct kl_header header = test_header;
    char whole_key[65], shard_key[65];
    size_t dims[2] = { n, WIDTH }, names[1] = { 3 };
    int x = 0, y = 0, z = 0;
    float row[WIDTH];
    int rc = kl_sha256_hex(whole_key, whole_parts, strlen(whole_parts), err);
    rc = rc ? rc : kl_sha256_hex(shard_key, path, strlen(path), err);
    header.key = count ? shard_key : whole_key;
    header.key_parts = count ? "{}" : whole_parts;
    rc = rc ? rc : kl_store_writer_open(&w, path, &header, err);
    if (!rc && count) {
        kl_store_writer_integer(w, "", "shard_index", index, err);
        kl_store_writer_integer(w, "", "shard_count", count, err);
        kl_store_writer_text(w, "", "whole_key", whole_key, err);
        kl_store_writer_text(w, "", "whole_key_parts", whole_parts, err);
    }
    if (!rc) {
        x = kl_store_writer_dataset(w, "features", KL_TYPE_F32, 0, 2, dims, err);
        y = kl_store_writer_dataset(w, "labels", KL_TYPE_I32, 0, 1, dims, err);
        z = kl_store_writer_dataset(w, "index", KL_TYPE_I64, 0, 1, dims, err);
        rc = x < 0 || y < 0 || z < 0 ? KL_EINTERNAL
                                     : kl_store_writer_text(w, "features", "tap", "pool", err);
    }
    for (size_t i = 0; i < n && !rc; i++) {
        int64_t at = (int64_t)(first + i);
        int32_t label = (int32_t)(at % 10);
        for (size_t j = 0; j < WIDTH; j++) row[j] = test_value(first + i, j, seed);
        rc = kl_store_writer_rows(w, x, i, 1, row, err);
        rc = rc ? rc : kl_store_writer_rows(w, y, i, 1, &label, err);
        rc = rc ? rc : kl_store_writer_rows(w, z, i, 1, &at, err);
    }
    rc = rc ? rc : kl_store_writer_put(w, "class_names", KL_TYPE_STRING, 2, 1, names, "a\0b\0c", err);
    if (!rc && count == 3 && index == 1) /* what not all have */
        rc = kl_store_writer_put(w, "aside/mark", KL_TYPE_U8, 0, 1, names, "abc", err);
    rc = rc < 0 ? rc : kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

static int make_shards(char paths[][1024], const char **list, int count, struct kl_error *err)
{
    int rc = 0;
    for (int i = 0; i < count && !rc; i++) {
        char name[64];
        size_t from = (size_t)(N * i / count), to = (size_t)(N * (i + 1) / count);
        snprintf(name, sizeof name, "shard%d.of%d.h5", i, count);
        list[count - 1 - i] = in_folder(paths[i], name); /* any order will do */
        rc = write_rows(paths[i], from, to - from, i, count, 1, err);
    }
    return rc;
}

int main(void)
{
    static char paths[8][1024], whole[1024], merged[1024], foreign[1024], command[2200];
    const char *list[8];
    struct kl_error err = { 0 };
    make_test_folder();
    CHECK(write_rows(in_folder(whole, "whole.h5"), 0, N, 0, 0, 1, &err) == 0, "%s", err.text);
    in_folder(merged, "merged.h5");
    for (int count = 1; count <= 8; count = count < 3 ? count + 1 : count + 4) {
        CHECK(make_shards(paths, list, count, &err) == 0, "%s", err.text);
        int rc = kl_store_merge(merged, list, (size_t)count,
                                &(struct kl_common){ .no_provenance = true }, &err);
        CHECK(rc == 0, "%d shards: %s", count, err.text);
        snprintf(command, sizeof command, "cmp '%s' '%s'", whole, merged);
        CHECK(system(command) == 0, "%d shards", count);
        unlink(merged);
    }
    CHECK(make_shards(paths, list, 3, &err) == 0, "%s", err.text);
    CHECK(kl_store_merge(merged, list, 2, &(struct kl_common){ .no_provenance = true }, &err) ==
                  KL_EDATA &&
              strstr(err.text, "one of 3 shards"),
          "%s", err.text);
    const char *twice[3] = { list[0], list[1], list[1] };
    CHECK(kl_store_merge(merged, twice, 3, &(struct kl_common){ .no_provenance = true }, &err) ==
                  KL_EDATA &&
              strstr(err.text, "both shard 1"),
          "%s", err.text);
    const char *odd[3] = { list[0], list[1], whole };
    CHECK(kl_store_merge(merged, odd, 3, &(struct kl_common){ .no_provenance = true }, &err) ==
                  KL_EDATA &&
              strstr(err.text, "not a shard"),
          "%s", err.text);
    CHECK(write_rows(in_folder(foreign, "f.h5"), 5, 10, 7, 3, 1, &err) == 0, "%s", err.text);
    const char *missing[3] = { list[0], list[1], foreign };
    CHECK(kl_store_merge(merged, missing, 3, &(struct kl_common){ .no_provenance = true }, &err) ==
                  KL_EDATA &&
              strstr(err.text, "shard 7 of 3"),
          "%s", err.text);
    CHECK(access(merged, F_OK) != 0, "a refused merge left a file");
    CHECK(kl_store_merge(merged, list, 3, &(struct kl_common){ 0 }, &err) == 0, "%s", err.text);
    struct kl_file *f = NULL;
    CHECK(kl_store_file_open(&f, merged, &err) == 0 &&
              strstr(kl_store_file_provenance(f), "cache merge"),
          "%s", err.text);
    kl_store_file_close(&f);
    return failures != 0;
}
