/* SPDX-License-Identifier: MIT
   Whole tools under failing allocations, writes, fsyncs, renames and reads, and on a GPU that fails. A
   program tests/faults/TOOL.c holds the two tables below; it is linked with the tool itself, whose
   main() is wrapped: ours forks, arms the n-th fault in the child and runs the tool's main there, for
   every n.

   After each run: the documented status and one line of error, or success with the bytes of an
   undisturbed run; the folder as before, or (success) as an undisturbed run leaves it; nothing else in
   it. In a build with AddressSanitizer the child also looks for leaks.

   FAULTS=all tries every call; FAULTS=N about N a loop (default DEFAULT_PLACES), evenly spread over the
   call stacks that there are: of those that call again, the first call; what is tried once and what for
   ever are not the same ones. Besides, memory is refused once at every place in the source and its
   caller that the jobs before did not come by. ONLY=words runs the jobs with these words in their name,
   KIND=words what fails so ("memory", "files", "reads", "removals", "of the card"). */
#ifndef KL_TESTS_WHOLE_H
#define KL_TESTS_WHOLE_H

#include <stdbool.h>

struct fault_job {
    const char *name;
    const char *
        command; /* the tool's name and arguments, separated by single spaces; run in the job's folder */
    const char *before; /* shell command in that folder before each run, or NULL */
    const char *old;    /* shell command that makes what stands in that folder before; NULL: nothing */
    const char *need;   /* a file without which the job is skipped, or NULL */
    bool varies;  /* the record of the run (times) is in the file: its blocks are verified instead of
                     compared */
    bool several; /* many files, each of which must be old or new */
    const char *keeps;    /* how the names of files end in which finished work is kept for the next run,
                             which then must leave what an undisturbed run leaves; or NULL */
    const char *may_lack; /* how the names of files begin that are not looked at (a store: who cannot add
                             to it goes without), or NULL */
    bool talks;           /* what it prints differs from run to run */
    bool timed;           /* how much it does depends on the time it takes: a place may not be reached */
    bool tells;           /* of each file whether it can be read: that is no failure, or status 1 */
    bool removes;         /* it is there to remove files: removals fail, too, and are told */
    int status;           /* of a run whose file operation failed; 0: 74, as documented */
    const char *gpu;      /* on a GPU (tests/cuda/emulated) with so many bytes: its calls fail, files and
                              reads do not; or NULL */
    int slower;           /* tries so many times fewer places than others; 0 means 1 */
};

/* Both end with a zero. The commands make the jobs' inputs, in the folder that is ../in of the jobs'
   folder; the links data and shared lie there. */
extern const char *const fault_inputs[];
extern const struct fault_job fault_jobs[];

#endif
