/* SPDX-License-Identifier: MIT
   --device auto: when a GPU pays, and what is said where none is taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "kernels/device.h"
#include "tests/unit/check.h"

/* Check the words of kl_device_auto on this work, and that it stays with the CPU. */
static void says(const struct kl_device_work *work, int threads, const char *expected)
{
    char said[2048] = "";
    FILE *to = tmpfile();
    const struct kl_log log = { .tool = "test", .to = to, .level = 1 };
    struct kl_device device;
    struct kl_error err;
    if (!to) exit(1);
    CHECK(kl_device_choose(&device, "auto", &err) == KL_OK && !device.cuda, "auto begins elsewhere");
    kl_device_auto(&device, work, threads, &log);
    rewind(to);
    said[fread(said, 1, sizeof said - 1, to)] = '\0';
    fclose(to);
    CHECK(!device.cuda, "a GPU was taken");
    CHECK(expected ? strstr(said, expected) != NULL : !*said, "said: %s", said);
}

int main(void)
{
    const struct kl_device_work much = { 100, 2, NULL }, little = { 3, 2, NULL },
                                refused = { 100, 2, "not so" }, unknown = { 100, 0, NULL };
    CHECK(kl_device_pays(&much, 16) && !kl_device_pays(&much, 64), "more threads are quicker");
    CHECK(!kl_device_pays(&refused, 1) && !kl_device_pays(&unknown, 1),
          "what cannot be, or is not known");
    setenv("KETLINE_CUDA", "/nonexistent/library.so", 1);
    says(&much, 2, "the CPU; --device cuda: /nonexistent/library.so");
    says(&little, 2, "the CPU, about 1.5 s; a GPU would take about 2 s");
    says(&refused, 2, "the CPU; not so");
    says(&unknown, 2, "has not been measured");
    unsetenv("KETLINE_CUDA");
    if (access("/dev/nvidiactl", F_OK) != 0) says(&much, 2, NULL);
    return failures != 0;
}
