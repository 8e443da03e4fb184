/* SPDX-License-Identifier: MIT
   What cgroups, of version 1 or 2, allow a process: the least of its group and of all groups around it.
 */
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

typedef double limit_of(const char *folder);

/* Is it one of the names between commas? */
static bool has(const char *names, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, n) == 0 && (!at[n] || at[n] == ',')) return true;
    }
    return false;
}

/* The least of a limit over the group of the process and those around it, 0: none. The line "0::/path"
   names the group of version 2; "4:cpu,cpuacct:/path" one of version 1, which has a tree of its own for
   each controller. In a container of version 1 the path is that of the host, and its group stands at the
   root of the tree. */
static double least(const char *proc_file, const char *root, const char *controller, limit_of *limit)
{
    char line[1024], names[256], group[512] = "", folder[1200];
    double best = 0;
    bool found = false;
    FILE *file = fopen(proc_file, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        found = *controller
                    ? sscanf(line, "%*d:%255[^:]:%511[^\n]", names, group) == 2 && has(names, controller)
                    : sscanf(line, "0::%511[^\n]", group) == 1;
        if (!found) *group = '\0';
    }
    if (file) fclose(file);
    for (;;) {
        char *slash = strrchr(group, '/');
        snprintf(folder, sizeof folder, "%s%s%s%s", root, *controller ? "/" : "", controller, group);
        const double one = limit(folder);
        if (one > 0 && (best <= 0 || one < best)) best = one;
        if (!slash) return best;
        *slash = '\0';
    }
}

static double smaller(double a, double b)
{
    return a <= 0 || (b > 0 && b < a) ? b : a;
}

static double share(double quota, double period)
{
    if (quota <= 0 || period <= 0) return 0;
    return quota < period ? 1 : quota / period;
}

/* cpu.max: "QUOTA PERIOD" or "max PERIOD". */
static double processors(const char *folder)
{
    double quota, period;
    read_group(folder, "cpu.max", &quota, &period);
    return share(quota, period);
}

/* A quota of -1 is none. */
static double processors_1(const char *folder)
{
    double quota, period, none;
    read_group(folder, "cpu.cfs_quota_us", &quota, &none);
    read_group(folder, "cpu.cfs_period_us", &period, &none);
    return share(quota, period);
}

static double memory(const char *folder)
{
    double bytes, none;
    read_group(folder, "memory.max", &bytes, &none);
    return bytes;
}

/* No limit is a number of pages that no machine has. */
static double memory_1(const char *folder)
{
    double bytes, none;
    read_group(folder, "memory.limit_in_bytes", &bytes, &none);
    return bytes < 0x1p60 ? bytes : 0;
}

int kl_cgroup_limit(const char *proc_file, const char *root)
{
    return (int)smaller(least(proc_file, root, "", processors),
                        least(proc_file, root, "cpu", processors_1));
}

uint64_t kl_cgroup_memory(const char *proc_file, const char *root)
{
    return (uint64_t)smaller(least(proc_file, root, "", memory),
                             least(proc_file, root, "memory", memory_1));
}
