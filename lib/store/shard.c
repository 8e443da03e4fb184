/* SPDX-License-Identifier: MIT
   Parts of a run: I/N as text, from Slurm or MPI, in the key and in the file. */
#include "store/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- auto: what started this process ---- */
enum { ID, FIRST, LAST, COUNT, OPEN_MPI, OPEN_MPI_SIZE, PMI, PMI_SIZE, TASK, N_TASKS, STEP_TASKS, ALL };
static const char *const names[ALL] = { "SLURM_ARRAY_TASK_ID",
                                        "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_MAX",
                                        "SLURM_ARRAY_TASK_COUNT",
                                        "OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "SLURM_PROCID",
                                        "SLURM_NTASKS",
                                        "SLURM_STEP_NUM_TASKS" };
struct variables {
    const char *name, *what; /* of the option: "shard", and what it chooses: "part" */
    const char *option;      /* "auto" or "auto/N" as given, for messages */
    unsigned long parts;     /* of auto/N; 0: auto */
    bool set[ALL];
    unsigned long value[ALL];
};

/* Digits alone, no sign or blank, up to `end`. */
static bool read_whole(unsigned long *value, const char *text, char end)
{
    const size_t n = strspn(text, "0123456789");
    if (n == 0 || n > 18 || text[n] != end) return false;
    *value = strtoul(text, NULL, 10);
    return true;
}

static int read_variables(struct variables *v, struct kl_error *err)
{
    for (int k = 0; k < ALL; k++) {
        const char *text = getenv(names[k]);
        v->set[k] = text && *text;
        if (v->set[k] && !read_whole(&v->value[k], text, '\0'))
            return kl_fail(err, KL_EUSAGE,
                           "--%s %s: %s: found '%.40s', expected a whole number; give --%s I/N", v->name,
                           v->option, names[k], text, v->name);
    }
    return KL_OK;
}

/* auto/N: tasks that are run again, alone or with others, are the parts that they were. */
static int from_task(struct kl_shard *shard, const struct variables *v, const struct kl_log *log,
                     struct kl_error *err)
{
    const unsigned long id = v->value[ID], most = v->parts - 1;
    const unsigned long last = v->value[LAST] > id ? v->value[LAST] : id;
    if (last > most)
        return kl_fail(err, KL_EUSAGE,
                       "--shard %s: Slurm's array has a task %lu, expected tasks of 0 to %lu; give "
                       "sbatch --array=0-%lu, or some of these",
                       v->option, last, most, most);
    *shard = (struct kl_shard){ .index = id, .count = v->parts };
    kl_note(log, 1, "part %lu of %lu, by %s", id, v->parts, names[ID]);
    return KL_OK;
}

/* All tasks of a job are 0 to N-1, or 1 to N; failed ones that are run again are mostly others. Where
   they are the first of a larger array they look like all of a smaller one, so the line says what to do.
 */
static int from_array(struct kl_shard *shard, const struct variables *v, const struct kl_log *log,
                      struct kl_error *err)
{
    const unsigned long id = v->value[ID], first = v->value[FIRST], count = v->value[COUNT];
    const unsigned long last = v->set[LAST] ? v->value[LAST] : first + count - 1;
    if (!v->set[FIRST] || !v->set[COUNT])
        return kl_fail(err, KL_EUSAGE,
                       "--shard auto: Slurm's array is task %lu, and %s is not set; give --shard auto/N "
                       "for a task of 0 to N-1, else --shard I/N",
                       id, names[v->set[FIRST] ? COUNT : FIRST]);
    if (count < 2 || first > 1 || last - first + 1 != count || id < first || id > last)
        return kl_fail(err, KL_EUSAGE,
                       "--shard auto: Slurm's array is task %lu of %lu to %lu, %lu in all: of how many "
                       "parts, it does not say; give --shard auto/N for a task of 0 to N-1, else "
                       "--shard I/N",
                       id, first, last, count);
    *shard = (struct kl_shard){ .index = id - first, .count = count };
    kl_note(log, 1,
            "part %lu of %lu, by Slurm's array %lu-%lu: if it is a rerun of a larger array, give "
            "--shard auto/N (a task of 0 to N-1) or I/N",
            id - first, count, first, last);
    return KL_OK;
}

/* How many ranks there are is known, and all of them run. */
static int from_rank(struct kl_shard *shard, const struct variables *v, int rank,
                     const struct kl_log *log, struct kl_error *err)
{
    const unsigned long i = v->value[rank], n = v->value[rank + 1];
    if (rank == TASK && n > 1 && v->value[STEP_TASKS] != n)
        return kl_fail(err, KL_EUSAGE,
                       "--%s %s: Slurm's job has %lu tasks, and this is none of them, but its script "
                       "or shell; start it with srun, or give --%s I/N",
                       v->name, v->option, n, v->name);
    if (v->parts && v->parts != n)
        return kl_fail(err, KL_EUSAGE,
                       "--shard %s: %s is %lu, expected %lu; start so many, or give --shard I/N",
                       v->option, names[rank + 1], n, v->parts);
    if (i >= n)
        return kl_fail(err, KL_EUSAGE, "--%s %s: %s is %lu of %lu, expected 0 to N-1 of N", v->name,
                       v->option, names[rank], i, n);
    *shard = (struct kl_shard){ .index = i, .count = n };
    kl_note(log, 1, "%s %lu of %lu, by %s", v->what, i, n, names[rank]);
    return KL_OK;
}

/* MPI's ranks come before Slurm's tasks: mpirun leaves its job's SLURM_PROCID as it is, 0 for every
   rank. Ranks of a job of an array have two answers, and each alone would be wrong. */
static int rank_variable(const struct variables *v)
{
    int rank = OPEN_MPI;
    while (rank <= TASK && !(v->set[rank] && v->value[rank + 1])) rank += 2;
    return rank;
}

static int from_environment(struct kl_shard *shard, const struct variables *v, const struct kl_log *log,
                            struct kl_error *err)
{
    const int rank = rank_variable(v);
    const bool many = rank <= TASK && v->value[rank + 1] > 1;
    const bool script = rank == TASK && !v->value[TASK] && v->value[STEP_TASKS] < 2;
    if (v->set[ID] && many && !script)
        return kl_fail(err, KL_EUSAGE, "--shard %s: %s and %s are both set; give --shard I/N", v->option,
                       names[ID], names[rank]);
    if (v->set[ID]) return (v->parts ? from_task : from_array)(shard, v, log, err);
    if (rank <= TASK) return from_rank(shard, v, rank, log, err);
    return kl_fail(err, KL_EUSAGE,
                   "--shard %s: none of an array of Slurm's, of MPI's ranks or of srun's tasks; give "
                   "--shard I/N, as $PBS_ARRAY_INDEX/N or $((SGE_TASK_ID - 1))/N",
                   v->option);
}

int kl_store_shard_parse(struct kl_shard *shard, const char *text, const struct kl_log *log,
                         struct kl_error *err)
{
    enum { MOST = 1000000 };
    struct variables v = { .name = "shard", .what = "part", .option = text };
    unsigned long i = 0, n = 0;
    *shard = (struct kl_shard){ 0 };
    if (!text) return KL_OK;
    const bool automatic = strncmp(text, "auto", 4) == 0 && (!text[4] || text[4] == '/');
    const char *slash = strchr(text, '/');
    if (slash ? !read_whole(&n, slash + 1, '\0') || !n || n > MOST : !automatic)
        return kl_fail(err, KL_EUSAGE, "--shard: found '%.80s', expected I/N, as in 0/4, auto or auto/N",
                       text);
    if (!automatic && (!read_whole(&i, text, '/') || i >= n))
        return kl_fail(err, KL_EUSAGE, "--shard: found '%.80s', expected I/N with I from 0 to N-1",
                       text);
    if (!automatic) {
        *shard = (struct kl_shard){ .index = i, .count = n };
        return KL_OK;
    }
    v.parts = n;
    const int code = read_variables(&v, err);
    return code ? code : from_environment(shard, &v, log, err);
}

int kl_store_shard_rank(struct kl_shard *place, const char *text, const struct kl_log *log,
                        struct kl_error *err)
{
    struct variables v = { .name = "ranks", .what = "rank", .option = text };
    unsigned long i = 0, n = 0;
    *place = (struct kl_shard){ 0 };
    if (!text) return KL_OK;
    if (strcmp(text, "auto") == 0) {
        const int code = read_variables(&v, err), rank = code ? 0 : rank_variable(&v);
        if (!code && rank > TASK)
            return kl_fail(err, KL_EUSAGE,
                           "--ranks auto: none of MPI's ranks or of srun's tasks; start it with mpirun "
                           "or srun, or give --ranks I/N");
        return code ? code : from_rank(place, &v, rank, log, err);
    }
    const char *slash = strchr(text, '/');
    if (!slash || !read_whole(&n, slash + 1, '\0') || !read_whole(&i, text, '/') || i >= n)
        return kl_fail(err, KL_EUSAGE,
                       "--ranks: found '%.80s', expected auto or I/N with I from 0 to N-1", text);
    *place = (struct kl_shard){ .index = i, .count = n };
    return KL_OK;
}

int kl_store_shard_of(struct kl_shard *shard, struct kl_key **key, struct kl_error *err)
{
    return kl_store_key_finish(key, shard->whole_key, &shard->whole_parts, err);
}

int kl_store_key_shard(struct kl_key *key, const struct kl_shard *shard, struct kl_error *err)
{
    char text[64];
    if (!shard->count) return KL_OK;
    snprintf(text, sizeof text, "%zu/%zu", shard->index, shard->count);
    return kl_store_key_text(key, "shard", text, err);
}

int kl_store_shard_save(struct kl_writer *w, const struct kl_shard *shard, struct kl_error *err)
{
    if (!shard->count) return KL_OK;
    int code = kl_store_writer_integer(w, "", "shard_index", (int64_t)shard->index, err);
    if (!code) code = kl_store_writer_integer(w, "", "shard_count", (int64_t)shard->count, err);
    if (!code) code = kl_store_writer_text(w, "", "whole_key", shard->whole_key, err);
    return code ? code : kl_store_writer_text(w, "", "whole_key_parts", shard->whole_parts, err);
}

void kl_store_shard_free(struct kl_shard *shard)
{
    free(shard->whole_parts);
    shard->whole_parts = NULL;
}

int kl_store_shard_check_target(const struct kl_shard *shard, const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    char *whole = NULL;
    double index = 0;
    int code = KL_OK;
    if (!shard->count || strcmp(path, "-") == 0 || kl_store_file_open(&file, path, NULL)) return KL_OK;
    if (kl_store_file_has_attribute(file, "", "shard_index") &&
        kl_store_file_text(&whole, file, "", "whole_key", NULL) == KL_OK &&
        kl_store_file_number(&index, file, "", "shard_index", NULL) == KL_OK &&
        strcmp(whole, shard->whole_key) == 0 && index != (double)shard->index)
        code =
            kl_fail(err, KL_EUSAGE,
                    "%s: is part %.0f of the same run, and this is part %zu; give each part a name of "
                    "its own, or --force",
                    path, index, shard->index);
    free(whole);
    kl_store_file_close(&file);
    return code;
}

void kl_store_shard_say(const struct kl_file *file, const struct kl_log *log)
{
    double index, count;
    if (!kl_store_file_has_attribute(file, "", "shard_index")) return;
    if (kl_store_file_number(&index, file, "", "shard_index", NULL) ||
        kl_store_file_number(&count, file, "", "shard_count", NULL))
        return;
    kl_caution(log, "%s: is part %.0f of %.0f, numbered from 0; cache merge makes one file of all",
               kl_store_file_path(file), index, count);
}
