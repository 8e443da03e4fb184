/* SPDX-License-Identifier: MIT
   The command line by the table: forms, bounds, what errors say, help, JSON for keys. */
#include "options_test.h"

#include <math.h>

static void forms(void)
{
    struct parsed p = PARSE("a", "-Q5", "--lr", "0.25", "-rw", "f", "--optimizer=sgd", "-3.5", "-",
                            "--no-grey", "--", "-Q", "--lr");
    CHECK(p.code == 0, "%s", p.err.text);
    CHECK(p.v.qubits == 5 && p.v.lr == 0.25 && p.v.resume && !p.v.grey, "%lld %g", (long long)p.v.qubits,
          p.v.lr);
    CHECK(p.v.weights && strcmp(p.v.weights, "f") == 0 && strcmp(p.v.optimizer, "sgd") == 0, "%s",
          p.v.optimizer);
    static const char *const expected[] = { "a", "-3.5", "-", "-Q", "--lr" };
    CHECK(p.n == 5, "%zu arguments", p.n);
    for (size_t i = 0; i < p.n && i < 5; i++)
        CHECK(strcmp(p.args[i], expected[i]) == 0, "%s", p.args[i]);
    free(p.args);
    p = PARSE("--n_qubits", "8", "--learning_rate", "1e-3", "--any-number", "-42", "--grey=false");
    CHECK(p.code == 0 && p.v.qubits == 8 && p.v.lr == 1e-3 && p.v.any == -42 && !p.v.grey, "aliases: %s",
          p.err.text);
    free(p.args);
    p = PARSE("-w", "=x", "--any-number", "+5", "--lr", "+1.5E-1", "--qubits", "010",
              "--grid=", "--note", "");
    CHECK(p.code == 0 && p.v.any == 5 && p.v.lr == 0.15 && p.v.qubits == 10 &&
              strcmp(p.v.weights, "=x") == 0,
          "%s", p.err.text);
    free(p.args);
    p = PARSE("x");
    CHECK(p.code == 0 && p.v.qubits == 4 && strcmp(p.v.common.progress, "auto") == 0 &&
              !p.v.common.store,
          "defaults: %s", p.err.text);
    free(p.args);
    setenv("KETLINE_STORE", "/shelf", 1);
    p = PARSE("x");
    CHECK(p.v.common.store && strcmp(p.v.common.store, "/shelf") == 0, "the store of the environment");
    free(p.args);
    p = PARSE("--store", "/other");
    CHECK(strcmp(p.v.common.store, "/other") == 0, "the command line wins over it: %s",
          p.v.common.store);
    free(p.args);
    unsetenv("KETLINE_STORE");
}

/* Given twice: lists add up in their order; the same again is no loss, whichever name it has. */
static void twice(void)
{
    struct parsed p = PARSE("--grid", "a=1 b=2", "x", "--grid=c=3", "--grid", "d=4", "--qubits", "8",
                            "--n-qubits=8", "-r", "-rr", "--no-grey", "--grey=false");
    CHECK(p.code == 0, "%s", p.err.text);
    CHECK(p.v.grid && strcmp(p.v.grid, "a=1 b=2 c=3 d=4") == 0, "%s", p.v.grid ? p.v.grid : "nothing");
    CHECK(p.v.qubits == 8 && p.v.resume && !p.v.grey && p.n == 1, "%zu", p.n);
    free(p.args);
}

/* Each of these is refused, and the message has these words. */
static void refusals(void)
{
    static const struct {
        const char *words[4], *says;
    } cases[] = {
        { { "--lr=1", "--learning_rate=2" }, "--learning_rate: given twice, '1' and '2'; give it once" },
        { { "-Q3", "-Q4" }, "-Q: given twice, '3' and '4'" },
        { { "-Q3", "--qubits", "4" }, "--qubits: given twice, '3' and '4'" },
        { { "-g", "--no-grey" }, "--no-grey: given twice, 'true' and 'false'" },
        { { "-wa", "-wb" }, "-w: given twice, 'a' and 'b'" },
        { { "--qubit", "3" }, "did you mean --qubits?" },
        { { "--learning_rat", "3" }, "did you mean --lr?" },
        { { "--key" }, "--key: no such option" }, /* the tool is without it */
        { { "--device", "gpu" }, "--device: found 'gpu', expected auto, cpu, cuda or cuda:0" },
        { { "--device", "cuda:" }, "found 'cuda:', expected" },
        { { "--device", "cuda:0x" }, "found 'cuda:0x', expected" },
        { { "--device", "c" }, "found 'c', expected" },
        { { "--zzzzzzzz" }, "--zzzzzzzz: no such option" },
        { { "--no-cuda" }, "--no-cuda: no such option; here it is --device cpu" },
        { { "-Z" }, "-Z: no such option" },
        { { "--qubits", "21" }, "found 21, expected a whole number from 1 to 20" },
        { { "--qubits", "0" }, "from 1 to 20" },
        { { "--qubits", "3x" }, "--qubits: found '3x', expected a whole number" },
        { { "--qubits", "3.5" }, "whole number" },
        { { "--qubits=" }, "whole number" },
        { { "--qubits", "1e1" }, "--qubits: found '1e1', expected a whole number" },
        { { "--qubits", "0x10" }, "found '0x10', expected a whole number" },
        { { "--qubits", " 5" }, "found ' 5', expected a whole number" },
        { { "--qubits", "5 " }, "found '5 ', expected a whole number" },
        { { "--any-number", "1_000" }, "found '1_000', expected a whole number" },
        { { "--any-number", "1,000" }, "found '1,000', expected a whole number" },
        { { "--any-number", "--5" }, "found '--5', expected a whole number" },
        { { "--lr", "0x1p-1" }, "--lr: found '0x1p-1', expected a number" },
        { { "--lr", " 1" }, "found ' 1', expected a number" },
        { { "--lr", "0,5" }, "found '0,5', expected a number" },
        { { "--lr", "5%" }, "found '5%', expected a number" },
        { { "--lr", "1e" }, "found '1e', expected a number" },
        { { "--any-number", "99999999999999999999" }, "whole number" },
        { { "--lr", "nan" }, "--lr: found 'nan', expected a number" },
        { { "--lr", "inf" }, "expected a number" },
        { { "--lr", "1e999" }, "expected a number" },
        { { "--lr", "-1" }, "from 0 to 10" },
        { { "--optimizer", "adma" }, "expected one of adam|adamw|sgd; did you mean adam?" },
        { { "--optimizer", "AdamWW" }, "did you mean adamw?" },
        { { "--optimizer", "sg" }, "did you mean sgd?" },
        { { "--optimizer", "lion" }, "found 'lion', expected one of adam|adamw|sgd\n" },
        { { "--optimizer", "adam|adamw" }, "expected one of" },
        { { "--optimizer", "" }, "expected one of" },
        { { "--resume=yes" }, "found 'yes', expected true or false" },
        { { "--no-lr" }, "no such option" },
        { { "--lr" }, "--lr: expected X after it" },
        { { "-w" }, "-w: expected FILE after it" },
        { { "-w=x.h5" }, "-w: found '=x.h5' after the letter; write -w x.h5 or --weights=x.h5" },
        { { "-rw=x.h5" }, "-w: found '=x.h5' after the letter; write -w x.h5 or --weights=x.h5" },
        { { "-Q=5" }, "-Q: found '=5' after the letter; write -Q 5 or --qubits=5" },
        { { "-r=true" }, "-r: found '=true' after the letter; write -r or --resume" },
        { { "-w", "" }, "-w: found '', expected FILE; is a variable unset?" },
        { { "--weights=" }, "--weights: found '', expected FILE; is a variable unset?" },
        { { "--output", "a\nb.h5" },
          "--output: found a line break or another control character in 'a?b.h5'" },
        { { "-oa\x1b[2J" }, "-o: found a line break or another control character" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed p = parse_words(cases[i].words);
        char text[sizeof p.err.text + 1];
        CHECK(p.code == KL_EUSAGE && p.err.code == KL_EUSAGE && !p.args && !p.n, "%s: code %d",
              cases[i].words[0], p.code);
        /* A newline in `says` is the end of the message. */
        snprintf(text, sizeof text, "%s\n", p.err.text);
        CHECK(strstr(text, cases[i].says), "%s: found: %s", cases[i].words[0], p.err.text);
    }
}

static char *answer(const struct values *v)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    if (!to) exit(1);
    bool answered = kl_options_answer(&test_tool, v, to);
    fclose(to);
    if (answered) return text;
    free(text);
    return NULL;
}

static void answers(void)
{
    struct values v = test_defaults;
    CHECK(!answer(&v), "nothing was asked");
    v.common.version = true;
    char *text = answer(&v);
    CHECK(text && strcmp(text, "tool (ketline) " KL_VERSION "\n") == 0, "%s", text ? text : "nothing");
    free(text);
    v.common.help = true;
    text = answer(&v);
    CHECK(text && strstr(text, "Usage: tool [options] INPUT -o OUTPUT\n"), "%s",
          text ? text : "nothing");
    CHECK(text && strstr(text, "  -Q, --qubits N"), "%s", text ? text : "nothing");
    CHECK(text && strstr(text, "update rule: adam|adamw|sgd [adam]"), "%s", text ? text : "nothing");
    CHECK(text && strstr(text, "\nFiles\n") && strstr(text, "--progress"), "%s",
          text ? text : "nothing");
    CHECK(text && !strstr(text, "any-number"), "an option without help is not shown");
    size_t lines = 0, widest = 0, width = 0;
    for (const char *c = text; c && *c; c++) {
        if (*c == '\n') lines++;
        width = *c == '\n' ? 0 : width + 1;
        if (width > widest) widest = width;
    }
    CHECK(lines <= 40 && widest <= 80, "%zu lines of up to %zu columns", lines, widest);
    free(text);
}

static void json(void)
{
    struct values v = test_defaults;
    char *text = kl_options_json(&test_tool, &v, true);
    CHECK(text && strcmp(text, "{\"grey\":true,\"lr\":0.001,\"optimizer\":\"adam\",\"qubits\":4}") == 0,
          "%s", text ? text : "no memory");
    free(text);
    v.lr = 0.1 + 0.2;
    v.common.note = "a \"b\"";
    text = kl_options_json(&test_tool, &v, false);
    const char *lr = text ? strstr(text, "\"lr\":") : NULL;
    CHECK(lr && strtod(lr + 5, NULL) == 0.1 + 0.2, "a real comes back to the last bit: %s",
          text ? text : "no memory");
    CHECK(text && strstr(text, "\"note\":\"a \\\"b\\\"\"") && strstr(text, "\"weights\":null"), "%s",
          text ? text : "no memory");
    CHECK(text && strstr(text, "\"any-number\":0,") && !strstr(text, "help") && !strstr(text, "config"),
          "%s", text ? text : "no memory");
    free(text);
}

int main(void)
{
    unsetenv("KETLINE_STORE");
    forms();
    twice();
    refusals();
    answers();
    json();
    return failures != 0;
}
