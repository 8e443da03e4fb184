/* SPDX-License-Identifier: MIT
   A YAML document as mappings of known keys, for model_file.c. */
#ifndef KL_CONTROL_YAML_INT_H
#define KL_CONTROL_YAML_INT_H

#include <yaml.h>

#include "control/model/model_int.h"

enum { KL_CONTROL_YAML_KEYS = 12 };
struct kl_control_yaml {
    const char *path;
    char *text;
    yaml_document_t document;
};
struct kl_control_yaml_map {
    const char *keys; /* "a|b|c" */
    char title[40];   /* "jumps 2", "" of the root */
    int line;         /* from 1 */
    yaml_node_t *value[KL_CONTROL_YAML_KEYS];
};
/* KL_ENOINPUT, KL_EDATA (no YAML, several documents), KL_ENOMEM. Close it if it was opened. */
int kl_control_yaml_open(struct kl_control_yaml *yaml, const char *path, struct kl_error *err);
void kl_control_yaml_close(struct kl_control_yaml *yaml);
/* The document as a mapping of these keys. KL_EDATA: it is none, a key is unknown or given twice. */
int kl_control_yaml_root(struct kl_control_yaml_map *map, struct kl_control_yaml *yaml, const char *keys,
                         struct kl_error *err);
/* "file.yaml:7: jumps 2: rate"; key -1: the whole mapping. */
void kl_control_yaml_where(char where[300], const struct kl_control_yaml *yaml,
                           const struct kl_control_yaml_map *map, int key);
/* A plain value; NULL: the key is not there. KL_EDATA: something else, or nothing, stands there. */
int kl_control_yaml_text(const char **text, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err);
/* The same, and it must be there. */
int kl_control_yaml_need(const char **text, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err);
/* The plain values of a list, or of one value alone, into texts [most]; n 0: the key is not there.
   KL_EDATA: something else, or more, stands there. */
int kl_control_yaml_values(const char **texts, int *n, int most, const struct kl_control_yaml *yaml,
                           const struct kl_control_yaml_map *map, int key, struct kl_error *err);
/* Items of a list, 0 where it is not there, and one of them as a mapping. KL_EDATA. */
int kl_control_yaml_list(int *n, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err);
int kl_control_yaml_item(struct kl_control_yaml_map *item, struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, int i, const char *keys,
                         struct kl_error *err);
/* Puts where before an error's text; its code becomes KL_EDATA, which is returned. */
int kl_control_yaml_prefix(struct kl_error *err, const char *where);

#endif
