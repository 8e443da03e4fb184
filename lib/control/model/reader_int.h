/* SPDX-License-Identifier: MIT
   Private to model_file.c and model_entries.c: a model's file while it is read. */
#ifndef KL_CONTROL_READER_INT_H
#define KL_CONTROL_READER_INT_H

#include "control/model/yaml_int.h"

struct kl_control_reader {
    struct kl_control_yaml yaml;
    struct kl_control_model *model;
    struct kl_control_system *s;
    struct kl_control_parts parts;
    int unit;                     /* of time, as kl_control_time_unit says */
    bool has_moduli;              /* so that a control may have no limit of its own */
    char how[KL_CONTROL_HOW + 4]; /* in which order the last matrix was read, " (C order)"; or "" */
    FILE *said;
    struct kl_error *err;
};

/* ---- model_file.c ---- */
/* A line of what was understood: texts of the file may hold anything. */
void __attribute__((format(printf, 2, 3)))
kl_control_reader_say(struct kl_control_reader *r, const char *format, ...);
/* " rad/ns" of what "rad"; "" where times have no unit. */
const char *kl_control_reader_per_time(const struct kl_control_reader *r, char text[16],
                                       const char *what);
/* "file.yaml:7: controls: limit" */
void kl_control_reader_place(char where[300], const struct kl_control_reader *r,
                             const struct kl_control_yaml_map *map, int key);
/* A number with its unit under a key; given: was it there? Then the same above 0, or from 0 on. */
int kl_control_reader_quantity(struct kl_control_reader *r, double *value, bool *given,
                               const struct kl_control_yaml_map *map, int key,
                               enum kl_control_quantity what);
int kl_control_reader_positive(struct kl_control_reader *r, double *value, bool *given,
                               const struct kl_control_yaml_map *map, int key,
                               enum kl_control_quantity what, bool zero);
/* A whole number, which stays as it is where the key is not there. */
int kl_control_reader_whole(struct kl_control_reader *r, int *value,
                            const struct kl_control_yaml_map *map, int key, int low, int high);
/* The text of a name, NULL where there is none. */
int kl_control_reader_name(struct kl_control_reader *r, const char **text,
                           const struct kl_control_yaml_map *map, int key);

/* ---- model_entries.c: one item of each list ---- */
int kl_control_reader_term(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
int kl_control_reader_jump(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
int kl_control_reader_decay(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
int kl_control_reader_control(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
int kl_control_reader_modulus(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
/* A control has limits of its own, or is one of a pair that has. */
int kl_control_reader_check_limits(struct kl_control_reader *r);

#endif
