/* SPDX-License-Identifier: MIT
   A synthetic person's file and the truth of all while allocations fail. */
#include <jansson.h>
#include <stdlib.h>

#include "each.h"
#include "sequence/synthetic/synthetic.h"

static struct kl_sequence_people o;

static int file(struct kl_error *err)
{
    char *bytes;
    size_t n;
    const int code = kl_sequence_people_file(&bytes, &n, &o, 0, 1, err);
    const bool right = code ? !bytes : n > 10000 && memcmp(bytes + 192, "EDF+C", 5) == 0;
    free(bytes);
    return code || right ? code : kl_fail(err, KL_EINTERNAL, "%zu bytes", n);
}

static int truth(struct kl_error *err)
{
    json_t *value = NULL;
    char *text = NULL;
    int code = kl_sequence_people_truth(&value, &o, err);
    if (!code) code = kl_json_dump(&text, value, err);
    json_decref(value), free(text);
    return code;
}

int main(void)
{
    kl_sequence_people_default(&o);
    o.people = 2, o.channels = 8, o.trials = 2;
    check_each("file", file, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("truth", truth, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    return failures != 0;
}
