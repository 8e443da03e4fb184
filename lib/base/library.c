/* SPDX-License-Identifier: MIT
   Libraries of ours that are loaded when they are asked for, as not every machine has what they need. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

void *kl_library_open(const char *file, const char *variable)
{
    static const char *const places[] = { "", "../lib/" };
    const char *named = getenv(variable);
    if (named && *named) return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    char self[3072], path[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) slash[1] = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s%s", self, places[i], file);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library || access(path, F_OK) == 0) return library;
    }
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}
