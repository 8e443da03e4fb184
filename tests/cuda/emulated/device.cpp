/* SPDX-License-Identifier: MIT
   See cuda_runtime.h here: devices. */
#include "streams.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The device of a thread, by a key: LeakSanitizer stumbles over thread_local in what dlopen loads. */
static pthread_key_t device;
__attribute__((constructor)) static void begin(void)
{
    if (pthread_key_create(&device, NULL)) emulated_die("no key for the threads' devices");
}

int emulated_device(void)
{
    return (int)(intptr_t)pthread_getspecific(device);
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorUnknown        ? "emulated failure"
           : error                            ? "refused"
                                              : "no error";
}
cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count)
{
    const char *n = getenv("KETLINE_EMULATED_DEVICES");
    *count = n ? atoi(n) : 1;
    MAY_FAIL();
    return *count ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaSetDevice(int number)
{
    MAY_FAIL();
    return pthread_setspecific(device, (void *)(intptr_t)number) ? cudaErrorUnknown : cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int number)
{
    MAY_FAIL();
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, number ? "emulated %d" : "emulated", number);
    const char *shared = getenv("KETLINE_EMULATED_SHARED");
    p->major = 9, p->multiProcessorCount = EMULATED_PROCESSORS;
    p->sharedMemPerBlockOptin = shared ? (size_t)atoi(shared) : (size_t)EMULATED_SHARED;
    return cudaSuccess;
}
