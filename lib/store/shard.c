/* SPDX-License-Identifier: MIT
   Parts of a run, I/N as text, from Slurm or MPI, in the key and in the file; and the whole that is
   merged from them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/shard.h"
#include "store/store_int.h"

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

/* Parts may be numbered by hand, ranks are MPI's. */
static const char *otherwise(const struct variables *v)
{
    return strcmp(v->name, "shard") == 0 ? ", or give --shard I/N" : " or mpirun";
}

static int read_variables(struct variables *v, struct kl_error *err)
{
    for (int k = 0; k < ALL; k++) {
        const char *text = getenv(names[k]);
        v->set[k] = text && *text;
        if (v->set[k] && !read_whole(&v->value[k], text, '\0'))
            return kl_fail(err, KL_EUSAGE, "--%s %s: %s: found '%.40s', expected a whole number%s",
                           v->name, v->option, names[k], text, otherwise(v));
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
                       "or shell; start it with srun%s",
                       v->name, v->option, n, otherwise(v));
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
    *place = (struct kl_shard){ 0 };
    if (!text) return KL_OK;
    if (strcmp(text, "auto") != 0)
        return kl_fail(
            err, KL_EUSAGE,
            "--ranks: found '%.80s', expected auto; their number is mpirun's: mpirun -n 4 ... "
            "--ranks auto",
            text);
    const int code = read_variables(&v, err), rank = code ? 0 : rank_variable(&v);
    if (!code && rank > TASK)
        return kl_fail(err, KL_EUSAGE,
                       "--ranks auto: none of MPI's ranks or of srun's tasks; start it with mpirun or "
                       "srun");
    return code ? code : from_rank(place, &v, rank, log, err);
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

/* ---- merging: the same key, content and bytes (but for provenance) ---- */
struct shard {
    struct kl_file *file;
    size_t index;
    size_t rows; /* of `index`, which tells datasets with a row for each sample from the others */
};
struct merge {
    struct shard *shards;
    size_t n;
    struct kl_writer *writer;
    unsigned char sum[16]; /* of the rows of the dataset at hand, over the shards */
};

static int by_index(const void *x, const void *y)
{
    const struct shard *a = x, *b = y;
    return (a->index > b->index) - (a->index < b->index);
}

static bool about_shards(const char *name)
{
    return strncmp(name, "shard_", 6) == 0 || strncmp(name, "whole_key", 9) == 0;
}

static const char *root_text(const struct kl_file *file, const char *name)
{
    const struct kl_attribute *a = kl_store_attributes_find(&file->attributes, "", name);
    return a && a->type == KL_ATTR_TEXT ? a->text : "";
}

/* Open a shard, read its number, and check that it belongs to the first one's whole. */
static int open_shard(struct merge *m, size_t i, const char *path, struct kl_error *err)
{
    struct shard *s = &m->shards[i];
    double index, count;
    int rc = kl_store_file_open(&s->file, path, err);
    if (rc) return rc;
    const struct kl_dataset *d = kl_store_file_find(s->file, "index");
    if (!kl_store_file_has_attribute(s->file, "", "shard_index") ||
        !kl_store_file_has_attribute(s->file, "", "shard_count") || !d ||
        !kl_store_is_key(root_text(s->file, "whole_key")))
        return kl_fail(err, KL_EDATA,
                       "%s: is not a shard (no shard_index, shard_count, whole_key or dataset index)",
                       path);
    if ((rc = kl_store_file_number(&index, s->file, "", "shard_index", err)) ||
        (rc = kl_store_file_number(&count, s->file, "", "shard_count", err)))
        return rc;
    if (strcmp(root_text(s->file, "whole_key"), root_text(m->shards[0].file, "whole_key")))
        return kl_fail(err, KL_EDATA, "%s: belongs to another whole (%.12s...) than %s (%.12s...)", path,
                       root_text(s->file, "whole_key"), kl_store_file_path(m->shards[0].file),
                       root_text(m->shards[0].file, "whole_key"));
    if (count != (double)m->n)
        return kl_fail(err, KL_EDATA, "%s: is one of %.0f shards, %zu were given", path, count, m->n);
    if (!(index >= 0 && index < count))
        return kl_fail(err, KL_EDATA, "%s: says that it is shard %.0f of %.0f, numbered from 0", path,
                       index, count);
    s->index = (size_t)index;
    s->rows = d->rows;
    return 0;
}

/* n indices from 0 to n - 1: if no two are equal, none is missing. */
static int check_set(struct merge *m, struct kl_error *err)
{
    qsort(m->shards, m->n, sizeof *m->shards, by_index);
    for (size_t i = 1; i < m->n; i++)
        if (m->shards[i].index == m->shards[i - 1].index)
            return kl_fail(err, KL_EDATA, "%s and %s are both shard %zu",
                           kl_store_file_path(m->shards[i - 1].file),
                           kl_store_file_path(m->shards[i].file), m->shards[i].index);
    return KL_OK;
}

/* A dataset is concatenated if every shard has as many rows of it as samples. */
static int declare(struct merge *m, const struct kl_dataset *d, bool *rowwise, size_t *rows,
                   struct kl_error *err)
{
    *rowwise = d->rank > 0;
    *rows = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct kl_dataset *o = kl_store_file_find(m->shards[i].file, d->name);
        if (!o || o->type != d->type || o->item_size != d->item_size || o->rank != d->rank ||
            o->row_size != d->row_size ||
            memcmp(o->dims + 1, d->dims + 1, sizeof o->dims - sizeof *o->dims))
            return kl_fail(err, KL_EDATA, "%s: dataset %s: missing or of another form than in %s",
                           kl_store_file_path(m->shards[i].file), d->name,
                           kl_store_file_path(m->shards[0].file));
        *rowwise &= o->rows == m->shards[i].rows;
        *rows += o->rows;
    }
    size_t dims[KL_MAX_RANK];
    memcpy(dims, d->dims, sizeof dims);
    if (*rowwise) dims[0] = *rows;
    return kl_store_writer_dataset(m->writer, d->name, d->type,
                                   d->type == KL_TYPE_STRING ? d->item_size : 0, d->rank, dims, err);
}

static int copy_rows(struct merge *m, struct kl_file *file, const struct kl_dataset *d, int to,
                     size_t at, struct kl_error *err)
{
    size_t step = kl_store_block_rows(d->row_size), n;
    int rc = 0;
    char *block = malloc(step * d->row_size + 1);
    if (!block) return kl_fail_memory(err, step * d->row_size);
    for (size_t row = 0; row < d->rows && !rc; row += n) {
        n = d->rows - row < step ? d->rows - row : step;
        rc = kl_store_file_rows(file, d, row, n, block, err);
        if (!rc) rc = kl_store_writer_rows(m->writer, to, at + row, n, block, err);
    }
    free(block);
    return rc;
}

static int same_data(struct merge *m, const char *name, struct kl_error *err)
{
    const struct kl_stored *first =
        (const struct kl_stored *)kl_store_file_find(m->shards[0].file, name);
    for (size_t i = 1; i < m->n; i++) {
        const struct kl_stored *s =
            (const struct kl_stored *)kl_store_file_find(m->shards[i].file, name);
        if (s->n_blocks != first->n_blocks || memcmp(s->digests, first->digests, 16 * s->n_blocks))
            return kl_fail(err, KL_EDATA, "%s: dataset %s: other data than in %s",
                           kl_store_file_path(m->shards[i].file), name,
                           kl_store_file_path(m->shards[0].file));
    }
    return 0;
}

static int copy_dataset(struct merge *m, const char *name, int to, bool rowwise, struct kl_error *err)
{
    size_t at = 0;
    int rc = rowwise ? 0 : same_data(m, name, err);
    memset(m->sum, 0, sizeof m->sum);
    for (size_t i = 0; i < (rowwise ? m->n : 1) && !rc; i++) {
        const struct kl_dataset *d = kl_store_file_find(m->shards[i].file, name);
        kl_store_sum_add(m->sum, ((const struct kl_stored *)d)->row_sum);
        rc = copy_rows(m, m->shards[i].file, d, to, at, err);
        at += d->rows;
    }
    if (!rc && memcmp(m->sum, m->writer->entries[to]->stored.row_sum, 16))
        rc = kl_fail(err, KL_EINTERNAL,
                     "dataset %s: the shards' sums of rows do not add up to the whole's", name);
    return rc;
}

/* Shards from before have nothing aside; then the whole has not. */
static bool is_left(const struct merge *m, const struct kl_dataset *d)
{
    bool everywhere = true;
    for (size_t i = 0; i < m->n; i++)
        everywhere = everywhere && kl_store_file_find(m->shards[i].file, d->name);
    return kl_store_is_aside(d) && !everywhere;
}

/* Those of a file that the whole has: how many, and the number that each gets there, -1: none. */
static size_t number_datasets(int *numbers, const struct merge *m, const struct kl_file *file)
{
    size_t count = 0;
    for (size_t i = 0; i < kl_store_file_n_datasets(file); i++) {
        const int number = is_left(m, kl_store_file_dataset(file, i)) ? -1 : (int)count++;
        if (numbers) numbers[i] = number;
    }
    return count;
}

static int copy_datasets(struct merge *m, struct kl_error *err)
{
    const struct kl_file *first = m->shards[0].file;
    size_t n = kl_store_file_n_datasets(first), rows;
    int rc = 0, *numbers = calloc(n + 1, sizeof *numbers);
    bool *rowwise = calloc(n + 1, sizeof *rowwise);
    if (!rowwise || !numbers) rc = kl_fail_memory(err, n * sizeof *numbers);
    const size_t wanted = rc ? 0 : number_datasets(numbers, m, first);
    for (size_t i = 0; i < n && !rc; i++) /* numbers are handed out in this order */
        if (numbers[i] >= 0)
            rc =
                declare(m, kl_store_file_dataset(first, i), &rowwise[i], &rows, err) < 0 ? err->code : 0;
    for (size_t i = 0; i < n && !rc; i++)
        if (numbers[i] >= 0)
            rc = copy_dataset(m, kl_store_file_dataset(first, i)->name, numbers[i], rowwise[i], err);
    for (size_t i = 1; i < m->n && !rc; i++) {
        const size_t found = number_datasets(NULL, m, m->shards[i].file);
        if (found != wanted)
            rc =
                kl_fail(err, KL_EDATA, "%s: has %zu datasets, %s has %zu",
                        kl_store_file_path(m->shards[i].file), found, kl_store_file_path(first), wanted);
    }
    free(rowwise);
    free(numbers);
    return rc;
}

static bool same_attribute(const struct kl_attribute *a, const struct kl_attribute *b)
{
    return b && a->type == b->type &&
           (a->type == KL_ATTR_TEXT     ? strcmp(a->text, b->text) == 0
            : a->type == KL_ATTR_NUMBER ? memcmp(&a->number, &b->number, 8) == 0
                                        : a->integer == b->integer);
}

static int copy_attributes(struct merge *m, struct kl_error *err)
{
    const struct kl_attributes *all = &m->shards[0].file->attributes;
    int rc = 0;
    for (size_t i = 0; i < all->n && !rc; i++) {
        const struct kl_attribute *a = &all->items[i];
        if (kl_store_attribute_is_standard(a) || (!*a->object && about_shards(a->name))) continue;
        for (size_t k = 1; k < m->n && !rc; k++)
            if (!same_attribute(
                    a, kl_store_attributes_find(&m->shards[k].file->attributes, a->object, a->name)))
                rc = kl_fail(err, KL_EDATA, "%s: attribute %s of %s: another value than in %s",
                             kl_store_file_path(m->shards[k].file), a->name,
                             kl_store_object_name(a->object), kl_store_file_path(m->shards[0].file));
        if (!rc) rc = kl_store_attributes_set(&m->writer->attributes, a->object, a->name, a, err);
    }
    return rc;
}

/* The shards' records and one of the merge. */
static int merge_provenance(struct merge *m, const char *output, const char *const *inputs,
                            struct kl_error *err)
{
    static const struct kl_tool tool = { .name = "cache merge",
                                         .values_size = sizeof(struct kl_common) };
    const struct kl_common values = { .output = output };
    char *records = NULL, **argv = calloc(m->n + 4, sizeof *argv);
    const struct kl_file **parents = calloc(m->n, sizeof *parents);
    int rc = argv && parents ? KL_OK : kl_fail_memory(err, m->n * sizeof *parents);
    if (!rc) {
        argv[0] = "cache", argv[1] = "merge";
        for (size_t i = 0; i < m->n; i++) {
            parents[i] = m->shards[i].file;
            argv[2 + i] = (char *)inputs[i];
        }
        argv[2 + m->n] = "-o", argv[3 + m->n] = (char *)output;
        rc = kl_store_provenance_make(&records, &tool, &values, (int)m->n + 4, argv, parents, m->n, NULL,
                                      NULL, NULL, 0, err);
    }
    if (!rc) rc = kl_store_writer_provenance(m->writer, records, err);
    free(records);
    free(argv);
    free(parents);
    return rc;
}

static int open_output(struct merge *m, const char *output, struct kl_error *err)
{
    const struct kl_file *first = m->shards[0].file;
    char tool[128], key[65];
    const char *parts = root_text(first, "whole_key_parts");
    snprintf(tool, sizeof tool, "%s", kl_store_file_created_by(first));
    if (strrchr(tool, ' ')) *strrchr(tool, ' ') = 0;
    int rc = kl_sha256_hex(key, parts, strlen(parts), err);
    if (!rc && strcmp(key, root_text(first, "whole_key")))
        rc = kl_fail(err, KL_EDATA, "%s: its whole_key is not the digest of its whole_key_parts",
                     kl_store_file_path(first));
    struct kl_header header = { .kind = kl_store_file_kind(first),
                                .schema = kl_store_file_schema(first),
                                .key = key,
                                .key_parts = parts,
                                .tool = tool };
    return rc ? rc : kl_store_writer_open(&m->writer, output, &header, err);
}

bool kl_store_merged_before(const char *output, const char *shard)
{
    struct kl_file *file = NULL;
    bool done = strcmp(output, "-") && strcmp(shard, "-") &&
                kl_store_file_open(&file, shard, NULL) == 0 &&
                kl_store_is_up_to_date(output, root_text(file, "whole_key"));
    kl_store_file_close(&file);
    return done;
}

int kl_store_merge(const char *output, const char *const *inputs, size_t n,
                   const struct kl_common *common, struct kl_error *err)
{
    struct merge m = { .n = n };
    struct kl_error local = { 0 };
    int rc = 0;
    if (!err) err = &local;
    if (n == 0) return kl_fail(err, KL_EUSAGE, "merge: no shards were given");
    m.shards = calloc(n, sizeof *m.shards);
    if (!m.shards) return kl_fail_memory(err, n * sizeof *m.shards);
    for (size_t i = 0; i < n && !rc; i++) rc = open_shard(&m, i, inputs[i], err);
    if (!rc) rc = check_set(&m, err);
    if (!rc)
        rc = kl_store_target_check(output, kl_store_file_kind(m.shards[0].file), common->force, inputs,
                                   n, err);
    if (!rc) rc = open_output(&m, output, err);
    if (!rc) rc = copy_datasets(&m, err);
    if (!rc) rc = copy_attributes(&m, err);
    if (!rc && !common->no_provenance) rc = merge_provenance(&m, output, inputs, err);
    if (!rc) rc = kl_store_writer_publish(&m.writer, NULL, err);
    kl_store_writer_abort(&m.writer);
    for (size_t i = 0; i < n; i++) kl_store_file_close(&m.shards[i].file);
    free(m.shards);
    return rc;
}
