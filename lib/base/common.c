/* SPDX-License-Identifier: MIT
   The options that every tool has. --device only those have that run on a GPU too (kernels/device.h). */
#include "base/base_int.h"

#define FIELD(name) offsetof(struct kl_common, name)

const struct kl_option kl_common_options[] = {
    { "output", 'o', KL_OPT_STRING, FIELD(output), "FILE", 0, 0, false,
      "write the result here; - is standard output", NULL, NULL },
    { "store", 0, KL_OPT_STRING, FIELD(store), "DIR", 0, 0, false,
      "look in and add to a shared store (KETLINE_STORE)", NULL, NULL },
    { "force", 'f', KL_OPT_FLAG, FIELD(force), NULL, 0, 0, false,
      "compute even if up to date; replace any file", NULL, NULL },
    { "dry-run", 'n', KL_OPT_FLAG, FIELD(dry_run), NULL, 0, 0, false,
      "say hit or miss, and why; write nothing", NULL, NULL },
    { "key", 0, KL_OPT_FLAG, FIELD(print_key), NULL, 0, 0, false,
      "print the key of the result; compute nothing", NULL, NULL },
    { "seed", 0, KL_OPT_INT, FIELD(seed), "N", 0, 9007199254740992.0, false, "fixes everything random",
      NULL, NULL },
    { "threads", 'j', KL_OPT_INT, FIELD(threads), "N", 0, 4096, false, "0: what the machine allows",
      NULL, NULL },
    { "config", 'c', KL_OPT_STRING, FIELD(config), "FILE", 0, 0, false,
      "read options from YAML; the command line wins", NULL, NULL },
    { "print-config", 0, KL_OPT_FLAG, FIELD(print_config), NULL, 0, 0, false,
      "print the effective options as YAML", NULL, NULL },
    { "note", 0, KL_OPT_STRING, FIELD(note), "TEXT", 0, 0, false, "a remark for the provenance record",
      NULL, NULL },
    { "no-provenance", 0, KL_OPT_FLAG, FIELD(no_provenance), NULL, 0, 0, false,
      "no record: two runs give equal bytes", NULL, NULL },
    { "json", 0, KL_OPT_FLAG, FIELD(json), NULL, 0, 0, false, "the summary as one JSON object", NULL,
      NULL },
    { "progress", 0, KL_OPT_CHOICE, FIELD(progress), "auto|bar|plain|json|none", 0, 0, false,
      "how progress is shown", NULL, NULL },
    { "quiet", 'q', KL_OPT_FLAG, FIELD(quiet), NULL, 0, 0, false, "errors only", NULL, NULL },
    { "verbose", 'v', KL_OPT_FLAG, FIELD(verbose), NULL, 0, 0, false, "say more", NULL, NULL },
    { "help", 'h', KL_OPT_FLAG, FIELD(help), NULL, 0, 0, false, "this text", NULL, NULL },
    { "version", 'V', KL_OPT_FLAG, FIELD(version), NULL, 0, 0, false, "name and version", NULL, NULL },
    { "emit", 0, KL_OPT_CHOICE, FIELD(emit), KL_EMIT_CHOICES, 0, 0, false, NULL, NULL, NULL },
};
const size_t kl_n_common_options = sizeof kl_common_options / sizeof *kl_common_options;
