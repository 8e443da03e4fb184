/* SPDX-License-Identifier: MIT
   A state dictionary of torch.save: data.pkl in a zip archive. The stack machine builds values; the only
   "calls" are an empty ordered dictionary and a tensor over a storage, both done here; every other name
   is refused before anything is built from it. */
#include <stdlib.h>
#include <string.h>

#include "backbone/weights_int.h"

enum { MAX_VALUES = 200000, MAX_MEMO = 1000000, MAX_STRING = 65536, MAX_STACK = 100000, NONE = -1 };

enum type { T_MARK, T_NONE, T_BOOL, T_INT, T_STRING, T_NAME, T_TUPLE, T_DICT, T_STORAGE, T_TENSOR };
enum name { N_ORDERED_DICT, N_REBUILD_TENSOR, N_REBUILD_PARAMETER, N_STORAGE };

/* A value is made once and never changes, but for dictionaries, which grow. */
struct value {
    enum type type;
    int64_t integer;           /* BOOL, INT; NAME: which; STORAGE: elements */
    const unsigned char *text; /* STRING: in the file; STORAGE: its bytes */
    size_t n;                  /* STRING: bytes; TUPLE, DICT: items (a DICT has 2 a pair) */
    int *items;                /* TUPLE, DICT: values */
    size_t room;
    enum kl_element element; /* STORAGE, and NAME of a storage's type */
    int storage, rank;       /* TENSOR */
    size_t offset, dims[4], strides[4];
};

struct machine {
    const struct kl_bytes *file;
    struct kl_error *err;
    const struct kl_zip *zip;
    const char *prefix; /* of the members: "archive/" */
    const unsigned char *at, *end;
    struct value *values;
    int n_values, room_values;
    int *stack, *memo;
    int depth, n_memo;
};

static int bad(struct machine *m, const char *why)
{
    return kl_fail(m->err, KL_EDATA, "%s: the pickle in it is refused: %s", m->file->path, why);
}

static int new_value(struct machine *m, enum type type)
{
    if (m->n_values == MAX_VALUES) return bad(m, "too many values");
    if (m->n_values == m->room_values) {
        const int room = m->room_values ? 2 * m->room_values : 256;
        struct value *more = realloc(m->values, (size_t)room * sizeof *more);
        if (!more) return kl_fail_memory(m->err, (size_t)room * sizeof *more);
        m->values = more;
        m->room_values = room;
    }
    m->values[m->n_values] = (struct value){ .type = type };
    return m->n_values++;
}

static int push(struct machine *m, int value)
{
    if (value < 0) return value;
    if (m->depth == MAX_STACK) return bad(m, "the stack is too deep");
    m->stack[m->depth++] = value;
    return 0;
}

static int push_int(struct machine *m, enum type type, int64_t integer)
{
    const int v = new_value(m, type);
    if (v >= 0) m->values[v].integer = integer;
    return push(m, v);
}

/* The top value if it has this type; NULL after a message. */
static struct value *top(struct machine *m, int below, enum type type)
{
    if (m->depth > below && m->values[m->stack[m->depth - 1 - below]].type == type)
        return &m->values[m->stack[m->depth - 1 - below]];
    bad(m, "an instruction finds a value of another type on the stack");
    return NULL;
}

static bool take(struct machine *m, const unsigned char **bytes, size_t n)
{
    if ((size_t)(m->end - m->at) < n) return false;
    *bytes = m->at;
    m->at += n;
    return true;
}

static uint32_t little(const unsigned char *b, int n)
{
    uint32_t x = 0;
    for (int i = 0; i < n; i++) x |= (uint32_t)b[i] << (8 * i);
    return x;
}

static int add_items(struct machine *m, int value, const int *items, size_t n)
{
    struct value *v = &m->values[value];
    if (n > v->room - v->n) {
        const size_t room = v->n + n + v->room;
        int *more = realloc(v->items, room * sizeof *more);
        if (!more) return kl_fail_memory(m->err, room * sizeof *more);
        v->items = more;
        v->room = room;
    }
    if (n) memcpy(v->items + v->n, items, n * sizeof *items);
    v->n += n;
    return 0;
}

/* The top n values become a tuple. */
static int make_tuple(struct machine *m, int n)
{
    if (m->depth < n) return bad(m, "the stack is empty");
    for (int i = 0; i < n; i++)
        if (m->values[m->stack[m->depth - 1 - i]].type == T_MARK) return bad(m, "a mark inside a tuple");
    const int tuple = new_value(m, T_TUPLE);
    if (tuple < 0) return tuple;
    const int rc = add_items(m, tuple, m->stack + m->depth - n, (size_t)n);
    m->depth -= n;
    return rc ? rc : push(m, tuple);
}

/* How many values lie above the last mark; negative: a code. */
static int above_mark(struct machine *m)
{
    for (int i = 0; i < m->depth; i++)
        if (m->values[m->stack[m->depth - 1 - i]].type == T_MARK) return i;
    return bad(m, "no mark on the stack");
}

static int set_items(struct machine *m, int n)
{
    if (n % 2 || m->depth < n + 1) return bad(m, "a key without a value");
    if (!top(m, n, T_DICT)) return KL_EDATA;
    m->depth -= n;
    return add_items(m, m->stack[m->depth - 1], m->stack + m->depth, (size_t)n);
}

static bool is_text(const struct value *v, const char *text)
{
    return v->type == T_STRING && v->n == strlen(text) && memcmp(v->text, text, v->n) == 0;
}

static bool line_is(const unsigned char *line, size_t n, const char *text)
{
    return n == strlen(text) && memcmp(line, text, n) == 0;
}

/* GLOBAL: two lines, module and name. Only those that a dictionary of tensors needs are known. */
static int global(struct machine *m)
{
    static const struct {
        const char *name;
        enum kl_element element;
    } storages[] = { { "FloatStorage", KL_EL_F32 }, { "DoubleStorage", KL_EL_F64 },
                     { "HalfStorage", KL_EL_F16 },  { "BFloat16Storage", KL_EL_BF16 },
                     { "LongStorage", KL_EL_I64 },  { "IntStorage", KL_EL_I32 } };
    const unsigned char *lines[2];
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        const unsigned char *end = memchr(m->at, '\n', (size_t)(m->end - m->at));
        if (!end) return bad(m, "it is truncated");
        lines[i] = m->at;
        n[i] = (size_t)(end - m->at);
        m->at = end + 1;
    }
    const int v = new_value(m, T_NAME);
    if (v < 0) return v;
    struct value *name = &m->values[v];
    if (line_is(lines[0], n[0], "collections") && line_is(lines[1], n[1], "OrderedDict")) {
        name->integer = N_ORDERED_DICT;
        return push(m, v);
    }
    if (line_is(lines[0], n[0], "torch._utils") && line_is(lines[1], n[1], "_rebuild_tensor_v2")) {
        name->integer = N_REBUILD_TENSOR;
        return push(m, v);
    }
    if (line_is(lines[0], n[0], "torch._utils") && line_is(lines[1], n[1], "_rebuild_parameter")) {
        name->integer = N_REBUILD_PARAMETER;
        return push(m, v);
    }
    for (size_t i = 0; i < sizeof storages / sizeof *storages && line_is(lines[0], n[0], "torch"); i++)
        if (line_is(lines[1], n[1], storages[i].name)) {
            name->integer = N_STORAGE;
            name->element = storages[i].element;
            return push(m, v);
        }
    char shown[2][41] = { "", "" }; /* its own words, without control characters */
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < n[i] && k < 40; k++)
            shown[i][k] = lines[i][k] > 0x20 && lines[i][k] < 0x7f ? (char)lines[i][k] : '?';
    return kl_fail(
        m->err, KL_EDATA,
        "%s: the pickle in it is refused: it names %s.%s, which no state dictionary of tensors "
        "needs; nothing was executed",
        m->file->path, shown[0], shown[1]);
}

/* BINPERSID: ('storage', type, key, location, elements), whose bytes are the member data/key, exactly. */
static int persistent(struct machine *m)
{
    char name[256];
    const struct value *tuple = top(m, 0, T_TUPLE);
    if (!tuple) return KL_EDATA;
    if (tuple->n != 5) return bad(m, "a persistent id that is not of a storage");
    const struct value *v = m->values;
    const int *id = tuple->items;
    if (!is_text(&v[id[0]], "storage") || v[id[1]].type != T_NAME || v[id[1]].integer != N_STORAGE ||
        v[id[2]].type != T_STRING || v[id[3]].type != T_STRING || v[id[4]].type != T_INT)
        return bad(m, "a persistent id that is not of a storage");
    const enum kl_element element = v[id[1]].element;
    const int64_t n = v[id[4]].integer;
    const struct value *key = &v[id[2]];
    for (size_t i = 0; i < key->n; i++)
        if (key->text[i] < '0' || key->text[i] > '9' || key->n > 20)
            return bad(m, "the key of a storage is not a number");
    snprintf(name, sizeof name, "%.200sdata/%.*s", m->prefix, (int)key->n, (const char *)key->text);
    const struct kl_zip_member *member = kl_zip_find(m->zip, name);
    if (!member) return bad(m, "a storage has no member in the archive");
    if (n < 0 || (uint64_t)n != member->n / kl_element_size(element) ||
        member->n % kl_element_size(element))
        return bad(m, "a storage's declared length differs from its data in the archive");
    m->depth--;
    const int storage = new_value(m, T_STORAGE);
    if (storage < 0) return storage;
    m->values[storage].integer = n;
    m->values[storage].text = member->data;
    m->values[storage].element = element;
    return push(m, storage);
}

/* A tuple of at most four sizes. */
static bool sizes_of(size_t sizes[4], int *rank, const struct machine *m, const struct value *tuple)
{
    if (tuple->type != T_TUPLE || tuple->n > 4) return false;
    for (size_t i = 0; i < tuple->n; i++) {
        const struct value *v = &m->values[tuple->items[i]];
        if (v->type != T_INT || v->integer < 0) return false;
        sizes[i] = (size_t)v->integer;
    }
    *rank = (int)tuple->n;
    return true;
}

/* Does the last element lie in the storage, and has the tensor no more elements than it (as a stride of
   0 would allow)? All in overflow-checked sums. */
static bool extent_fits(const struct value *t, int64_t elements)
{
    size_t last = t->offset, step, n = 1;
    for (int i = 0; i < t->rank; i++)
        if (t->dims[i] == 0) return t->offset <= (size_t)elements;
    for (int i = 0; i < t->rank; i++)
        if (__builtin_mul_overflow(t->dims[i] - 1, t->strides[i], &step) ||
            __builtin_add_overflow(last, step, &last) || __builtin_mul_overflow(n, t->dims[i], &n))
            return false;
    return last < (size_t)elements && n <= (size_t)elements;
}

/* _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks): a view, checked. */
static int rebuild_tensor(struct machine *m, const int *args, size_t n)
{
    int rank = 0;
    const struct value *v = m->values;
    struct value t = { .type = T_TENSOR };
    if (n < 6 || v[args[0]].type != T_STORAGE || v[args[1]].type != T_INT || v[args[1]].integer < 0 ||
        n > 6 || v[args[4]].type != T_BOOL || v[args[5]].type != T_DICT || v[args[5]].n)
        return bad(m, "the arguments of a tensor are not storage, offset, size, stride, flag, no hooks");
    t.storage = args[0];
    t.offset = (size_t)v[args[1]].integer;
    if (!sizes_of(t.dims, &t.rank, m, &v[args[2]]) || !sizes_of(t.strides, &rank, m, &v[args[3]]) ||
        rank != t.rank)
        return bad(m, "the size or stride of a tensor is not one of at most four whole numbers");
    if (!extent_fits(&t, v[t.storage].integer)) return bad(m, "a tensor reaches beyond its storage");
    const int tensor = new_value(m, T_TENSOR);
    if (tensor >= 0) m->values[tensor] = t;
    return tensor;
}

/* REDUCE: name, tuple of arguments. */
static int reduce(struct machine *m)
{
    const struct value *args = top(m, 0, T_TUPLE), *name = args ? top(m, 1, T_NAME) : NULL;
    int result;
    if (!name) return KL_EDATA;
    if (name->integer == N_ORDERED_DICT && args->n == 0) result = new_value(m, T_DICT);
    else if (name->integer == N_REBUILD_TENSOR) result = rebuild_tensor(m, args->items, args->n);
    else if (name->integer == N_REBUILD_PARAMETER && args->n == 3 &&
             m->values[args->items[0]].type == T_TENSOR)
        result = args->items[0];
    else return bad(m, "a call that no state dictionary needs");
    m->depth -= 2;
    return push(m, result);
}

/* BUILD: a dictionary's attributes (_metadata of a state dictionary), which are not needed. */
static int build(struct machine *m)
{
    if (!top(m, 0, T_DICT) || !top(m, 1, T_DICT)) return KL_EDATA;
    m->depth--;
    return 0;
}

static int memo_put(struct machine *m, uint32_t i)
{
    if (i >= MAX_MEMO) return bad(m, "its memo is too large");
    if (m->depth == 0 || m->values[m->stack[m->depth - 1]].type == T_MARK)
        return bad(m, "a memo of nothing");
    if (i >= (uint32_t)m->n_memo) {
        const size_t room = 2 * (size_t)i + 256;
        int *more = realloc(m->memo, room * sizeof *more);
        if (!more) return kl_fail_memory(m->err, room * sizeof *more);
        for (size_t k = (size_t)m->n_memo; k < room; k++) more[k] = NONE;
        m->memo = more;
        m->n_memo = (int)room;
    }
    m->memo[i] = m->stack[m->depth - 1];
    return 0;
}

static int memo_get(struct machine *m, uint32_t i)
{
    if (i >= (uint32_t)m->n_memo || m->memo[i] == NONE)
        return bad(m, "it reads a memo that was not written");
    return push(m, m->memo[i]);
}

static int string(struct machine *m, size_t n)
{
    const unsigned char *text;
    if (n > MAX_STRING || !take(m, &text, n)) return bad(m, "a string is too long");
    const int v = new_value(m, T_STRING);
    if (v >= 0) {
        m->values[v].text = text;
        m->values[v].n = n;
    }
    return push(m, v);
}

/* LONG1: n bytes, two's complement, little-endian. */
static int long1(struct machine *m, size_t n)
{
    const unsigned char *b;
    int64_t x = 0;
    if (n > 8 || !take(m, &b, n)) return bad(m, "a number of more than 64 bits");
    for (size_t i = 0; i < n; i++) x |= (int64_t)((uint64_t)b[i] << (8 * i));
    if (n && n < 8 && b[n - 1] & 0x80) x |= (int64_t)(UINT64_MAX << (8 * n));
    return push_int(m, T_INT, x);
}

/* Bytes of the operand that follows an opcode; negative: refused. */
static int operand(unsigned char opcode)
{
    switch (opcode) {
    case 0x80:
    case 'q':
    case 'h':
    case 'K':
    case 0x8a: return 1; /* PROTO BINPUT BINGET BININT1 LONG1 */
    case 'M': return 2;  /* BININT2 */
    case 'r':
    case 'j':
    case 'J':
    case 'X': return 4; /* LONG_BINPUT LONG_BINGET BININT BINUNICODE */
    case 'c':
    case '}':
    case ')':
    case '(':
    case 't':
    case 0x85:
    case 0x86:
    case 0x87:
    case 'N':
    case 0x88:
    case 0x89:
    case 'u':
    case 's':
    case 'R':
    case 'Q':
    case 'b': return 0;
    default: return -1;
    }
}

static int step(struct machine *m, unsigned char opcode)
{
    const unsigned char *b = NULL;
    const int width = operand(opcode);
    int n;
    if (width < 0)
        return kl_fail(m->err, KL_EDATA,
                       "%s: the pickle in it is refused: opcode 0x%02x, which no state dictionary of "
                       "tensors needs",
                       m->file->path, opcode);
    if (!take(m, &b, (size_t)width)) return bad(m, "it is truncated");
    const uint32_t x = little(b, width);
    switch (opcode) {
    case 0x80: return x == 2 ? 0 : bad(m, "its protocol is not 2");
    case 'q':
    case 'r': return memo_put(m, x);
    case 'h':
    case 'j': return memo_get(m, x);
    case 'K':
    case 'M': return push_int(m, T_INT, x);
    case 'J': return push_int(m, T_INT, (int32_t)x);
    case 0x8a: return long1(m, x);
    case 'X': return string(m, x);
    case 'c': return global(m);
    case '}': return push(m, new_value(m, T_DICT));
    case '(': return push(m, new_value(m, T_MARK));
    case 'N': return push(m, new_value(m, T_NONE));
    case 0x88:
    case 0x89: return push_int(m, T_BOOL, opcode == 0x88);
    case ')': return make_tuple(m, 0);
    case 0x85:
    case 0x86:
    case 0x87: return make_tuple(m, opcode - 0x84);
    case 's': return set_items(m, 2);
    case 'R': return reduce(m);
    case 'Q': return persistent(m);
    case 'b': return build(m);
    default: break; /* 't' and 'u' take what is above the mark, and the mark */
    }
    if ((n = above_mark(m)) < 0) return n;
    memmove(m->stack + m->depth - n - 1, m->stack + m->depth - n, (size_t)n * sizeof *m->stack);
    m->depth--;
    return opcode == 't' ? make_tuple(m, n) : set_items(m, n);
}

/* The dictionary that STOP leaves: names to tensors, nothing else. */
static int collect(struct kl_weights *weights, struct machine *m)
{
    char name[128];
    int rc = 0;
    size_t bytes = 0;
    const struct value *dict = m->depth == 1 ? top(m, 0, T_DICT) : NULL;
    if (!dict) return bad(m, "it does not end in one dictionary");
    for (size_t i = 0; i < dict->n && !rc; i += 2) {
        const struct value *key = &m->values[dict->items[i]], *t = &m->values[dict->items[i + 1]];
        if (key->type != T_STRING || t->type != T_TENSOR || key->n >= sizeof name ||
            memchr(key->text, 0, key->n))
            return bad(m, "its dictionary holds something else than tensors by name");
        memcpy(name, key->text, key->n);
        name[key->n] = 0;
        const struct value *s = &m->values[t->storage];
        bytes += (size_t)s->integer * kl_element_size(s->element);
        if (bytes > 2 * m->file->n) return bad(m, "its tensors share their storages too often");
        rc = kl_weights_add(weights, m->file->path, name, t->rank, t->dims, t->strides, s->element,
                            s->text + t->offset * kl_element_size(s->element), m->err);
    }
    return rc;
}

static int execute(struct kl_weights *weights, struct machine *m)
{
    if (m->end - m->at < 2 || m->at[0] != 0x80) return bad(m, "it does not begin with its protocol");
    while (m->at < m->end) {
        const unsigned char opcode = *m->at++;
        if (opcode == '.')
            return m->at == m->end ? collect(weights, m) : bad(m, "something follows its end");
        const int rc = step(m, opcode);
        if (rc) return rc;
    }
    return bad(m, "it is truncated");
}

/* Members: PREFIX/data.pkl and what else torch.save writes, all under one prefix. */
static int check_members(char *prefix, size_t size, struct machine *m)
{
    static const char *const known[] = { "data.pkl",           "version",
                                         "byteorder",          ".format_version",
                                         ".storage_alignment", ".data/serialization_id" };
    const char *slash = strchr(m->zip->members[0].name, '/');
    const size_t n = slash ? (size_t)(slash - m->zip->members[0].name) + 1 : 0;
    if (n == 0 || n >= size) return bad(m, "the archive's members are not in one folder");
    memcpy(prefix, m->zip->members[0].name, n);
    prefix[n] = 0;
    for (size_t i = 0; i < m->zip->n; i++) {
        const char *name = m->zip->members[i].name;
        bool fine = strncmp(name, prefix, n) == 0 && strncmp(name + n, "data/", 5) == 0 &&
                    name[n + 5 + strspn(name + n + 5, "0123456789")] == 0;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            fine = fine || (strncmp(name, prefix, n) == 0 && strcmp(name + n, known[k]) == 0);
        if (!fine)
            return kl_fail(m->err, KL_EDATA,
                           "%s: member %.100s is not of a state dictionary (TorchScript? save "
                           "model.state_dict() instead)",
                           m->file->path, name);
    }
    return 0;
}

int kl_pth_parse(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err)
{
    struct kl_zip zip;
    char prefix[201], name[256];
    struct machine m = { .file = file, .err = err, .zip = &zip, .prefix = prefix };
    int rc = kl_zip_open(&zip, file, err);
    if (rc) return rc;
    if ((rc = check_members(prefix, sizeof prefix, &m))) goto out;
    snprintf(name, sizeof name, "%sbyteorder", prefix);
    const struct kl_zip_member *order = kl_zip_find(&zip, name);
    snprintf(name, sizeof name, "%sdata.pkl", prefix);
    const struct kl_zip_member *pickle = kl_zip_find(&zip, name);
    if (!pickle || (order && (order->n != 6 || memcmp(order->data, "little", 6) != 0))) {
        rc = bad(&m, pickle ? "its numbers are not little-endian" : "there is none (data.pkl)");
        goto out;
    }
    m.at = pickle->data;
    m.end = pickle->data + pickle->n;
    if (!(m.stack = malloc(MAX_STACK * sizeof *m.stack))) {
        rc = kl_fail_memory(err, MAX_STACK * sizeof *m.stack);
        goto out;
    }
    rc = execute(weights, &m);
out:
    for (int i = 0; i < m.n_values; i++) free(m.values[i].items);
    free(m.values);
    free(m.stack);
    free(m.memo);
    kl_zip_close(&zip);
    return rc;
}
