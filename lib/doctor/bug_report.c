/* SPDX-License-Identifier: MIT
   What a maintainer asks for, ready to be pasted into an issue. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "doctor/doctor.h"

#ifdef __clang__ /* its __VERSION__ has the name, gcc's has not */
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void write_system(FILE *to)
{
    struct utsname name;
    char line[256], pretty[256] = "unknown";
    FILE *file = fopen("/etc/os-release", "re");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "PRETTY_NAME=\"%255[^\"]", pretty);
    if (file) fclose(file);
    if (uname(&name)) return;
    fprintf(to, "system      %s, %s %s %s\n", pretty, name.sysname, name.release, name.machine);
    fprintf(to, "compiler    " COMPILER "\n");
}

static void write_limits(FILE *to)
{
    static const struct {
        const char *name;
        int which;
    } table[] = { { "open files", RLIMIT_NOFILE }, { "file size", RLIMIT_FSIZE },
                  { "memory", RLIMIT_AS },         { "stack", RLIMIT_STACK },
                  { "processes", RLIMIT_NPROC },   { "locked memory", RLIMIT_MEMLOCK } };
    fputs("limits     ", to);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)table[i].which, &limit)) continue;
        fprintf(to, "%s %s ", i ? "," : "", table[i].name);
        if (limit.rlim_cur == RLIM_INFINITY) fputs("unlimited", to);
        else fprintf(to, "%llu", (unsigned long long)limit.rlim_cur);
    }
    fputc('\n', to);
}

/* Only these: others may hold secrets. */
static void write_environment(FILE *to)
{
    static const char *const names[] = { "KETLINE_ISA",  "KETLINE_STORE",   "KETLINE_DATA",
                                         "TMPDIR",       "XDG_CACHE_HOME",  "LC_ALL",
                                         "LANG",         "OMP_NUM_THREADS", "LD_PRELOAD",
                                         "SLURM_JOB_ID", "MALLOC_PERTURB_", "LD_LIBRARY_PATH" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) fprintf(to, "variable    %s=%s\n", names[i], getenv(names[i]));
}

void kl_doctor_bug_report(FILE *to, const struct kl_doctor *d)
{
    fputs("<!-- Look it over before you post it: folders' names are in it. -->\n\n"
          "**What I did** (the command, whole)\n\n\n**What I expected**\n\n\n"
          "**What happened** (the message, whole; with -v if it can be had again)\n\n\n"
          "**A file that shows it**, if there is one: the output of `cache show FILE` and `cache log "
          "FILE`\n\n\n"
          "**The machine**\n\n```\nketline     " KL_VERSION "\n",
          to);
    write_system(to);
    write_limits(to);
    write_environment(to);
    kl_doctor_text(to, d);
    fputs("```\n", to);
}
