/* SPDX-License-Identifier: MIT
   How much memory there is, and how much of it a container may use. */
#include "device/device.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

void kl_device_memory(struct kl_memory *memory, const char *meminfo)
{
    char line[256];
    unsigned long long kilobytes;
    FILE *file = fopen(meminfo, "re");
    memset(memory, 0, sizeof *memory);
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemTotal: %llu kB", &kilobytes) == 1) memory->total = kilobytes * 1024;
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) memory->available = kilobytes * 1024;
    }
    if (file) fclose(file);
    memory->limit = kl_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup");
}
