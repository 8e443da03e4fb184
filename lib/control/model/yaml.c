/* SPDX-License-Identifier: MIT
   A YAML document as mappings of known keys: one line says what is wrong, and where. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "control/model/model_int.h"

enum { LARGEST = 1 << 16, MOST_ITEMS = 64 };

static int line_of(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

static int not_yaml(const struct kl_control_yaml *yaml, const yaml_parser_t *parser,
                    struct kl_error *err)
{
    if (parser->error == YAML_MEMORY_ERROR) return kl_fail_memory(err, LARGEST);
    return kl_fail(err, KL_EDATA, "%s:%zu: not YAML: %s", yaml->path, parser->problem_mark.line + 1,
                   parser->problem ? parser->problem : "unreadable");
}

/* One document, and no more. */
static int load(struct kl_control_yaml *yaml, yaml_parser_t *parser, struct kl_error *err)
{
    yaml_document_t more;
    if (!yaml_parser_load(parser, &yaml->document)) return not_yaml(yaml, parser, err);
    if (!yaml_document_get_root_node(&yaml->document)) {
        yaml_document_delete(&yaml->document);
        return kl_fail(err, KL_EDATA, "%s: is empty, expected a model", yaml->path);
    }
    int code = yaml_parser_load(parser, &more) ? KL_OK : not_yaml(yaml, parser, err);
    if (!code) {
        if (yaml_document_get_root_node(&more))
            code = kl_fail(err, KL_EDATA, "%s: found a second document, expected one", yaml->path);
        yaml_document_delete(&more);
    }
    if (code) yaml_document_delete(&yaml->document);
    return code;
}

int kl_control_yaml_open(struct kl_control_yaml *yaml, const char *path, struct kl_error *err)
{
    yaml_parser_t parser;
    size_t n;
    *yaml = (struct kl_control_yaml){ .path = path };
    int code = kl_read_text(&yaml->text, &n, path, LARGEST, "a model", err);
    if (code) return code;
    if (!yaml_parser_initialize(&parser)) code = kl_fail_memory(err, sizeof parser);
    else {
        yaml_parser_set_input_string(&parser, (const unsigned char *)yaml->text, n);
        code = load(yaml, &parser, err);
        yaml_parser_delete(&parser);
    }
    if (code) free(yaml->text);
    return code;
}

void kl_control_yaml_close(struct kl_control_yaml *yaml)
{
    yaml_document_delete(&yaml->document);
    free(yaml->text);
}

/* A key's word in "a|b|c", and its length. */
static const char *word_at(const char *keys, int key)
{
    for (; key > 0; key--) keys = strchr(keys, '|') + 1;
    return keys;
}

static int word_of(const char *keys, int key)
{
    return (int)strcspn(word_at(keys, key), "|");
}

void kl_control_yaml_where(char where[300], const struct kl_control_yaml *yaml,
                           const struct kl_control_yaml_map *map, int key)
{
    const int line = key >= 0 && map->value[key] ? line_of(map->value[key]) : map->line;
    const char *title = *map->title ? ": " : "";
    if (key < 0) snprintf(where, 300, "%.200s:%d%s%s", yaml->path, line, title, map->title);
    else
        snprintf(where, 300, "%.200s:%d%s%s: %.*s", yaml->path, line, title, map->title,
                 word_of(map->keys, key), word_at(map->keys, key));
}

static int unknown_key(const struct kl_control_yaml *yaml, const struct kl_control_yaml_map *map,
                       const yaml_node_t *node, struct kl_error *err)
{
    const char *const name = (const char *)node->data.scalar.value;
    char meant[KL_MEANT];
    size_t n;
    const char *key = kl_choice_meant(map->keys, name, &n);
    const bool range =
        strstr(map->keys, "limit") && kl_choice("min|max|lower|upper|low|high", name) >= 0;
    return kl_fail(err, KL_EDATA, "%s:%d%s%s: found no such key as '%.40s'%s", yaml->path, line_of(node),
                   *map->title ? ": " : "", map->title, name,
                   range ? "; limits stand in a list: limit: [0 MHz, 50 MHz]"
                         : kl_meant_words(meant, key, n));
}

static int fill(struct kl_control_yaml_map *map, struct kl_control_yaml *yaml, const yaml_node_t *node,
                struct kl_error *err)
{
    map->line = line_of(node);
    if (node->type != YAML_MAPPING_NODE)
        return kl_fail(err, KL_EDATA, "%s:%d%s%s: expected a mapping of %s", yaml->path, map->line,
                       *map->title ? ": " : "", map->title, map->keys);
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *name = yaml_document_get_node(&yaml->document, pair->key);
        if (name->type != YAML_SCALAR_NODE || strchr((const char *)name->data.scalar.value, '|') ||
            strlen((const char *)name->data.scalar.value) != name->data.scalar.length)
            return kl_fail(err, KL_EDATA, "%s:%d: expected a key, one of %s", yaml->path, line_of(name),
                           map->keys);
        const int key = kl_choice(map->keys, (const char *)name->data.scalar.value);
        if (key < 0) return unknown_key(yaml, map, name, err);
        if (map->value[key])
            return kl_fail(err, KL_EDATA, "%s:%d: %s is given twice", yaml->path, line_of(name),
                           (const char *)name->data.scalar.value);
        map->value[key] = yaml_document_get_node(&yaml->document, pair->value);
    }
    return KL_OK;
}

int kl_control_yaml_root(struct kl_control_yaml_map *map, struct kl_control_yaml *yaml, const char *keys,
                         struct kl_error *err)
{
    *map = (struct kl_control_yaml_map){ .keys = keys };
    return fill(map, yaml, yaml_document_get_root_node(&yaml->document), err);
}

/* Is it a value that YAML reads as none? Then its key counts as not there. */
static bool is_null(const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE) return false;
    const char *text = (const char *)node->data.scalar.value;
    return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (!*text || strcmp(text, "~") == 0 || strcasecmp(text, "null") == 0);
}

/* Take the text of a node; where: its place in the file, for messages. */
static int text_of(const char **text, const yaml_node_t *node, const char *where, struct kl_error *err)
{
    if (node->type != YAML_SCALAR_NODE)
        return kl_fail(err, KL_EDATA, "%s: expected one plain value, found a %s", where,
                       node->type == YAML_SEQUENCE_NODE ? "list" : "mapping");
    *text = (const char *)node->data.scalar.value;
    if (strlen(*text) != node->data.scalar.length)
        return kl_fail(err, KL_EDATA, "%s: found a zero byte inside the value", where);
    if (!**text) return kl_fail(err, KL_EDATA, "%s: found no value", where);
    return KL_OK;
}

int kl_control_yaml_text(const char **text, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err)
{
    char where[300];
    *text = NULL;
    if (!map->value[key] || is_null(map->value[key])) return KL_OK;
    kl_control_yaml_where(where, yaml, map, key);
    return text_of(text, map->value[key], where, err);
}

int kl_control_yaml_values(const char **texts, int *n, int most, const struct kl_control_yaml *yaml,
                           const struct kl_control_yaml_map *map, int key, struct kl_error *err)
{
    char where[300];
    yaml_node_t *const node = map->value[key];
    *n = 0;
    if (!node || is_null(node)) return KL_OK;
    kl_control_yaml_where(where, yaml, map, key);
    if (node->type != YAML_SEQUENCE_NODE) return *n = 1, text_of(texts, node, where, err);
    const ptrdiff_t items = node->data.sequence.items.top - node->data.sequence.items.start;
    if (items < 1 || items > most)
        return kl_fail(err, KL_EDATA, "%s: found a list of %td, expected one of 1 to %d", where, items,
                       most);
    int code = KL_OK;
    for (; *n < (int)items && !code; ++*n)
        code = text_of(&texts[*n],
                       yaml_document_get_node((yaml_document_t *)&yaml->document,
                                              node->data.sequence.items.start[*n]),
                       where, err);
    return code;
}

int kl_control_yaml_need(const char **text, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err)
{
    char where[300];
    const int code = kl_control_yaml_text(text, yaml, map, key, err);
    if (code || *text) return code;
    if (map->value[key]) {
        kl_control_yaml_where(where, yaml, map, key);
        return kl_fail(err, KL_EDATA, "%s: found no value", where);
    }
    kl_control_yaml_where(where, yaml, map, -1);
    return kl_fail(err, KL_EDATA, "%s: %.*s is missing", where, word_of(map->keys, key),
                   word_at(map->keys, key));
}

int kl_control_yaml_list(int *n, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err)
{
    const yaml_node_t *node = map->value[key];
    char where[300];
    *n = 0;
    if (!node || is_null(node)) return KL_OK;
    kl_control_yaml_where(where, yaml, map, key);
    if (node->type != YAML_SEQUENCE_NODE)
        return kl_fail(err, KL_EDATA, "%s: expected a list, its lines begin with '- '", where);
    const ptrdiff_t items = node->data.sequence.items.top - node->data.sequence.items.start;
    if (items > MOST_ITEMS)
        return kl_fail(err, KL_EDATA, "%s: found %td items, expected at most %d", where, items,
                       (int)MOST_ITEMS);
    *n = (int)items;
    return KL_OK;
}

int kl_control_yaml_item(struct kl_control_yaml_map *item, struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, int i, const char *keys,
                         struct kl_error *err)
{
    *item = (struct kl_control_yaml_map){ .keys = keys };
    snprintf(item->title, sizeof item->title, "%.*s %d", word_of(map->keys, key),
             word_at(map->keys, key), i + 1);
    const yaml_node_t *node = map->value[key];
    return fill(item, yaml, yaml_document_get_node(&yaml->document, node->data.sequence.items.start[i]),
                err);
}

int kl_control_yaml_prefix(struct kl_error *err, const char *where)
{
    char text[sizeof err->text];
    if (!err) return KL_EDATA;
    memcpy(text, err->text, sizeof text);
    return kl_fail(err, KL_EDATA, "%.300s: %.700s", where, text);
}
