/* SPDX-License-Identifier: MIT
   The stack machine of Python's pickle, protocol 2, as far as a state dictionary needs it, alone or in
   the checkpoint of a training: some twenty opcodes that build values and call nothing. */
#include "weights/weights_int.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 200000, MAX_MEMO = 1000000, MAX_STRING = 65536, MAX_STACK = 100000, NONE = -1 };

int kl_weights_pickle_refuse(struct kl_pickle *m, const char *why)
{
    return kl_fail(m->err, KL_EDATA, "%s: the pickle in it is refused: %s; " KL_PICKLE_REMEDY,
                   m->file->path, why);
}

int kl_weights_pickle_new(struct kl_pickle *m, enum kl_pickle_type type)
{
    if (m->n_values == MAX_VALUES) return kl_weights_pickle_refuse(m, "too many values");
    if (m->n_values == m->room_values) {
        const int room = m->room_values ? 2 * m->room_values : 256;
        struct kl_pickle_value *more = realloc(m->values, (size_t)room * sizeof *more);
        if (!more) return kl_fail_memory(m->err, (size_t)room * sizeof *more);
        m->values = more;
        m->room_values = room;
    }
    m->values[m->n_values] = (struct kl_pickle_value){ .type = type };
    return m->n_values++;
}

int kl_weights_pickle_push(struct kl_pickle *m, int value)
{
    if (value < 0) return value;
    if (m->depth == MAX_STACK) return kl_weights_pickle_refuse(m, "the stack is too deep");
    m->stack[m->depth++] = value;
    return 0;
}

static int push_int(struct kl_pickle *m, enum kl_pickle_type type, int64_t integer)
{
    const int v = kl_weights_pickle_new(m, type);
    if (v >= 0) m->values[v].integer = integer;
    return kl_weights_pickle_push(m, v);
}

struct kl_pickle_value *kl_weights_pickle_top(struct kl_pickle *m, int below, enum kl_pickle_type type)
{
    if (m->depth > below && m->values[m->stack[m->depth - 1 - below]].type == type)
        return &m->values[m->stack[m->depth - 1 - below]];
    kl_weights_pickle_refuse(m, "an instruction finds a value of another type on the stack");
    return NULL;
}

static bool take(struct kl_pickle *m, const unsigned char **bytes, size_t n)
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

static int add_items(struct kl_pickle *m, int value, const int *items, size_t n)
{
    struct kl_pickle_value *v = &m->values[value];
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
static int make_tuple(struct kl_pickle *m, int n)
{
    if (m->depth < n) return kl_weights_pickle_refuse(m, "the stack is empty");
    for (int i = 0; i < n; i++)
        if (m->values[m->stack[m->depth - 1 - i]].type == T_MARK)
            return kl_weights_pickle_refuse(m, "a mark inside a tuple");
    const int tuple = kl_weights_pickle_new(m, T_TUPLE);
    if (tuple < 0) return tuple;
    const int rc = add_items(m, tuple, m->stack + m->depth - n, (size_t)n);
    m->depth -= n;
    return rc ? rc : kl_weights_pickle_push(m, tuple);
}

/* How many values lie above the last mark; negative: a code. */
static int above_mark(struct kl_pickle *m)
{
    for (int i = 0; i < m->depth; i++)
        if (m->values[m->stack[m->depth - 1 - i]].type == T_MARK) return i;
    return kl_weights_pickle_refuse(m, "no mark on the stack");
}

/* Is what lies below the top n an object that is not read? Then n values leave the stack. */
static bool pass_over(struct kl_pickle *m, int n)
{
    if (m->depth <= n || m->values[m->stack[m->depth - 1 - n]].type != T_OTHER) return false;
    for (int i = 0; i < n; i++)
        if (m->values[m->stack[m->depth - 1 - i]].type == T_MARK) return false;
    m->depth -= n;
    return true;
}

static int set_items(struct kl_pickle *m, int n)
{
    if (n % 2 || m->depth < n + 1) return kl_weights_pickle_refuse(m, "a key without a value");
    if (pass_over(m, n)) return 0;
    if (!kl_weights_pickle_top(m, n, T_DICT)) return KL_EDATA;
    m->depth -= n;
    return add_items(m, m->stack[m->depth - 1], m->stack + m->depth, (size_t)n);
}

/* APPEND, APPENDS: n values leave the stack; a list is there so that it can be passed over. */
static int append(struct kl_pickle *m, int n)
{
    for (int i = 0; i < n && i < m->depth; i++)
        if (m->values[m->stack[m->depth - 1 - i]].type == T_MARK)
            return kl_weights_pickle_refuse(m, "a mark inside a list");
    if (pass_over(m, n)) return 0;
    if (!kl_weights_pickle_top(m, n, T_LIST)) return KL_EDATA;
    m->depth -= n;
    return 0;
}

/* BUILD: a dictionary's attributes (_metadata of a state dictionary), or those of what is not read: they
   are not needed. */
static int build(struct kl_pickle *m)
{
    if (pass_over(m, 1)) return 0;
    if (!kl_weights_pickle_top(m, 0, T_DICT) || !kl_weights_pickle_top(m, 1, T_DICT)) return KL_EDATA;
    m->depth--;
    return 0;
}

static int memo_put(struct kl_pickle *m, uint32_t i)
{
    if (i >= MAX_MEMO) return kl_weights_pickle_refuse(m, "its memo is too large");
    if (m->depth == 0 || m->values[m->stack[m->depth - 1]].type == T_MARK)
        return kl_weights_pickle_refuse(m, "a memo of nothing");
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

static int memo_get(struct kl_pickle *m, uint32_t i)
{
    if (i >= (uint32_t)m->n_memo || m->memo[i] == NONE)
        return kl_weights_pickle_refuse(m, "it reads a memo that was not written");
    return kl_weights_pickle_push(m, m->memo[i]);
}

static int string(struct kl_pickle *m, size_t n)
{
    const unsigned char *text;
    if (n > MAX_STRING || !take(m, &text, n)) return kl_weights_pickle_refuse(m, "a string is too long");
    const int v = kl_weights_pickle_new(m, T_STRING);
    if (v >= 0) {
        m->values[v].text = text;
        m->values[v].n = n;
    }
    return kl_weights_pickle_push(m, v);
}

/* LONG1: n bytes, two's complement, little-endian. */
static int long1(struct kl_pickle *m, size_t n)
{
    const unsigned char *b;
    int64_t x = 0;
    if (n > 8 || !take(m, &b, n)) return kl_weights_pickle_refuse(m, "a number of more than 64 bits");
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
    case 'G': return 8; /* BINFLOAT */
    case 'c':
    case '}':
    case ']':
    case 'a':
    case 'e':
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
    case 0x81:
    case 'Q':
    case 'b': return 0;
    default: return -1;
    }
}

static int step(struct kl_pickle *m, unsigned char opcode)
{
    const unsigned char *b = NULL;
    const int width = operand(opcode);
    int n;
    if (width < 0)
        return kl_fail(m->err, KL_EDATA,
                       "%s: the pickle in it is refused: opcode 0x%02x, which no state dictionary of "
                       "tensors needs; " KL_PICKLE_REMEDY,
                       m->file->path, opcode);
    if (!take(m, &b, (size_t)width)) return kl_weights_pickle_refuse(m, "it is truncated");
    const uint32_t x = little(b, width > 4 ? 4 : width);
    switch (opcode) {
    case 0x80: return x == 2 ? 0 : kl_weights_pickle_refuse(m, "its protocol is not 2");
    case 'q':
    case 'r': return memo_put(m, x);
    case 'h':
    case 'j': return memo_get(m, x);
    case 'K':
    case 'M': return push_int(m, T_INT, x);
    case 'J': return push_int(m, T_INT, (int32_t)x);
    case 0x8a: return long1(m, x);
    case 'X': return string(m, x);
    case 'c': return kl_weights_pth_global(m);
    case '}': return kl_weights_pickle_push(m, kl_weights_pickle_new(m, T_DICT));
    case ']': return kl_weights_pickle_push(m, kl_weights_pickle_new(m, T_LIST));
    case 'a': return append(m, 1);
    case 'G': return kl_weights_pickle_push(m, kl_weights_pickle_new(m, T_OTHER));
    case '(': return kl_weights_pickle_push(m, kl_weights_pickle_new(m, T_MARK));
    case 'N': return kl_weights_pickle_push(m, kl_weights_pickle_new(m, T_NONE));
    case 0x88:
    case 0x89: return push_int(m, T_BOOL, opcode == 0x88);
    case ')': return make_tuple(m, 0);
    case 0x85:
    case 0x86:
    case 0x87: return make_tuple(m, opcode - 0x84);
    case 's': return set_items(m, 2);
    case 'R':
    case 0x81: return kl_weights_pth_reduce(m, opcode == 0x81);
    case 'Q': return kl_weights_pth_persistent(m);
    case 'b': return build(m);
    default: break; /* 't', 'u' and 'e' take what is above the mark, and the mark */
    }
    if ((n = above_mark(m)) < 0) return n;
    memmove(m->stack + m->depth - n - 1, m->stack + m->depth - n, (size_t)n * sizeof *m->stack);
    m->depth--;
    return opcode == 't' ? make_tuple(m, n) : opcode == 'e' ? append(m, n) : set_items(m, n);
}

int kl_weights_pickle_run(struct kl_pickle *m)
{
    if (!(m->stack = malloc(MAX_STACK * sizeof *m->stack)))
        return kl_fail_memory(m->err, MAX_STACK * sizeof *m->stack);
    if (m->end - m->at < 2 || m->at[0] != 0x80)
        return kl_weights_pickle_refuse(m, "it does not begin with its protocol");
    while (m->at < m->end) {
        const unsigned char opcode = *m->at++;
        if (opcode == '.')
            return m->at == m->end ? KL_OK : kl_weights_pickle_refuse(m, "something follows its end");
        const int rc = step(m, opcode);
        if (rc) return rc;
    }
    return kl_weights_pickle_refuse(m, "it is truncated");
}

void kl_weights_pickle_free(struct kl_pickle *m)
{
    for (int i = 0; i < m->n_values; i++) free(m->values[i].items);
    free(m->values);
    free(m->stack);
    free(m->memo);
}
