/* SPDX-License-Identifier: MIT
   A state dictionary of torch.save: data.pkl in a zip archive, by itself or within the checkpoint of a
   training, PyTorch Lightning's among them. The only "calls" in it are an empty ordered dictionary and a
   tensor over a storage, both done here, and objects that trainers keep beside them, which are passed
   over; every other name is refused before anything is built from it. */
#include <string.h>

#include "weights/weights_int.h"

enum name { N_ORDERED_DICT, N_REBUILD_TENSOR, N_REBUILD_PARAMETER, N_STORAGE, N_UNREAD };

static bool is_text(const struct kl_pickle_value *v, const char *text)
{
    return v->type == T_STRING && v->n == strlen(text) && memcmp(v->text, text, v->n) == 0;
}

static bool line_is(const unsigned char *line, size_t n, const char *text)
{
    return n == strlen(text) && memcmp(line, text, n) == 0;
}

/* Is it an object that trainers keep beside the tensors: scalars of NumPy, options, paths, callbacks? A
   module whose name ends in a point stands for all that begin so. */
static bool is_kept_beside(const unsigned char *const lines[2], const size_t n[2])
{
    static const struct {
        const char *module, *names; /* between blanks; "*": any */
    } known[] = {
        { "numpy.core.multiarray", " scalar _reconstruct " },
        { "numpy._core.multiarray", " scalar _reconstruct " },
        { "numpy", " dtype ndarray " },
        { "_codecs", " encode " },
        { "collections", " defaultdict Counter deque " },
        { "argparse", " Namespace " },
        { "pathlib", " Path PosixPath PurePosixPath WindowsPath PureWindowsPath " },
        { "datetime", " datetime date time timedelta timezone " },
        { "__builtin__", " set frozenset dict list int long float bool complex str unicode slice " },
        { "builtins", " set frozenset dict list int float bool complex str slice " },
        { "torch", " Size device dtype float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 "
                   "bool strided contiguous_format channels_last " },
        { "torch.serialization", " _get_layout " },
        { "pytorch_lightning.", "*" },
        { "lightning.", "*" },
        { "lightning_fabric.", "*" },
        { "omegaconf.", "*" },
        { "yacs.config", " CfgNode " },
        { "easydict", " EasyDict " }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i].module);
        const bool all = known[i].module[length - 1] == '.';
        if (all ? n[0] < length || memcmp(lines[0], known[i].module, length) != 0
                : !line_is(lines[0], n[0], known[i].module))
            continue;
        if (*known[i].names == '*') return true;
        char name[48];
        const int size = snprintf(name, sizeof name, " %.*s ", (int)n[1], (const char *)lines[1]);
        if (n[1] && size < (int)sizeof name && strchr(name + 1, ' ') == name + n[1] + 1 &&
            strstr(known[i].names, name))
            return true;
    }
    return false;
}

/* GLOBAL: two lines, module and name. Only those that a dictionary of tensors needs are known. */
int kl_weights_pth_global(struct kl_pickle *m)
{
    static const struct {
        const char *name;
        enum kl_element element;
    } storages[] = { { "FloatStorage", KL_EL_F32 }, { "DoubleStorage", KL_EL_F64 },
                     { "HalfStorage", KL_EL_F16 },  { "BFloat16Storage", KL_EL_BF16 },
                     { "LongStorage", KL_EL_I64 },  { "IntStorage", KL_EL_I32 },
                     { "ShortStorage", KL_EL_I16 }, { "CharStorage", KL_EL_I8 },
                     { "ByteStorage", KL_EL_U8 },   { "BoolStorage", KL_EL_BOOL } };
    const unsigned char *lines[2];
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        const unsigned char *end = memchr(m->at, '\n', (size_t)(m->end - m->at));
        if (!end) return kl_weights_pickle_refuse(m, "it is truncated");
        lines[i] = m->at;
        n[i] = (size_t)(end - m->at);
        m->at = end + 1;
    }
    const int v = kl_weights_pickle_new(m, T_NAME);
    if (v < 0) return v;
    struct kl_pickle_value *name = &m->values[v];
    if (line_is(lines[0], n[0], "collections") && line_is(lines[1], n[1], "OrderedDict")) {
        name->integer = N_ORDERED_DICT;
        return kl_weights_pickle_push(m, v);
    }
    if (line_is(lines[0], n[0], "torch._utils") && line_is(lines[1], n[1], "_rebuild_tensor_v2")) {
        name->integer = N_REBUILD_TENSOR;
        return kl_weights_pickle_push(m, v);
    }
    if (line_is(lines[0], n[0], "torch._utils") && line_is(lines[1], n[1], "_rebuild_parameter")) {
        name->integer = N_REBUILD_PARAMETER;
        return kl_weights_pickle_push(m, v);
    }
    if (is_kept_beside(lines, n)) {
        name->integer = N_UNREAD;
        return kl_weights_pickle_push(m, v);
    }
    for (size_t i = 0; i < sizeof storages / sizeof *storages && line_is(lines[0], n[0], "torch"); i++)
        if (line_is(lines[1], n[1], storages[i].name)) {
            name->integer = N_STORAGE;
            name->element = storages[i].element;
            return kl_weights_pickle_push(m, v);
        }
    char shown[2][41] = { "", "" }; /* its own words, without control characters */
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < n[i] && k < 40; k++)
            shown[i][k] = lines[i][k] > 0x20 && lines[i][k] < 0x7f ? (char)lines[i][k] : '?';
    return kl_fail(
        m->err, KL_EDATA,
        "%s: the pickle in it is refused: it names %s.%s, which no state dictionary of tensors "
        "needs (a whole model?); nothing was executed; in PyTorch: torch.save(model.state_dict(), FILE)",
        m->file->path, shown[0], shown[1]);
}

/* BINPERSID: ('storage', type, key, location, elements), whose bytes are the member data/key, exactly.
 */
int kl_weights_pth_persistent(struct kl_pickle *m)
{
    char name[256];
    const struct kl_pickle_value *tuple = kl_weights_pickle_top(m, 0, T_TUPLE);
    if (!tuple) return KL_EDATA;
    if (tuple->n != 5) return kl_weights_pickle_refuse(m, "a persistent id that is not of a storage");
    const struct kl_pickle_value *v = m->values;
    const int *id = tuple->items;
    if (!is_text(&v[id[0]], "storage") || v[id[1]].type != T_NAME || v[id[1]].integer != N_STORAGE ||
        v[id[2]].type != T_STRING || v[id[3]].type != T_STRING || v[id[4]].type != T_INT)
        return kl_weights_pickle_refuse(m, "a persistent id that is not of a storage");
    const enum kl_element element = v[id[1]].element;
    const int64_t n = v[id[4]].integer;
    const struct kl_pickle_value *key = &v[id[2]];
    for (size_t i = 0; i < key->n; i++)
        if (key->text[i] < '0' || key->text[i] > '9' || key->n > 20)
            return kl_weights_pickle_refuse(m, "the key of a storage is not a number");
    snprintf(name, sizeof name, "%.200sdata/%.*s", m->prefix, (int)key->n, (const char *)key->text);
    const struct kl_zip_member *member = kl_weights_zip_find(m->zip, name);
    if (!member) return kl_weights_pickle_refuse(m, "a storage has no member in the archive");
    if (n < 0 || (uint64_t)n != member->n / kl_weights_element_size(element) ||
        member->n % kl_weights_element_size(element))
        return kl_weights_pickle_refuse(
            m, "a storage's declared length differs from its data in the archive");
    m->depth--;
    const int storage = kl_weights_pickle_new(m, T_STORAGE);
    if (storage < 0) return storage;
    m->values[storage].integer = n;
    m->values[storage].text = member->data;
    m->values[storage].element = element;
    return kl_weights_pickle_push(m, storage);
}

/* A tuple of at most four sizes. */
static bool sizes_of(size_t sizes[4], int *rank, const struct kl_pickle *m,
                     const struct kl_pickle_value *tuple)
{
    if (tuple->type != T_TUPLE || tuple->n > 4) return false;
    for (size_t i = 0; i < tuple->n; i++) {
        const struct kl_pickle_value *v = &m->values[tuple->items[i]];
        if (v->type != T_INT || v->integer < 0) return false;
        sizes[i] = (size_t)v->integer;
    }
    *rank = (int)tuple->n;
    return true;
}

/* Does the last element lie in the storage, and has the tensor no more elements than it (as a stride of
   0 would allow)? All in overflow-checked sums. */
static bool extent_fits(const struct kl_pickle_value *t, int64_t elements)
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
static int rebuild_tensor(struct kl_pickle *m, const int *args, size_t n)
{
    int rank = 0;
    const struct kl_pickle_value *v = m->values;
    struct kl_pickle_value t = { .type = T_TENSOR };
    if (n < 6 || v[args[0]].type != T_STORAGE || v[args[1]].type != T_INT || v[args[1]].integer < 0 ||
        n > 6 || v[args[4]].type != T_BOOL || v[args[5]].type != T_DICT || v[args[5]].n)
        return kl_weights_pickle_refuse(
            m, "the arguments of a tensor are not storage, offset, size, stride, flag, no hooks");
    t.storage = args[0];
    t.offset = (size_t)v[args[1]].integer;
    if (!sizes_of(t.dims, &t.rank, m, &v[args[2]]) || !sizes_of(t.strides, &rank, m, &v[args[3]]) ||
        rank != t.rank)
        return kl_weights_pickle_refuse(
            m, "the size or stride of a tensor is not one of at most four whole numbers");
    if (!extent_fits(&t, v[t.storage].integer))
        return kl_weights_pickle_refuse(m, "a tensor reaches beyond its storage");
    const int tensor = kl_weights_pickle_new(m, T_TENSOR);
    if (tensor >= 0) m->values[tensor] = t;
    return tensor;
}

/* REDUCE: name, tuple of arguments. */
int kl_weights_pth_reduce(struct kl_pickle *m, bool new_object)
{
    const struct kl_pickle_value *args = kl_weights_pickle_top(m, 0, T_TUPLE),
                                 *name = args ? kl_weights_pickle_top(m, 1, T_NAME) : NULL;
    int result;
    if (!name) return KL_EDATA;
    if (new_object && name->integer != N_UNREAD)
        return kl_weights_pickle_refuse(m, "an object that no state dictionary needs");
    if (name->integer == N_ORDERED_DICT && args->n == 0) result = kl_weights_pickle_new(m, T_DICT);
    else if (name->integer == N_REBUILD_TENSOR) result = rebuild_tensor(m, args->items, args->n);
    else if (name->integer == N_REBUILD_PARAMETER && args->n == 3 &&
             m->values[args->items[0]].type == T_TENSOR)
        result = args->items[0];
    else if (name->integer == N_UNREAD) result = kl_weights_pickle_new(m, T_OTHER);
    else return kl_weights_pickle_refuse(m, "a call that no state dictionary needs");
    m->depth -= 2;
    return kl_weights_pickle_push(m, result);
}

static size_t count_tensors(const struct kl_pickle *m, const struct kl_pickle_value *dict)
{
    size_t count = 0;
    for (size_t i = 0; i < dict->n; i += 2)
        count +=
            m->values[dict->items[i]].type == T_STRING && m->values[dict->items[i + 1]].type == T_TENSOR;
    return count;
}

/* Of a training's checkpoint, the state dictionary among what else is kept: by its usual names, or, if
   it holds no tensors itself, the only one that does; *under: its name. Else the dictionary itself. */
static const struct kl_pickle_value *state_of(const struct kl_pickle_value **under,
                                              const struct kl_pickle *m,
                                              const struct kl_pickle_value *dict)
{
    static const char *const names[] = { "policy_state_dict", "model_state_dict",
                                         "state_dict",        "model",
                                         "model_state",       "net",
                                         "network",           "weights" };
    const struct kl_pickle_value *only = NULL, *of_only = NULL;
    size_t some = 0;
    *under = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < dict->n; i += 2) {
            const struct kl_pickle_value *key = &m->values[dict->items[i]],
                                         *value = &m->values[dict->items[i + 1]];
            if (!is_text(key, names[k]) || value->type != T_DICT || !count_tensors(m, value)) continue;
            *under = key;
            return value;
        }
    if (count_tensors(m, dict)) return dict;
    for (size_t i = 0; i < dict->n; i += 2) {
        const struct kl_pickle_value *value = &m->values[dict->items[i + 1]];
        if (m->values[dict->items[i]].type != T_STRING || value->type != T_DICT ||
            !count_tensors(m, value))
            continue;
        some++, of_only = &m->values[dict->items[i]], only = value;
    }
    if (some != 1) return dict;
    *under = of_only;
    return only;
}

/* "the tensors under 'state_dict'; 1 entry that is none is not used (first: epoch)" */
static void note(struct kl_weights *weights, const struct kl_pickle_value *under, size_t n_others,
                 const struct kl_pickle_value *first)
{
    char text[160] = "", others[160] = "";
    if (under)
        snprintf(text, sizeof text, "the tensors are those under '%.*s'",
                 (int)(under->n < 60 ? under->n : 60), (const char *)under->text);
    if (n_others)
        snprintf(others, sizeof others, "%s%zu entr%s no tensor and not used (first: %.*s)",
                 under ? "; " : "", n_others, n_others == 1 ? "y is" : "ies are",
                 (int)(first->n < 60 ? first->n : 60), (const char *)first->text);
    snprintf(weights->note, sizeof weights->note, "%s%s", text, others);
    kl_make_printable(weights->note);
}

/* The dictionary that STOP leaves: names to tensors, and what else was put among them. */
static int collect(struct kl_weights *weights, struct kl_pickle *m)
{
    char name[128];
    int rc = 0;
    size_t bytes = 0, n_others = 0;
    const struct kl_pickle_value *dict = m->depth == 1 ? kl_weights_pickle_top(m, 0, T_DICT) : NULL,
                                 *under = NULL, *other = NULL;
    if (!dict) return kl_weights_pickle_refuse(m, "it does not end in one dictionary");
    dict = state_of(&under, m, dict);
    for (size_t i = 0; i < dict->n && !rc; i += 2) {
        const struct kl_pickle_value *key = &m->values[dict->items[i]],
                                     *t = &m->values[dict->items[i + 1]];
        if (key->type != T_STRING || key->n >= sizeof name || memchr(key->text, 0, key->n))
            return kl_weights_pickle_refuse(m,
                                            "its dictionary holds something else than tensors by name");
        if (t->type != T_TENSOR) {
            if (!n_others++) other = key;
            continue;
        }
        memcpy(name, key->text, key->n);
        name[key->n] = 0;
        const struct kl_pickle_value *s = &m->values[t->storage];
        bytes += (size_t)s->integer * kl_weights_element_size(s->element);
        if (bytes > 2 * m->file->n)
            return kl_weights_pickle_refuse(m, "its tensors share their storages too often");
        const struct kl_cells elements = {
            .type = s->element, .data = s->text + t->offset * kl_weights_element_size(s->element)
        };
        rc = kl_weights_add(weights, m->file->path, name, t->rank, t->dims, t->strides, &elements,
                            m->err);
    }
    if (!rc && dict->n && !weights->n)
        return kl_weights_pickle_refuse(m, "no dictionary in it holds tensors by name, or several do");
    note(weights, under, n_others, other);
    return rc;
}

/* Members: PREFIX/data.pkl and what else torch.save writes, all under one prefix. */
static int check_members(char *prefix, size_t size, struct kl_pickle *m)
{
    static const char *const known[] = { "data.pkl",           "version",
                                         "byteorder",          ".format_version",
                                         ".storage_alignment", ".data/serialization_id" };
    const char *slash = strchr(m->zip->members[0].name, '/');
    const size_t n = slash ? (size_t)(slash - m->zip->members[0].name) + 1 : 0;
    if (n == 0 || n >= size)
        return kl_weights_pickle_refuse(m, "the archive's members are not in one folder");
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

int kl_weights_pth_parse(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err)
{
    struct kl_zip zip;
    char prefix[201], name[256];
    struct kl_pickle m = { .file = file, .err = err, .zip = &zip, .prefix = prefix };
    int rc = kl_weights_zip_open(&zip, file, KL_ARCHIVE_TORCH, err);
    if (rc) return rc;
    if ((rc = check_members(prefix, sizeof prefix, &m))) goto out;
    snprintf(name, sizeof name, "%sbyteorder", prefix);
    const struct kl_zip_member *order = kl_weights_zip_find(&zip, name);
    snprintf(name, sizeof name, "%sdata.pkl", prefix);
    const struct kl_zip_member *pickle = kl_weights_zip_find(&zip, name);
    if (!pickle || (order && (order->n != 6 || memcmp(order->data, "little", 6) != 0))) {
        rc = kl_weights_pickle_refuse(&m, pickle ? "its numbers are not little-endian"
                                                 : "there is none (data.pkl)");
        goto out;
    }
    m.at = pickle->data;
    m.end = pickle->data + pickle->n;
    if (!(rc = kl_weights_pickle_run(&m))) rc = collect(weights, &m);
out:
    kl_weights_pickle_free(&m);
    kl_weights_zip_close(&zip);
    return rc;
}
