/* SPDX-License-Identifier: MIT
   A head as a program in Python: layers in PyTorch, the circuit in PennyLane, weights from the head's
   file. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "circuit/noise.h"
#include "head/exchange.h"
#include "store/store.h"

/* What is written of one head. Texts that others chose are JSON, which is Python as well: none can be
   taken for code. */
struct page {
    FILE *to;
    const struct kl_head *head;
    struct kl_circuit_options circuit;
    double dropout;
    char *name, *classes, *features, *noise; /* JSON */
    const char *key;
    int64_t replica;
};

static const char beginning[] =
    KL_PYTHON_MARK "\n"
                   "A head of ketline, written by qconvert " KL_VERSION
                   " from the file HEAD, which must lie beside this one.\n"
                   "\n"
                   "    python THIS.py FEATURES.h5 [HEAD.h5]    the accuracy; without labels, the class "
                   "of each sample\n"
                   "\n"
                   "Imported, load() is the trained model. Its state_dict has ketline's names: of\n"
                   "torch.save(model.state_dict(), \"net.pth\") qconvert makes a head again.\n"
                   "\"\"\"\n";
static const char between[] = "class Head(nn.Module):\n"
                              "    def __init__(self):\n"
                              "        super().__init__()\n";
static const char forward[] =
    "        self.dropout = nn.Dropout(%.15g)\n"
    "\n"
    "    def chain(self, layers, h):\n"
    "        for layer in layers[:-1]:\n"
    "            h = self.dropout(torch.relu(layer(h)))\n"
    "        return layers[-1](h)\n"
    "\n"
    "    def forward(self, features):\n"
    "        \"\"\"Logits [n, %zu] of features [n, %zu].\"\"\"\n"
    "        x = torch.tanh(self.chain(self.reduce, features))\n"
    "        outputs = circuit(x, self.vqc[\"weight\"])\n"
    "        z = torch.cat([output.reshape(len(x), -1) for output in outputs], dim=1)\n"
    "        return self.chain(self.head, z.to(x.dtype))\n"
    "\n\n";
static const char ending[] =
    "def load(path=HEAD, replica=REPLICA):\n"
    "    \"\"\"The trained model.\"\"\"\n"
    "    model = Head()\n"
    "    with h5py.File(path) as file:\n"
    "        if file.attrs[\"key\"] != KEY.encode():\n"
    "            sys.exit(f\"{path}: is not the head that this program was written from\")\n"
    "        weights = {name: torch.from_numpy(data[replica]) for name, data in "
    "file[\"params\"].items()}\n"
    "    model.load_state_dict(weights)\n"
    "    return model.eval()\n"
    "\n\n"
    "def read(path):\n"
    "    \"\"\"Features [n, d] and labels [n] of a file of extract-features; without labels these are "
    "-1.\"\"\"\n"
    "    with h5py.File(path) as file:\n"
    "        for name, trained in FEATURES.items():\n"
    "            found = file[\"features\"].attrs.get(name, b\"\").decode()\n"
    "            if found != trained and name != \"preprocess\":\n"
    "                sys.exit(f\"{path}: {name} is {found}, that of the head's features is "
    "{trained}\")\n"
    "        return torch.from_numpy(file[\"features\"][:]).float(), "
    "torch.from_numpy(file[\"labels\"][:])\n"
    "\n\n"
    "def main(path, head=HEAD):\n"
    "    model = load(head)\n"
    "    features, labels = read(path)\n"
    "    with torch.no_grad():\n"
    "        classes = torch.cat([model(part) for part in features.split(256)]).argmax(1)\n"
    "    if (labels < 0).any():\n"
    "        print(*(CLASSES[i] for i in classes), sep=\"\\n\")\n"
    "    else:\n"
    "        print(f\"accuracy {(classes == labels).double().mean():.4f} on {len(labels)} samples\")\n"
    "\n\n"
    "if __name__ == \"__main__\":\n"
    "    if len(sys.argv) not in (2, 3):\n"
    "        sys.exit(\"usage: python \" + sys.argv[0] + \" FEATURES.h5 [HEAD.h5]\")\n"
    "    main(*sys.argv[1:])\n";

static void write_layers(FILE *to, const char *name, const struct kl_layer *layers, int n)
{
    fprintf(to, "        self.%s = nn.ModuleList([", name);
    for (int i = 0; i < n; i++)
        fprintf(to, "%snn.Linear(%zu, %zu)", i ? ", " : "", layers[i].d_in, layers[i].d_out);
    fputs("])\n", to);
}

static void write_imports(const struct page *p)
{
    const bool ket = strstr(p->circuit.observables, "fidelity(");
    fprintf(p->to,
            "%simport pathlib\nimport sys\n\nimport h5py\n%simport pennylane as qml\nimport torch\n",
            ket ? "import functools\n" : "", ket ? "import numpy as np\n" : "");
    fputs("from torch import nn\n\n", p->to);
}

static void write_constants(const struct page *p)
{
    fprintf(p->to,
            "HEAD = pathlib.Path(__file__).with_name(%s)\nKEY = \"%s\"\nREPLICA = %lld\nCLASSES = %s\n",
            p->name, p->key, (long long)p->replica, p->classes);
    fprintf(p->to,
            "# Of what it was trained on; of other features, all but preprocess must be the "
            "same.\nFEATURES = %s\n",
            p->features);
    if (*p->head->noise) fprintf(p->to, "# Trained under noise, %s; what is here has none.\n", p->noise);
    if (p->head->shots)
        fprintf(p->to, "# Trained with %zu shots; what is here are exact expectation values.\n",
                p->head->shots);
    fputs("\n\n", p->to);
}

static int write_page(const struct page *p, struct kl_error *err)
{
    const struct kl_head_model *m = &p->head->model;
    fputs(beginning, p->to);
    write_imports(p);
    write_constants(p);
    const int code = kl_circuit_pennylane(p->to, m->circuit, &p->circuit, err);
    fputs("\n\n", p->to);
    fputs(between, p->to);
    write_layers(p->to, "reduce", m->reduce, m->n_reduce);
    fprintf(p->to, "        self.vqc = nn.ParameterDict({\"weight\": torch.zeros(%zu)})\n",
            m->circuit->n_weights);
    if (m->options.core == KL_CORE_FROZEN)
        fputs("        self.vqc.requires_grad_(False)  # frozen as drawn\n", p->to);
    write_layers(p->to, "head", m->head, m->n_head);
    fprintf(p->to, forward, p->dropout, m->n_classes, m->n_features);
    fputs(ending, p->to);
    return code;
}

/* ---- the texts ---- */

static int quote(char **json, const char *text, struct kl_error *err)
{
    json_t *value = NULL;
    int code = kl_json_string(&value, text, err);
    if (!code) code = kl_json_dump_as(json, value, JSON_ENCODE_ANY, err);
    json_decref(value);
    return code;
}

static int list_classes(char **json, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d;
    char *names = NULL;
    json_t *list = json_array();
    int code = list ? KL_OK : kl_fail_memory(err, 64);
    if (!code)
        code =
            kl_store_file_load_named((void **)&names, &d, file, "class_names", KL_TYPE_STRING, 1, err);
    for (size_t i = 0; !code && i < d->dims[0]; i++) {
        char *name = strndup(names + i * d->item_size, d->item_size);
        json_t *value = NULL;
        code = name ? kl_json_string(&value, name, err) : kl_fail_memory(err, d->item_size);
        if (!code && json_array_append_new(list, value)) code = kl_fail_memory(err, 64);
        free(name);
    }
    if (!code) code = kl_json_dump_as(json, list, 0, err);
    json_decref(list);
    free(names);
    return code;
}

static int list_features(char **json, struct kl_file *file, struct kl_error *err)
{
    char *text = NULL;
    json_t *origin = NULL;
    int code = kl_head_origin_text(&text, file, err);
    if (!code) code = kl_json_parse(&origin, text, kl_store_file_path(file), err);
    if (!code) code = kl_json_dump_as(json, origin, JSON_SORT_KEYS | JSON_INDENT(4), err);
    json_decref(origin);
    free(text);
    return code;
}

/* The page's texts of the head, whose options point into config. */
static int take_texts(struct page *p, struct kl_file *file, const json_t *config, struct kl_error *err)
{
    const char *path = kl_store_file_path(file), *slash = strrchr(path, '/'), *reduction, *classifier;
    struct kl_head_options options;
    char noise[KL_NOISE_LABEL];
    int code = kl_head_config(&options, &reduction, &classifier, config, path, err);
    if (code) return code;
    p->circuit = options.circuit;
    p->dropout = options.dropout;
    p->key = kl_store_file_key(file);
    kl_circuit_noise_label(noise, p->head->noise);
    code = quote(&p->name, slash ? slash + 1 : path, err);
    if (!code) code = quote(&p->noise, noise, err);
    if (!code) code = list_classes(&p->classes, file, err);
    return code ? code : list_features(&p->features, file, err);
}

/* The last line: a digest of all before it, by which an edited program is known. */
enum { DIGITS = 16 };
static const char last_line[] = "# unedited: ";

static int make_page(char **text, size_t *n, struct page *p, struct kl_error *err)
{
    char hex[65];
    p->to = open_memstream(text, n);
    if (!p->to) return kl_fail_memory(err, 4096);
    int code = write_page(p, err);
    if (!code && fflush(p->to)) code = kl_fail_memory(err, 4096);
    if (!code) code = kl_sha256_hex(hex, *text, *n, err);
    if (!code) fprintf(p->to, "%s%.*s\n", last_line, DIGITS, hex);
    const bool failed = ferror(p->to);
    if ((fclose(p->to) || failed) && !code) code = kl_fail_memory(err, 4096);
    return code;
}

int kl_head_python_unedited(bool *unedited, const char *text, size_t n, struct kl_error *err)
{
    const size_t words = sizeof last_line - 1, line = words + DIGITS + 1;
    char hex[65];
    *unedited = false;
    if (n < line || memcmp(text + n - line, last_line, words) != 0) return KL_OK;
    const int code = kl_sha256_hex(hex, text, n - line, err);
    *unedited = !code && memcmp(hex, text + n - line + words, DIGITS) == 0;
    return code;
}

int kl_head_python(char **text, size_t *n, struct kl_file *file, int64_t replica,
                   const struct kl_log *log, struct kl_error *err)
{
    struct page p = { .replica = replica };
    struct kl_head *head = NULL;
    json_t *config = NULL;
    *text = NULL;
    int code = kl_head_load(&head, file, NULL, replica, NULL, err);
    p.head = head;
    if (!code && !head->model.circuit)
        code = kl_fail(err, KL_EUSAGE,
                       "%s: has no circuit (core %s); its weights go to NAME.safetensors or NAME.npz",
                       kl_store_file_path(file), kl_core_names[head->model.options.core]);
    if (!code) code = kl_json_parse(&config, head->config, kl_store_file_path(file), err);
    if (!code) code = take_texts(&p, file, config, err);
    if (!code && (*head->noise || head->shots))
        kl_caution(log, "%s: was trained with %s; what is written has neither noise nor shots",
                   kl_store_file_path(file), *head->noise ? "noise" : "shots");
    if (!code) code = make_page(text, n, &p, err);
    free(p.name);
    free(p.classes);
    free(p.features);
    free(p.noise);
    json_decref(config);
    kl_head_free(&head);
    return code;
}
