/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"

int kl_shard_parse(size_t *shard, size_t *shards, const char *text, struct kl_error *err)
{
    static const char *const names[][2] = { { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT" },
                                            { "SLURM_PROCID", "SLURM_NTASKS" },
                                            { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                                            { "PMI_RANK", "PMI_SIZE" } };
    unsigned long i = 0, n = 0, least = 0;
    char more;
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
        return kl_fail(err, KL_EUSAGE, "--shard %.80s: expected I/N, as in 0/4", text);
    }
    if (i >= n || n > 1000000)
        return kl_fail(err, KL_EUSAGE, "--shard %.80s: part %lu of %lu: parts count from 0 to N-1", text,
                       i, n);
    *shard = i;
    *shards = n;
    return 0;
}
