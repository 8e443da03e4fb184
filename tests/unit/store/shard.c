/* SPDX-License-Identifier: MIT
   --shard: which part, by hand or by the variables that Slurm and MPI set. The variables are those that
   Slurm 22.05, its srun and Open MPI 4.1 really set in these places. */
#include "store/shard.h"
#include "store_test.h"

static const char *const cleared[] = { "SLURM_ARRAY_TASK_ID",
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

/* "A=1 B=2" and nothing else of these. */
static void set_variables(const char *words)
{
    char copy[400], *rest = copy;
    for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++) unsetenv(cleared[i]);
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; (word = strsep(&rest, " "));) {
        char *equals = strchr(word, '=');
        if (!equals) continue;
        *equals = '\0';
        setenv(word, equals + 1, 1);
    }
}

#define ARRAY(ID, MIN, MAX, COUNT)                                                         \
    "SLURM_ARRAY_TASK_ID=" #ID " SLURM_ARRAY_TASK_MIN=" #MIN " SLURM_ARRAY_TASK_MAX=" #MAX \
    " SLURM_ARRAY_TASK_COUNT=" #COUNT " SLURM_PROCID=0"
#define STEP(RANK, N) " SLURM_PROCID=" #RANK " SLURM_NTASKS=" #N " SLURM_STEP_NUM_TASKS=" #N
#define SCRIPT(N) " SLURM_PROCID=0 SLURM_NTASKS=" #N
#define MPI(RANK, N) " OMPI_COMM_WORLD_RANK=" #RANK " OMPI_COMM_WORLD_SIZE=" #N

static const struct {
    const char *variables, *option;
    size_t index, count;
    const char *said; /* in the line */
} taken[] = {
    { "", "0/1", 0, 1, "" },
    { ARRAY(1, 0, 4, 5), "3/4", 3, 4, "" },
    { ARRAY(1, 0, 4, 5), "auto", 1, 5, "part 1 of 5, by Slurm's array 0-4: if it is a rerun" },
    { ARRAY(5, 1, 5, 5), "auto", 4, 5, "part 4 of 5, by Slurm's array 1-5: if it is a rerun" },
    { ARRAY(1, 1, 2, 2), "auto", 0, 2, "part 0 of 2, by Slurm's array 1-2: if it is a rerun" },
    { ARRAY(1, 1, 2, 2), "auto/5", 1, 5, "part 1 of 5, by SLURM_ARRAY_TASK_ID" },
    { ARRAY(2, 2, 2, 1), "auto/5", 2, 5, "part 2 of 5, by SLURM_ARRAY_TASK_ID" },
    { ARRAY(4, 1, 4, 2), "auto/5", 4, 5, "part 4 of 5, by SLURM_ARRAY_TASK_ID" },
    { ARRAY(0, 0, 0, 1), "auto/1", 0, 1, "part 0 of 1, by SLURM_ARRAY_TASK_ID" },
    { "SLURM_ARRAY_TASK_ID=3 SLURM_PROCID=0", "auto/4", 3, 4, "part 3 of 4, by SLURM_ARRAY_TASK_ID" },
    { ARRAY(1, 0, 4, 5) SCRIPT(4), "auto", 1, 5,
      "part 1 of 5, by Slurm's array" }, /* no srun: one part */
    { ARRAY(1, 0, 4, 5) STEP(0, 1), "auto", 1, 5, "part 1 of 5, by Slurm's array" },
    { ARRAY(1, 0, 4, 5) MPI(0, 1), "auto", 1, 5, "part 1 of 5, by Slurm's array" },
    { STEP(3, 4), "auto", 3, 4, "part 3 of 4, by SLURM_PROCID" },
    { STEP(3, 4), "auto/4", 3, 4, "part 3 of 4, by SLURM_PROCID" },
    { SCRIPT(4) MPI(2, 4), "auto", 2, 4, "part 2 of 4, by OMPI_COMM_WORLD_RANK" },
    { STEP(1, 2) " PMI_RANK=5 PMI_SIZE=8", "auto", 5, 8, "part 5 of 8, by PMI_RANK" },
    { "PMI_RANK=0 PMI_SIZE=1", "auto", 0, 1, "part 0 of 1, by PMI_RANK" },
};

static const struct {
    const char *variables, *option, *said;
} refused[] = {
    { "", "4/4", "found '4/4', expected I/N with I from 0 to N-1" },
    { "", "1", "found '1', expected I/N, as in 0/4, auto or auto/N" },
    { "", "-1/4", "found '-1/4', expected" },
    { "", "+1/4", "found '+1/4', expected" },
    { "", " 1/4", "found ' 1/4', expected" },
    { "", "1/ 4", "found '1/ 4', expected" },
    { "", "1/4x", "found '1/4x', expected" },
    { "", "0/0", "found '0/0', expected" },
    { "", "0/1000001", "found '0/1000001', expected" },
    { "", "auto/", "found 'auto/', expected" },
    { "", "auto/0", "found 'auto/0', expected" },
    { "", "autos/3", "found 'autos/3', expected" },
    { "", "auto", "none of an array of Slurm's" },
    { "SLURM_JOB_ID=7 SLURM_PROCID=0", "auto", "none of an array of Slurm's" }, /* sbatch alone */
    { "SLURM_PROCID=0", "auto/4", "none of an array of Slurm's" },
    { ARRAY(2, 2, 2, 1), "auto",
      "array is task 2 of 2 to 2, 1 in all: of how many parts, it does not say" },
    { ARRAY(0, 0, 0, 1), "auto", "array is task 0 of 0 to 0, 1 in all" },
    { ARRAY(1, 1, 1, 1), "auto", "array is task 1 of 1 to 1, 1 in all" },
    { ARRAY(1, 1, 4, 2), "auto", "array is task 1 of 1 to 4, 2 in all" },
    { ARRAY(0, 0, 8, 3), "auto", "array is task 0 of 0 to 8, 3 in all" },
    { ARRAY(0, 1, 3, 3), "auto", "array is task 0 of 1 to 3, 3 in all" },
    { ARRAY(3, 0, 2, 3), "auto", "array is task 3 of 0 to 2, 3 in all" },
    { ARRAY(3, 2, 4, 3), "auto", "array is task 3 of 2 to 4, 3 in all" },
    { "SLURM_ARRAY_TASK_ID=3" SCRIPT(1), "auto",
      "array is task 3, and SLURM_ARRAY_TASK_MIN is not set" },
    { "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=0", "auto", "SLURM_ARRAY_TASK_COUNT is not set" },
    { ARRAY(2, 1, 5, 5), "auto/5", "has a task 5, expected tasks of 0 to 4; give sbatch --array=0-4" },
    { ARRAY(1, 0, 2, 3) STEP(1, 4), "auto", "SLURM_ARRAY_TASK_ID and SLURM_PROCID are both set" },
    { ARRAY(1, 0, 2, 3) STEP(0, 4), "auto/3", "SLURM_ARRAY_TASK_ID and SLURM_PROCID are both set" },
    { ARRAY(1, 0, 2, 3) MPI(0, 4), "auto", "SLURM_ARRAY_TASK_ID and OMPI_COMM_WORLD_RANK are both set" },
    { SCRIPT(4), "auto", "job has 4 tasks, and this is none of them" },
    { SCRIPT(4) " SLURM_STEP_NUM_TASKS=1", "auto",
      "job has 4 tasks, and this is none of them" }, /* salloc */
    { SCRIPT(1), "auto/8", "SLURM_NTASKS is 1, expected 8" },
    { MPI(0, 2), "auto/8", "OMPI_COMM_WORLD_SIZE is 2, expected 8" },
    { MPI(2, 2), "auto", "OMPI_COMM_WORLD_RANK is 2 of 2" },
    { "PMI_RANK=x PMI_SIZE=2", "auto", "PMI_RANK: found 'x', expected a whole number" },
    { "PMI_RANK=-1 PMI_SIZE=2", "auto", "PMI_RANK: found '-1', expected a whole number" },
    { "PMI_RANK=0 PMI_SIZE=99999999999999999999", "auto", "PMI_SIZE: found '99999999999999999999'" },
};

int main(void)
{
    struct kl_shard shard;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        char *text = NULL;
        size_t n;
        struct kl_log log = { "tool", open_memstream(&text, &n), 1, NULL };
        struct kl_error err = { 0 };
        set_variables(taken[i].variables);
        const int code = kl_store_shard_parse(&shard, taken[i].option, &log, &err);
        fclose(log.to);
        CHECK(code == 0 && shard.index == taken[i].index && shard.count == taken[i].count,
              "%s, %s: %zu of %zu, %s", taken[i].option, taken[i].variables, shard.index, shard.count,
              err.text);
        CHECK(taken[i].said[0] ? strstr(text, taken[i].said) != NULL : !*text, "%s, %s: %s",
              taken[i].option, taken[i].variables, text);
        free(text);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct kl_error err = { 0 };
        set_variables(refused[i].variables);
        const int code = kl_store_shard_parse(&shard, refused[i].option, NULL, &err);
        CHECK(code == KL_EUSAGE && shard.count == 0 && strstr(err.text, refused[i].said),
              "%s, %s: %d, %s", refused[i].option, refused[i].variables, code, err.text);
    }
    CHECK(kl_store_shard_parse(&shard, NULL, NULL, NULL) == 0 && shard.count == 0, "no shard");
    return failures != 0;
}
