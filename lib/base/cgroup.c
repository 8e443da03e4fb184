/* SPDX-License-Identifier: MIT
   What cgroup v2 allows a process: the least of its group and of all groups around it. */
#include "base/base.h"

#include <string.h>

/* The first two numbers of a group's file; 0 where it says "max" or nothing. */
static void read_group(const char *folder, const char *name, double *first, double *second)
{
    char path[1280];
    *first = *second = 0;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return;
    FILE *file = fopen(path, "re");
    if (!file) return;
    if (fscanf(file, "%lf %lf", first, second) < 1) *first = 0;
    fclose(file);
}

/* The least of a limit over the group of the line "0::/path" and those around it; 0: none. */
static double least(const char *proc_file, const char *root, double (*limit)(const char *folder))
{
    char line[1024] = "", group[512] = "", folder[1200];
    double best = 0;
    FILE *file = fopen(proc_file, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "0::%511[^\n]", group) == 1) break;
    if (file) fclose(file);
    for (;;) {
        char *slash = strrchr(group, '/');
        snprintf(folder, sizeof folder, "%s%s", root, group);
        const double one = limit(folder);
        if (one > 0 && (best <= 0 || one < best)) best = one;
        if (!slash) return best;
        *slash = '\0';
    }
}

/* cpu.max: "QUOTA PERIOD" or "max PERIOD". */
static double processors(const char *folder)
{
    double quota, period;
    read_group(folder, "cpu.max", &quota, &period);
    if (quota <= 0 || period <= 0) return 0;
    return quota < period ? 1 : quota / period;
}

static double memory(const char *folder)
{
    double bytes, none;
    read_group(folder, "memory.max", &bytes, &none);
    return bytes;
}

int kl_cgroup_limit(const char *proc_file, const char *root)
{
    return (int)least(proc_file, root, processors);
}

uint64_t kl_cgroup_memory(const char *proc_file, const char *root)
{
    return (uint64_t)least(proc_file, root, memory);
}
