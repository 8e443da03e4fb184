/* SPDX-License-Identifier: MIT */
#include "store/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kl_shard_parse(struct kl_shard *shard, const char *text, struct kl_error *err)
{
    static const char *const names[][2] = { { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT" },
                                            { "SLURM_PROCID", "SLURM_NTASKS" },
                                            { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                                            { "PMI_RANK", "PMI_SIZE" } };
    unsigned long i = 0, n = 0, least = 0;
    char more;
    *shard = (struct kl_shard){ 0 };
    if (!text) return KL_OK;
    if (strcmp(text, "auto") == 0) {
        for (size_t k = 0; k < 4 && !n; k++)
            if (getenv(names[k][0]) && getenv(names[k][1])) {
                least = k == 0 && getenv("SLURM_ARRAY_TASK_MIN")
                            ? strtoul(getenv("SLURM_ARRAY_TASK_MIN"), NULL, 10)
                            : 0;
                i = strtoul(getenv(names[k][0]), NULL, 10) - least;
                n = strtoul(getenv(names[k][1]), NULL, 10);
            }
        if (!n)
            return kl_fail(
                err, KL_EUSAGE,
                "--shard auto: neither Slurm's nor MPI's variables are set; give --shard I/N");
    } else if (sscanf(text, "%lu/%lu%c", &i, &n, &more) != 2 || strchr(text, '-')) {
        return kl_fail(err, KL_EUSAGE, "--shard: found '%.80s', expected I/N, as in 0/4", text);
    }
    if (i >= n || n > 1000000)
        return kl_fail(err, KL_EUSAGE, "--shard: found '%.80s', expected I/N with I from 0 to N-1",
                       text);
    shard->index = i;
    shard->count = n;
    return KL_OK;
}

int kl_shard_of(struct kl_shard *shard, struct kl_key **key, struct kl_error *err)
{
    return kl_key_finish(key, shard->whole_key, &shard->whole_parts, err);
}

int kl_key_shard(struct kl_key *key, const struct kl_shard *shard, struct kl_error *err)
{
    char text[64];
    if (!shard->count) return KL_OK;
    snprintf(text, sizeof text, "%zu/%zu", shard->index, shard->count);
    return kl_key_text(key, "shard", text, err);
}

int kl_shard_save(struct kl_writer *w, const struct kl_shard *shard, struct kl_error *err)
{
    if (!shard->count) return KL_OK;
    int code = kl_writer_integer(w, "", "shard_index", (int64_t)shard->index, err);
    if (!code) code = kl_writer_integer(w, "", "shard_count", (int64_t)shard->count, err);
    if (!code) code = kl_writer_text(w, "", "whole_key", shard->whole_key, err);
    return code ? code : kl_writer_text(w, "", "whole_key_parts", shard->whole_parts, err);
}

void kl_shard_free(struct kl_shard *shard)
{
    free(shard->whole_parts);
    shard->whole_parts = NULL;
}

void kl_shard_say(const struct kl_file *file, const struct kl_log *log)
{
    double index, count;
    if (!kl_file_has_attribute(file, "", "shard_index")) return;
    if (kl_file_number(&index, file, "", "shard_index", NULL) ||
        kl_file_number(&count, file, "", "shard_count", NULL))
        return;
    kl_note(log, 1, "%s: is part %.0f of %.0f, numbered from 0; cache merge makes one file of all",
            kl_file_path(file), index, count);
}
