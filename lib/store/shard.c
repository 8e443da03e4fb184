/* SPDX-License-Identifier: MIT */
#include "store/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long variable(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

/* Which part of how many, by who started this process. MPI's ranks come before Slurm's tasks: mpirun
   leaves its job's SLURM_PROCID as it is, 0 for every rank. Ranks of a job of an array have two answers,
   and each alone would be wrong. */
static int from_environment(unsigned long *i, unsigned long *n, struct kl_error *err)
{
    enum { ARRAY, OPEN_MPI, PMI, TASK, ALL };
    static const char *const names[ALL][2] = { { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT" },
                                               { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                                               { "PMI_RANK", "PMI_SIZE" },
                                               { "SLURM_PROCID", "SLURM_NTASKS" } };
    size_t k = 0;
    while (k < ALL && !(getenv(names[k][0]) && variable(names[k][1]))) k++;
    if (k == ALL)
        return kl_fail(err, KL_EUSAGE,
                       "--shard auto: neither Slurm's nor MPI's variables are set; give --shard I/N");
    for (size_t rank = OPEN_MPI; k == ARRAY && rank <= PMI; rank++)
        if (getenv(names[rank][0]) && variable(names[rank][1]) > 1)
            return kl_fail(err, KL_EUSAGE, "--shard auto: %s and %s are both set; give --shard I/N",
                           names[ARRAY][0], names[rank][0]);
    *i = variable(names[k][0]) - (k == ARRAY ? variable("SLURM_ARRAY_TASK_MIN") : 0);
    *n = variable(names[k][1]);
    return KL_OK;
}

int kl_shard_parse(struct kl_shard *shard, const char *text, struct kl_error *err)
{
    unsigned long i = 0, n = 0;
    char more;
    *shard = (struct kl_shard){ 0 };
    if (!text) return KL_OK;
    if (strcmp(text, "auto") == 0) {
        const int code = from_environment(&i, &n, err);
        if (code) return code;
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
    kl_caution(log, "%s: is part %.0f of %.0f, numbered from 0; cache merge makes one file of all",
               kl_file_path(file), index, count);
}
