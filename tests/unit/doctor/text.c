/* SPDX-License-Identifier: MIT
   Forecasts in words: two digits, of a unit in which nobody has to count zeros. */
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "tests/unit/check.h"

static void expect(double seconds, const char *wanted)
{
    static const struct kl_cpu cpu = { 0 };
    struct kl_doctor d = { .cpu = &cpu, .isa = "base", .n_forecasts = 1 };
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) exit(70);
    d.forecast[0] = (struct kl_forecast){ "work", "some work", seconds };
    kl_doctor_text(to, &d);
    if (fclose(to) != 0) exit(70);
    const char *found = strstr(text, "about ");
    const size_t n = strlen(wanted);
    CHECK(found && strncmp(found, wanted, n) == 0 && found[n] == '\n', "%g s: found %.30s, expected %s",
          seconds, found ? found : "nothing", wanted);
    free(text);
}

int main(void)
{
    expect(33e-6, "about 33 us");
    expect(0.0864, "about 0.086 s");
    expect(7.9, "about 7.9 s");
    expect(99.4, "about 99 s");
    expect(167, "about 2.8 min");
    expect(5900, "about 98 min");
    expect(7200, "about 2 h");
    return failures != 0;
}
