/* SPDX-License-Identifier: MIT
   GPUs as the driver's own library tells them: loaded when asked for, so that nothing here needs CUDA to
   be built or started. */
#include "device/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of cuda.h: every function returns 0 or an error's number; a device is a number. */
enum { MAJOR = 75, MINOR = 76 };
struct driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *n);
    int (*name)(char *name, int size, int device);
    int (*memory)(size_t *bytes, int device);
    int (*attribute)(int *value, int which, int device);
};

static bool find_functions(struct driver *driver, void *library)
{
    static const char *const names[] = {
        "cuInit",          "cuDriverGetVersion",  "cuDeviceGetCount",
        "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute"
    };
    void *found[6];
    for (int i = 0; i < 6; i++)
        if (!(found[i] = dlsym(library, names[i]))) return false;
    memcpy(driver, found, sizeof *driver);
    return true;
}

static void list_gpus(struct kl_gpus *gpus, const struct driver *driver)
{
    int n = 0, code;
    driver->version(&gpus->driver);
    if ((code = driver->init(0)) || (code = driver->count(&n))) {
        snprintf(gpus->problem, sizeof gpus->problem, "the driver answers with error %d", code);
        return;
    }
    for (int i = 0; i < n && i < KL_MOST_GPUS; i++) {
        struct kl_gpu *gpu = &gpus->gpu[i];
        size_t bytes = 0;
        if (driver->name(gpu->name, sizeof gpu->name, i))
            snprintf(gpu->name, sizeof gpu->name, "unknown");
        driver->memory(&bytes, i);
        driver->attribute(&gpu->major, MAJOR, i);
        driver->attribute(&gpu->minor, MINOR, i);
        gpu->memory = bytes;
        gpus->n = i + 1;
    }
}

void kl_device_gpus(struct kl_gpus *gpus)
{
    struct driver driver;
    char node[32];
    memset(gpus, 0, sizeof *gpus);
    for (int i = 0; i < 64; i++) {
        snprintf(node, sizeof node, "/dev/nvidia%d", i);
        if (access(node, F_OK) == 0) gpus->nodes++;
    }
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    gpus->library = library != NULL;
    if (!library) {
        if (gpus->nodes)
            snprintf(gpus->problem, sizeof gpus->problem,
                     "a GPU's device node is here, but the driver's library libcuda.so.1 is not found");
        return;
    }
    if (find_functions(&driver, library)) list_gpus(gpus, &driver);
    else
        snprintf(gpus->problem, sizeof gpus->problem,
                 "libcuda.so.1 lacks functions of CUDA 11 or later");
    /* Never closed: the driver's threads may run on. */
}
