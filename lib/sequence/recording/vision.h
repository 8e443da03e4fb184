/* SPDX-License-Identifier: MIT
   Lines of BrainVision's headers and markers: sections of KEY=VALUE. Private to this room. */
#ifndef KL_SEQUENCE_VISION_H
#define KL_SEQUENCE_VISION_H

#include "sequence/recording/recording_int.h"

struct kl_sequence_ini {
    const char *path;
    char *text, *rest;
    size_t line; /* the last that was read, from 0, the one that says what the file is */
    char *section, *key, *value;
};
/* what: "Header File", "Marker File", which the first line must say. KL_ENOINPUT, KL_EDATA, KL_EIO,
   KL_ENOMEM. Close it in any case. */
int kl_sequence_ini_open(struct kl_sequence_ini *f, const char *path, const char *what,
                         struct kl_error *err);
/* The next line into key and value; false: there is none. */
bool kl_sequence_ini_next(struct kl_sequence_ini *f);
void kl_sequence_ini_close(struct kl_sequence_ini *f);

#endif
