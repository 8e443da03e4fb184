/* SPDX-License-Identifier: MIT
   Finding cuDNN at run time. libcudnn.so has little in it: it loads the others itself at the first call,
   by name, and ends the process where that fails or brings another version's. So those beside it are
   loaded first. */
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/cuda/cudnn_int.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define LIBRARY "libcudnn.so." TEXT(CUDNN_MAJOR)
#define PACKAGE "python3*/site-packages/nvidia/cudnn/lib/" LIBRARY

/* Why the last file that was there could not be loaded. */
static thread_local char refusal[512];

static void *open_file(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(refusal, sizeof refusal, "%s", dlerror());
    return library;
}

/* The other libraries, and the first version that has them. */
static const struct {
    const char *name;
    size_t since;
} OTHERS[] = { { "graph", 0 },
               { "ops", 0 },
               { "cnn", 0 },
               { "engines_precompiled", 0 },
               { "engines_runtime_compiled", 0 },
               { "heuristic", 0 },
               { "engines_tensor_ir", 92100 },
               { "ext", 92200 } };
enum { N_OTHERS = sizeof OTHERS / sizeof *OTHERS };
#define OTHER "libcudnn_%s.so." TEXT(CUDNN_MAJOR)

/* Those in the folder where this one lies; what is not there is left to it. All or none. */
static bool load_others(void *library)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    void *others[N_OTHERS] = { NULL };
    bool all = true;
    if (dlinfo(library, RTLD_DI_ORIGIN, folder)) return true;
    for (int i = 0; i < N_OTHERS && all; i++) {
        snprintf(path, sizeof path, "%s/" OTHER, folder, OTHERS[i].name);
        if (access(path, F_OK) == 0) all = (others[i] = open_file(path)) != NULL;
    }
    for (void *other : others)
        if (!all && other) dlclose(other);
    return all;
}

/* A library that is not whole is treated as absent. */
static void *whole(void *library)
{
    if (!library || load_others(library)) return library;
    dlclose(library);
    return NULL;
}

/* The first file of FOLDER/PATTERN that can be loaded. */
static void *load_from(const char *folder, const char *pattern)
{
    char path[4096];
    glob_t found;
    void *library = NULL;
    if (!folder || !*folder) return NULL;
    if (snprintf(path, sizeof path, "%s/%s", folder, pattern) >= (int)sizeof path) return NULL;
    if (glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && !library; i++)
            library = whole(open_file(found.gl_pathv[i]));
    globfree(&found);
    return library;
}

/* Of an environment to which python3 in this folder belongs: ../lib/python3.x/site-packages beside it,
   and beside whatever it is a link to, step by step, since an environment's own is one to the system's.
 */
static void *load_beside(const char *folder)
{
    enum { STEPS = 8 };
    char python[4096], to[4096], at[4096];
    void *library = NULL;
    if (snprintf(python, sizeof python, "%s/python3", folder) >= (int)sizeof python) return NULL;
    for (int step = 0; step < STEPS && !library; step++) {
        char *slash = strrchr(python, '/');
        snprintf(at, sizeof at, "%.*s/../lib", (int)(slash - python < 4000 ? slash - python : 4000),
                 python);
        library = load_from(at, PACKAGE);
        const ssize_t n = readlink(python, to, sizeof to - 1);
        if (n <= 0) break;
        to[n] = '\0', *slash = '\0';
        snprintf(at, sizeof at, "%.2000s%s%.2000s", *to == '/' ? "" : python, *to == '/' ? "" : "/", to);
        snprintf(python, sizeof python, "%s", at);
    }
    return library;
}

/* Beside the programs that PATH names. */
static void *load_from_path(void)
{
    const char *path = getenv("PATH");
    char folder[4096];
    void *library = NULL;
    while (path && *path && !library) {
        const size_t n = strcspn(path, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)(n < 2000 ? n : 2000), path);
        library = load_beside(n ? folder : ".");
        path += n + (path[n] == ':');
    }
    return library;
}

static void *find_library(void)
{
    const char *own = getenv("CUDNN_HOME");
    if (own && *own) {
        void *library = load_from(own, "lib/" LIBRARY);
        if (!library) library = load_from(own, "lib64/" LIBRARY);
        return library ? library : load_from(own, "lib/*/" LIBRARY);
    }
    static const struct {
        const char *variable, *folder, *pattern;
    } places[] = { { "CUDA_HOME", NULL, "lib64/" LIBRARY },  { NULL, "/usr/local/cuda/lib64", LIBRARY },
                   { NULL, "/usr/local/cuda/lib", LIBRARY }, { "VIRTUAL_ENV", NULL, "lib/" PACKAGE },
                   { "CONDA_PREFIX", NULL, "lib/" LIBRARY }, { "CONDA_PREFIX", NULL, "lib/" PACKAGE },
                   { "HOME", NULL, ".local/lib/" PACKAGE } };
    void *library = whole(dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL)); /* which need not be there */
    for (size_t i = 0; i < sizeof places / sizeof *places && !library; i++)
        library = load_from(places[i].variable ? getenv(places[i].variable) : places[i].folder,
                            places[i].pattern);
    if (!library) library = load_from_path();
    return library ? library
                   : load_from("/usr/local/lib", "python3*/dist-packages/nvidia/cudnn/lib/" LIBRARY);
}

int kl_cudnn_load(struct kl_cudnn *cudnn, struct kl_error *err)
{
    const char *missing = NULL, *own = getenv("CUDNN_HOME");
    *refusal = '\0';
    void *library = find_library();
    if (!library)
        return kl_cuda_fail(
            err, KL_EDEVICE,
            "on a GPU other precisions than fp32 need cuDNN %d: no " LIBRARY
            " that can be loaded %s%.300s%s%s%s; CUDNN_HOME names the folder that holds it in "
            "lib ('pip install nvidia-cudnn-cu%d' brings one), --precision fp32 needs none",
            CUDNN_MAJOR, own && *own ? "under " : "was found", own && *own ? own : "",
            *refusal ? " (" : "", refusal, *refusal ? ")" : "", CUDART_VERSION / 1000);
#define FIND(name) \
    if (!(*(void **)&cudnn->name = dlsym(library, "cudnn" #name))) missing = #name
    KL_CUDNN_FUNCTIONS(FIND);
    *(void **)&cudnn->GetLastErrorString = dlsym(library, "cudnnGetLastErrorString");
    if (!missing) return KL_OK;
    return kl_cuda_fail(err, KL_EDEVICE, LIBRARY " has no cudnn%s: it is of another version than %d.%d",
                        missing, CUDNN_MAJOR, CUDNN_MINOR);
}

bool kl_cudnn_no_memory(cudnnStatus_t status)
{
    return status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
           status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
}

/* Describe the folder of a cuDNN that lacks one of its libraries, or found another version's. */
static void say_folder(char *text, size_t size, const struct kl_cudnn *cudnn)
{
    Dl_info found;
    char path[PATH_MAX];
    const char *slash = dladdr((void *)cudnn->Create, &found) ? strrchr(found.dli_fname, '/') : NULL;
    if (!slash) return;
    const int n = (int)(slash - found.dli_fname);
    for (const auto &other : OTHERS) {
        if (cudnn->GetVersion() < other.since) continue;
        snprintf(path, sizeof path, "%.*s/" OTHER, n, found.dli_fname, other.name);
        if (access(path, F_OK) == 0) continue;
        snprintf(text, size,
                 "; %.*s has no " OTHER ": install cuDNN anew, or name another by CUDNN_HOME", n,
                 found.dli_fname, other.name);
        return;
    }
    snprintf(text, size, "; all of its libraries are in %.*s: install cuDNN anew, all of one version", n,
             found.dli_fname);
}

int kl_cudnn_check(const struct kl_cudnn *cudnn, cudnnStatus_t status, const char *what,
                   struct kl_error *err)
{
    if (status == CUDNN_STATUS_SUCCESS) return KL_OK;
    if (kl_cudnn_no_memory(status)) return kl_cuda_check(cudaErrorMemoryAllocation, what, err);
    char why[512] = "", folder[512] = "";
    if (cudnn->GetLastErrorString) cudnn->GetLastErrorString(why, sizeof why);
    why[strcspn(why, "\n")] = '\0';
    if (status == CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH ||
        status == CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED ||
        status == CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE)
        say_folder(folder, sizeof folder, cudnn);
    return kl_cuda_fail(err, KL_EDEVICE, "%s: cuDNN says: %s%s%.300s%s", what,
                        cudnn->GetErrorString(status), *why ? ": " : "", why, folder);
}
