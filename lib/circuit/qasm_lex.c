/* SPDX-License-Identifier: MIT
   The letters of an OpenQASM text: white space, comments, words, whole numbers, and where the reader
   stands when it fails. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/qasm_int.h"

void kl_circuit_qasm_fail(struct kl_qasm_reader *r, const char *at, const char *format, ...)
{
    char text[200];
    int line = 1, column = 1;
    va_list list;
    if (r->code) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (char *c = text; *c; c++)
        if (!isprint((unsigned char)*c)) *c = '?'; /* what was found may be anything */
    for (const char *c = r->begin; c < at; c++)
        if (*c == '\n') line++, column = 1;
        else column++;
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

void kl_circuit_qasm_expect(struct kl_qasm_reader *r, char c)
{
    kl_circuit_qasm_skip(r);
    if (!kl_circuit_qasm_take(r, c)) kl_circuit_qasm_unexpected(r, (char[]){ '\'', c, '\'', 0 });
}

/* A byte of UTF-8 is no letter by itself: it is told by what it is not. Qiskit names parameters in
 * Greek. */
void kl_circuit_qasm_unexpected(struct kl_qasm_reader *r, const char *expected)
{
    if ((unsigned char)*r->at > 127)
        kl_circuit_qasm_fail(
            r, r->at,
            "found a letter that is not ASCII, expected %s; names are of A-Z, a-z, 0-9 and _, as in pi: "
            "rename it",
            expected);
    else kl_circuit_qasm_fail(r, r->at, "found '%.1s', expected %s", *r->at ? r->at : " ", expected);
}

void kl_circuit_qasm_word(struct kl_qasm_reader *r, char text[KL_QASM_WORD])
{
    size_t n = 0;
    kl_circuit_qasm_skip(r);
    r->token = r->at;
    text[0] = 0;
    if (!isalpha((unsigned char)*r->at) && *r->at != '_') return;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_') n++;
    if (n >= KL_QASM_WORD) {
        kl_circuit_qasm_fail(r, r->token, "a name of more than %d letters", KL_QASM_WORD - 1);
        return;
    }
    memcpy(text, r->at, n);
    text[n] = 0;
    r->at += n;
}

int kl_circuit_qasm_number(struct kl_qasm_reader *r, int most)
{
    char *end;
    kl_circuit_qasm_skip(r);
    r->token = r->at;
    long n = isdigit((unsigned char)*r->at) ? strtol(r->at, &end, 10) : -1;
    if (n < 0 || n > most) {
        kl_circuit_qasm_fail(r, r->token, "found '%.*s', expected a whole number from 0 to %d",
                             (int)strcspn(r->at, " ];,\n"), r->at, most);
        return 0;
    }
    r->at = end;
    return (int)n;
}
