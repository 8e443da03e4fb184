/* SPDX-License-Identifier: MIT
   Any bytes as OpenQASM. What is refused names line and column; what is read can be written and read
   again, to the same circuit, whose text then is the same.

   With clang's libFuzzer (-DKL_FUZZ, make fuzz-qasm) it looks for bytes of its own; else it replays
   tests/fuzz/qasm/: files named bad-* must be refused, all others be read. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "circuit/circuit.h"

static void need(bool holds, const char *what, const char *found)
{
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, found);
    abort();
}

/* "OpenQASM, line 3, column 7: words", on one line. */
static void check_refusal(int code, const struct kl_error *err)
{
    int line = 0, column = 0, from = 0;
    need(code == KL_EDATA, "another code than KL_EDATA", err->text);
    sscanf(err->text, "OpenQASM, line %d, column %d: %n", &line, &column, &from);
    need(from > 0 && line > 0 && column > 0 && err->text[from], "no line and column", err->text);
    for (const char *c = err->text; *c; c++)
        need((unsigned char)*c >= ' ' && *c != 127, "an error with control characters", err->text);
}

static char *written(const struct kl_circuit *c)
{
    struct kl_error err = { 0 };
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    need(kl_circuit_qasm(to, c, &err) == KL_OK, "cannot be written", err.text);
    fclose(to);
    return text;
}

/* True: it was read. */
static bool check(const char *text)
{
    struct kl_circuit *c, *again;
    struct kl_error err = { 0 };
    const int code = kl_circuit_from_qasm(&c, text, &err);
    if (code) {
        need(c == NULL, "refused, and a circuit left", text);
        check_refusal(code, &err);
        return false;
    }
    char *first = written(c);
    if (kl_circuit_from_qasm(&again, first, &err)) need(false, err.text, first);
    need(again->n_qubits == c->n_qubits && again->n_inputs == c->n_inputs &&
             again->n_weights == c->n_weights,
         "another circuit", first);
    char *second = written(again);
    need(strcmp(first, second) == 0, "another text", second);
    kl_circuit_free(&c);
    kl_circuit_free(&again);
    free(first);
    free(second);
    return true;
}

#ifdef KL_FUZZ
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    check(text);
    free(text);
    return 0;
}
#else
enum { MOST = 1 << 16, HANG_SECONDS = 60 };

static int replay(const char *name)
{
    static char text[MOST];
    char path[512];
    snprintf(path, sizeof path, "tests/fuzz/qasm/%s", name);
    FILE *file = fopen(path, "re");
    need(file != NULL, "cannot be opened", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const bool expected = strncmp(name, "bad-", 4) != 0;
    if (check(text) == expected) return 0;
    fprintf(stderr, "%s: %s\n", path, expected ? "refused" : "read");
    return 1;
}

int main(void)
{
    int failures = 0, files = 0;
    DIR *folder = opendir("tests/fuzz/qasm");
    alarm(HANG_SECONDS);
    need(folder != NULL, "cannot be opened", "tests/fuzz/qasm");
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') failures += replay(entry->d_name), files++;
    closedir(folder);
    printf("%d texts\n", files);
    return failures || files < 30;
}
#endif
