/* SPDX-License-Identifier: MIT
   The letters of an OpenQASM text: white space, comments, words, and where the reader stands when it
   fails. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "circuit/qasm_int.h"

void kl_circuit_qasm_fail(struct kl_qasm_reader *r, const char *at, const char *format, ...)
{
    char text[256];
    int line = 1, column = 1;
    va_list list;
    if (r->code) return;
    if (at < r->begin || at > r->end) at = r->site; /* in a definition of the standard */
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kl_make_printable(text); /* what was found may be anything */
    for (const char *c = r->begin; c < at; c++)
        if (*c == '\n') line++, column = 1;
        else column += ((unsigned char)*c & 0xc0) != 0x80; /* letters, not bytes */
    r->code = kl_fail(r->err, KL_EDATA, "OpenQASM, line %d, column %d: %s", line, column, text);
}

void kl_circuit_qasm_skip(struct kl_qasm_reader *r)
{
    for (;;) {
        while (isspace((unsigned char)*r->at)) r->at++;
        if (r->at[0] == '/' && r->at[1] == '/') {
            r->at += strcspn(r->at, "\r\n");
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            const char *end = strstr(r->at + 2, "*/");
            if (!end) {
                kl_circuit_qasm_fail(r, r->at, "a comment without end");
                return;
            }
            r->at = end + 2;
        } else {
            return;
        }
    }
}

bool kl_circuit_qasm_take(struct kl_qasm_reader *r, char c)
{
    kl_circuit_qasm_skip(r);
    if (r->code || *r->at != c) return false;
    r->at++;
    return true;
}

bool kl_circuit_qasm_take_two(struct kl_qasm_reader *r, const char *letters)
{
    kl_circuit_qasm_skip(r);
    if (r->code || r->at[0] != letters[0] || r->at[1] != letters[1]) return false;
    r->at += 2;
    return true;
}

void kl_circuit_qasm_expect(struct kl_qasm_reader *r, char c)
{
    kl_circuit_qasm_skip(r);
    if (!kl_circuit_qasm_take(r, c)) kl_circuit_qasm_unexpected(r, (char[]){ '\'', c, '\'', 0 });
}

/* Bytes of the letter at text: of UTF-8, one and those that follow it. */
static int letter_bytes(const char *text)
{
    int n = 1;
    while (((unsigned char)text[n] & 0xc0) == 0x80 && n < 4) n++;
    return n;
}

void kl_circuit_qasm_unexpected(struct kl_qasm_reader *r, const char *expected)
{
    kl_circuit_qasm_fail(r, r->at, "found '%.*s', expected %s", *r->at ? letter_bytes(r->at) : 1,
                         *r->at ? r->at : " ", expected);
}

/* Letters beyond ASCII are any of UTF-8: Qiskit names parameters in Greek. */
static bool begins_word(const char *at)
{
    return isalpha((unsigned char)*at) || *at == '_' || (unsigned char)*at > 127;
}

void kl_circuit_qasm_word(struct kl_qasm_reader *r, char text[KL_QASM_WORD])
{
    size_t n = 0;
    kl_circuit_qasm_skip(r);
    r->token = r->at;
    text[0] = 0;
    if (!begins_word(r->at)) return;
    while (begins_word(r->at + n) || isdigit((unsigned char)r->at[n])) n++;
    if (n >= KL_QASM_WORD) {
        kl_circuit_qasm_fail(r, r->token, "a name of more than %d letters", KL_QASM_WORD - 1);
        return;
    }
    memcpy(text, r->at, n);
    text[n] = 0;
    kl_compose(text); /* a letter with its mark is one, however it is written */
    r->at += n;
}

/* Of `for i in {0, 2}`: the brace begins a set, no block. */
static bool begins_set(const char *begin, const char *at)
{
    while (at > begin && isspace((unsigned char)at[-1])) at--;
    return at - begin >= 3 && at[-1] == 'n' && at[-2] == 'i' && !begins_word(at - 3);
}

void kl_circuit_qasm_pass(struct kl_qasm_reader *r)
{
    int depth = 0;
    for (const char *begin = r->at; !r->code;) {
        kl_circuit_qasm_skip(r);
        const char c = *r->at;
        if (!c) kl_circuit_qasm_fail(r, begin, "a block without end");
        else if (c == '{' && begins_set(begin, r->at)) r->at += strcspn(r->at, "}");
        else depth += (c == '{') - (c == '}');
        if (*r->at) r->at++;
        if ((c == '}' || c == ';') && depth <= 0) return;
    }
}
