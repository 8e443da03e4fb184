/* SPDX-License-Identifier: MIT
   Where the weights lie that ketline ships with. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backbone/backbone.h"

/* Without "bin/../..": the path is what provenance and messages show. */
static void tidy(char *path, size_t size)
{
    char *whole = realpath(path, NULL);
    if (whole && strlen(whole) < size) memcpy(path, whole, strlen(whole) + 1);
    free(whole);
}

int kl_backbone_weights_shipped(char *path, size_t size, struct kl_error *err)
{
    static const char file[] = "backbone/resnet18-gray28-f16.safetensors";
    char exe[2048] = "";
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    if (strrchr(exe, '/')) *strrchr(exe, '/') = 0;
    const char *data = getenv("KETLINE_DATA");
    const char *const forms[] = { "../share/ketline", "../../data", "../../../data" };
    if (data && *data) {
        snprintf(path, size, "%s/%s", data, file);
        if (access(path, R_OK) != 0)
            return kl_fail(
                err, KL_ENOINPUT,
                "KETLINE_DATA=%s: found no %s there, or none that can be read; unset it, or give "
                "--weights FILE",
                data, file);
        tidy(path, size);
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        snprintf(path, size, "%s/%s/%s", exe, forms[k], file);
        if (access(path, R_OK) == 0) {
            tidy(path, size);
            return 0;
        }
    }
    return kl_fail(err, KL_ENOINPUT,
                   "the shipped weights (%s) are not beside the program; set KETLINE_DATA to the folder "
                   "above backbone, or give --weights FILE",
                   file);
}
