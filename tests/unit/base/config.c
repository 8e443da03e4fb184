/* SPDX-License-Identifier: MIT
   YAML: names and aliases, order of precedence, what is refused with file and line, --print-config read
   back. */
#include "options_test.h"

static struct parsed parse_file(const char *yaml, size_t n)
{
    return PARSE("--config", test_file(yaml, n), "--lr", "0.5");
}

static void values_of_a_file(void)
{
    static const char yaml[] =
        "# the reference's names\nn_qubits: 6\nlr: 0.75\noptimizer: \"sgd\"\nresume: true\n"
        "note: 'two words: and a colon'\nany_number: -9\n";
    struct parsed p = parse_file(yaml, sizeof yaml - 1);
    CHECK(p.code == 0, "%s", p.err.text);
    CHECK(p.v.qubits == 6 && p.v.any == -9 && p.v.resume && strcmp(p.v.optimizer, "sgd") == 0,
          "qubits %lld", (long long)p.v.qubits);
    CHECK(p.v.lr == 0.5, "the command line wins: %g", p.v.lr);
    CHECK(p.v.common.note && strcmp(p.v.common.note, "two words: and a colon") == 0, "%s",
          p.v.common.note);
    CHECK(p.v.grey, "what neither says stays as it was");
    free(p.args);
    static const char listed[] = "weights: [0.1, 2.0]\nnote:\n  - a\n  - b\n";
    struct parsed l = parse_file(listed, strlen(listed));
    CHECK(l.code == 0 && strcmp(l.v.weights, "0.1,2.0") == 0 && strcmp(l.v.common.note, "a,b") == 0,
          "lists: %s", l.err.text);
    static const char quoted[] = "weights: 'null'\ngrid: \"false\"\nnote: '~'\n";
    p = parse_file(quoted, sizeof quoted - 1);
    CHECK(p.code == 0 && strcmp(p.v.weights, "null") == 0 && strcmp(p.v.grid, "false") == 0 &&
              strcmp(p.v.common.note, "~") == 0,
          "in quotes they are texts: %s", p.err.text);
    free(p.args);
    static const char *const nothing[] = { "weights: null\n",
                                           "weights: Null\ngrid: ~\n",
                                           "note: ~\n",
                                           "weights:\ngrid: # later\n",
                                           "resume:\n",
                                           "device: NULL\n",
                                           "\xef\xbb\xbfnote: ~\r\n" };
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        p = parse_file(nothing[i], strlen(nothing[i]));
        CHECK(p.code == 0 && !p.v.weights && !p.v.grid && !p.v.common.note && !p.v.resume,
              "no value, where there is none anyway: %s", p.err.text);
        free(p.args);
    }
    static const char *const truth[] = { "true", "True", "TRUE", "yes", "on", "On" };
    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
        char text[64];
        const char *const other = (const char *[]){ "false", "False", "FALSE", "no", "off", "Off" }[i];
        const int n = snprintf(text, sizeof text, "resume: %s\ngrey: %s\n", truth[i], other);
        p = parse_file(text, (size_t)n);
        CHECK(p.code == 0 && p.v.resume && !p.v.grey, "%s: %s", text, p.err.text);
        free(p.args);
    }
    static const char *const empty[] = { "", "# nothing\n", "---\n", "{}\n" };
    for (size_t i = 0; i < 4; i++) {
        p = parse_file(empty[i], strlen(empty[i]));
        CHECK(p.code == 0 && p.v.qubits == 4, "empty file %zu: %s", i, p.err.text);
        free(p.args);
    }
}

static const struct {
    const char *yaml;
    int code;
    const char *says;
} refused[] = {
    { "lr: 1\nqubit: 3\n", KL_EUSAGE, ":2: qubit: no such option; did you mean qubits?" },
    { "lr: 1\n\nn_qubits: 33\n", KL_EUSAGE,
      ":3: n_qubits: found 33, expected a whole number from 1 to 20" },
    { "lr: fast\n", KL_EUSAGE, ":1: lr: found 'fast', expected a number" },
    { "optimizer: lion\n", KL_EUSAGE, "expected one of adam|adamw|sgd" },
    { "resume: maybe\n", KL_EUSAGE, "found 'maybe', expected true or false" },
    { "resume: 'yes'\n", KL_EUSAGE, "found 'yes', expected true or false" },
    { "optimizer: null\n", KL_EUSAGE,
      ":1: optimizer: found no value, expected adam|adamw|sgd (update rule); without the line it is "
      "'adam'" },
    { "lr:\n", KL_EUSAGE, ":1: lr: found no value, expected X (learning rate); without" },
    { "any_number: ~\n", KL_EUSAGE, ":1: any_number: found no value, expected N; without" },
    { "weights: ''\n", KL_EUSAGE, "found '', expected FILE" },
    { "weights: ~\nweights: a\n", KL_EUSAGE, "given twice in this file" },
    { "weights: false\n", KL_EUSAGE,
      ":1: weights: found false, expected FILE; put a text in quotes, 'false', or take the line "
      "out" },
    { "weights: True\n", KL_EUSAGE, "found True, expected FILE" },
    { "weights: no\n", KL_EUSAGE, "found no, expected FILE" },
    { "grid: Off\n", KL_EUSAGE, "found Off, expected GRID" },
    { "weights: ''\n", KL_EUSAGE, ":1: weights: found '', expected FILE; is a variable unset?" },
    { "optimizer: true\n", KL_EUSAGE, "found 'true', expected one of adam|adamw|sgd" },
    { "lr: 0x1\n", KL_EUSAGE, "found '0x1', expected a number" },
    { "lr: 1\nlr: 2\n", KL_EUSAGE,
      ":2: lr: given twice in this file: 'lr' in line 1 is the same option" },
    { "n_qubits: 1\nqubits: 2\n", KL_EUSAGE,
      ":2: qubits: given twice in this file: 'n_qubits' in line 1" },
    { "optimizer:\n  name: adam\n", KL_EUSAGE, ":1: optimizer: found a mapping" },
    { "train:\n  lr: 1\n", KL_EUSAGE,
      ":1: train: found a mapping, expected a plain value; options stand" },
    { "optimizer: [adam]\n", KL_EUSAGE, "found a list" },
    { "weights: [a, [b]]\n", KL_EUSAGE, ":1: weights: expected a list of plain values" },
    { "weights: [a, 'b,c']\n", KL_EUSAGE, "without commas in them" },
    { "weights: [a, \"b\\0c\"]\n", KL_EUSAGE, "expected a list of plain values" },
    { "weights: [a, b: c]\n", KL_EUSAGE, "expected a list of plain values" },
    { "weights: &x [a]\n", KL_EUSAGE, "found a list or an anchor" },
    { "weights: [a, *x]\n", KL_EUSAGE, "expected a list of plain values" },
    { "weights: [a\n", KL_EDATA, "not YAML" },
    { "weights: []\n", KL_EUSAGE, "found '', expected FILE" },
    { "lr: &x 1\n", KL_EUSAGE, "anchor" },
    { "&x lr: 1\n", KL_EUSAGE, "anchors are not read" },
    { "lr: *x\n", KL_EUSAGE, "anchor" },
    { "- lr\n", KL_EUSAGE, ":1: expected lines of the form 'name: value'" },
    { "lr\n", KL_EUSAGE, "expected lines of the form" },
    { "lr: 1\n---\nlr: 2\n", KL_EUSAGE, ":3: expected lines of the form" },
    { "lr: 1\n--- words\n", KL_EUSAGE, ":2: expected lines of the form" },
    { "note: \"a\\0b\"\n", KL_EUSAGE, "zero byte" },
    { "help: true\n", KL_EUSAGE, "belongs on the command line" },
    { "config: other.yaml\n", KL_EUSAGE, "belongs on the command line" },
    { "lr: \"1\n", KL_EDATA, "not YAML" },
    { "\tlr: 1\n", KL_EDATA,
      ":1: not YAML: found character that cannot start any token (a tab? YAML indents by blanks)" },
    { "note: é\n\tresume: true\n", KL_EDATA, "(a tab? YAML indents by blanks)" },
    { "lr: @1\n", KL_EDATA, "found character that cannot start any token" },
    { "lr: 1\n}\n", KL_EDATA, ":2: not YAML" },
    { "\xff\xfe\xff", KL_EDATA, "begins as a text in UTF-16 and is none" },
};

static void refusals(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct parsed p = parse_file(refused[i].yaml, strlen(refused[i].yaml));
        CHECK(p.code == refused[i].code && !p.args, "%s: code %d", refused[i].yaml, p.code);
        CHECK(strstr(p.err.text, refused[i].says), "%s: found: %s", refused[i].yaml, p.err.text);
        CHECK(strstr(p.err.text, "/file"), "the file is named: %s", p.err.text);
    }
    struct parsed p = PARSE("--config", "/nonexistent.yaml");
    CHECK(p.code == KL_ENOINPUT && strstr(p.err.text, "/nonexistent.yaml"), "%s", p.err.text);
    p = PARSE("--config", "/");
    CHECK(p.code == KL_ENOINPUT, "a folder: %d %s", p.code, p.err.text);
    char *large = malloc(3 << 20);
    if (!large) exit(1);
    memset(large, '#', 3 << 20);
    p = parse_file(large, 3 << 20);
    CHECK(p.code == KL_EDATA && strstr(p.err.text, "more than 1048576 bytes, expected a configuration"),
          "%s", p.err.text);
    memset(large, '[', 1 << 20); /* depth must not cost stack or hours */
    p = parse_file(large, 1 << 20);
    CHECK(p.code == KL_EUSAGE || p.code == KL_EDATA, "deep nesting: %s", p.err.text);
    free(large);
}

/* No prefix of a file and no changed byte may do worse than an error. */
static void damaged(void)
{
    static const char yaml[] = "n_qubits: 6\nlr: 0.75\noptimizer: \"sgd\"\nnote: 'x'\n";
    char text[sizeof yaml];
    size_t refused = 0, tried = 0;
    for (size_t i = 0; i < sizeof yaml - 1; i++) {
        struct parsed p = parse_file(yaml, i);
        free(p.args);
        for (int flip = 1; flip < 256; flip <<= 1, tried++) {
            memcpy(text, yaml, sizeof yaml);
            text[i] = (char)(text[i] ^ flip);
            p = parse_file(text, sizeof yaml - 1);
            CHECK(p.code == 0 || p.code == KL_EUSAGE || p.code == KL_EDATA, "byte %zu: code %d", i,
                  p.code);
            CHECK(p.code == 0 || p.err.text[0], "byte %zu: an error without words", i);
            refused += p.code != 0;
            free(p.args);
        }
    }
    CHECK(refused > tried / 3, "only %zu of %zu changes were refused", refused, tried);
}

static void print_config_reads_back(void)
{
    struct values v = test_defaults;
    char *text = NULL;
    size_t n = 0;
    v.qubits = 9;
    v.lr = 1.0 / 3;
    v.resume = true;
    v.grey = false;
    v.weights = "a \"quoted\" \\ name: # \xc3\xa9\n\ttab \x01 \x7f \xc2\x93 \xc2\x85 "
                "\xe2\x80\xa8 \xef\xbb\xbf \xef\xbf\xbf \xe2\x82\xac";
    v.common.print_config = true;
    v.common.seed = 1234567890123;
    FILE *to = open_memstream(&text, &n);
    CHECK(to && kl_options_answer(&test_tool, &v, to), "answered");
    fclose(to);
    struct parsed p = PARSE("--config", test_file(text, n));
    CHECK(p.code == 0, "%s in\n%s", p.err.text, text);
    CHECK(p.v.qubits == 9 && p.v.lr == 1.0 / 3 && p.v.resume && !p.v.grey &&
              p.v.common.seed == 1234567890123,
          "%s", text);
    CHECK(p.v.weights && strcmp(p.v.weights, v.weights) == 0, "found %s",
          p.v.weights ? p.v.weights : "nothing");
    free(p.args);
    free(text);
}

int main(void)
{
    unsetenv("KETLINE_STORE");
    values_of_a_file();
    refusals();
    damaged();
    print_config_reads_back();
    unlink(test_file("", 0));
    return failures != 0;
}
