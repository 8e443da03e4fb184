/* SPDX-License-Identifier: MIT
   What the machine has: memory from a file of known text; GPUs from a driver's library of our own, which
   a process of its own loads by LD_LIBRARY_PATH; the peak's order of magnitude. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "tests/unit/test_folder.h"

static int failures;
#define CHECK(condition, ...)                                                          \
    do {                                                                               \
        if (!(condition)) {                                                            \
            failures++;                                                                \
            printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), putchar('\n'); \
        }                                                                              \
    } while (0)

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) exit(1);
}

static void memory(const char *folder)
{
    char path[600];
    struct kl_memory m;
    snprintf(path, sizeof path, "%s/meminfo", folder);
    write_text(path, "MemTotal:       24684032 kB\nMemFree:  1 kB\nMemAvailable:   24059484 kB\n");
    kl_device_memory(&m, path);
    CHECK(m.total == 24684032ull * 1024 && m.available == 24059484ull * 1024, "found %llu, %llu",
          (unsigned long long)m.total, (unsigned long long)m.available);
    kl_device_memory(&m, "/nonexistent");
    CHECK(m.total == 0 && m.available == 0, "no file, nothing known");
}

/* A driver with two devices, or with an error. */
static const char driver_c[] =
    "#include <stdlib.h>\n#include <stdio.h>\n"
    "int cuInit(unsigned f) { (void)f; return getenv(\"NO_GPU\") ? 100 : 0; }\n"
    "int cuDriverGetVersion(int *v) { *v = 12040; return 0; }\n"
    "int cuDeviceGetCount(int *n) { *n = 2; return 0; }\n"
    "int cuDeviceGetName(char *t, int n, int d) { snprintf(t, n, \"Card %d\", d); return 0; }\n"
    "int cuDeviceTotalMem_v2(size_t *b, int d) { *b = (size_t)(d + 1) << 33; return 0; }\n"
    "int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 9 : d; return 0; }\n";

static void gpus_of_child(void)
{
    struct kl_gpus g;
    kl_device_gpus(&g);
    if (getenv("NO_GPU")) {
        CHECK(g.library && g.n == 0 && strstr(g.problem, "100"), "found %d: %s", g.n, g.problem);
        return;
    }
    CHECK(g.library && g.n == 2 && g.driver == 12040 && !*g.problem, "found %d: %s", g.n, g.problem);
    CHECK(strcmp(g.gpu[1].name, "Card 1") == 0 && g.gpu[1].memory == 2ull << 33 && g.gpu[1].major == 9 &&
              g.gpu[1].minor == 1,
          "%s, %d.%d", g.gpu[1].name, g.gpu[1].major, g.gpu[1].minor);
}

static void gpus(const char *folder, const char *self)
{
    char command[4096], source[600];
    struct kl_gpus g;
    snprintf(source, sizeof source, "%s/driver.c", folder);
    write_text(source, driver_c);
    snprintf(
        command, sizeof command,
        "cc -shared -fPIC -o '%s/libcuda.so.1' '%s' && LD_LIBRARY_PATH='%s' '%s' gpus && "
        "LD_LIBRARY_PATH='%s' NO_GPU=1 '%s' gpus && rm '%s/libcuda.so.1' && echo >'%s/libcuda.so.1' "
        "&& LD_LIBRARY_PATH='%s' '%s' damaged",
        folder, source, folder, self, folder, self, folder, folder, folder, self);
    CHECK(system(command) == 0, "a driver of our own");
    kl_device_gpus(&g);
    CHECK(g.n == 0 || (g.library && *g.gpu[0].name), "whatever is here has a name");
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        struct kl_gpus g;
        if (strcmp(argv[1], "gpus") == 0) gpus_of_child();
        else kl_device_gpus(&g); /* a library that is none: no crash */
        return failures != 0;
    }
    make_test_folder();
    memory(test_folder);
    gpus(test_folder, argv[0]);
    const double base = kl_device_peak_gflops("base");
    CHECK(base > 0.5 && base < 1000, "%g GFLOP/s of four lanes", base);
    float values[256];
    for (int i = 0; i < 256; i++) values[i] = 1;
    CHECK(kl_device_read_memory(values, 256) == 64 && kl_device_read_memory(values, 3) == 0,
          "lanes 0 and 7 of 32 each");
    return failures != 0;
}
