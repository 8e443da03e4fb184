/* SPDX-License-Identifier: MIT
   The history of a finished file, and the same as JSON lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/kind.h"
#include "store/store.h"
#include "train/history.h"

/* They become names of files and members of JSON. */
static int check_names(const struct kl_history *h, const char *path, struct kl_error *err)
{
    for (size_t g = 0; g < h->groups; g++) {
        char name[80];
        kl_train_history_group(name, h, g);
        if (!*name || *name == '.' || name[strspn(name, "abcdefghijklmnopqrstuvwxyz.0123456789")])
            return kl_fail(err, KL_EDATA, "%s: dataset history/gradient_group: '%s' is no group", path,
                           name);
    }
    return KL_OK;
}

static int load_norms(struct kl_history *h, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *norms, *names;
    if (!kl_store_file_find(file, "history/gradient_norm")) return KL_OK;
    int code = kl_store_file_expect(&norms, file, "history/gradient_norm", KL_TYPE_F64, 3, err);
    if (!code)
        code = kl_store_file_expect(&names, file, "history/gradient_group", KL_TYPE_STRING, 1, err);
    if (code) return code;
    if (norms->dims[0] != h->replicas || norms->dims[1] != h->epochs || norms->dims[2] != names->dims[0])
        return kl_fail(
            err, KL_EDATA,
            "%s: dataset history/gradient_norm has another shape than the rest of the history",
            kl_store_file_path(file));
    code = kl_store_file_load((void **)&h->norms, file, norms, err);
    if (!code) code = kl_store_file_load((void **)&h->group_names, file, names, err);
    h->groups = norms->dims[2];
    h->name_size = names->item_size;
    return code ? code : check_names(h, kl_store_file_path(file), err);
}

int kl_train_history_load(struct kl_history *h, struct kl_file *file, const struct kl_train_row *rows,
                          int n_rows, struct kl_error *err)
{
    *h = (struct kl_history){ .names = rows, .rows = calloc((size_t)n_rows, sizeof *h->rows) };
    if (!h->rows) return kl_fail_memory(err, (size_t)n_rows * sizeof *h->rows);
    for (int k = 0; k < n_rows; k++) {
        char name[64];
        const struct kl_dataset *d;
        void *data = NULL;
        snprintf(name, sizeof name, "history/%s", rows[k].name);
        int code = kl_store_file_expect(&d, file, name, KL_TYPE_F64, 2, err);
        if (!code && k > 0 && (d->dims[0] != h->replicas || d->dims[1] != h->epochs))
            code =
                kl_fail(err, KL_EDATA, "%s: dataset %s has another shape than the rest of the history",
                        kl_store_file_path(file), name);
        if (!code) code = kl_store_file_load(&data, file, d, err);
        if (code) {
            kl_train_history_free(h);
            return code;
        }
        h->replicas = d->dims[0], h->epochs = d->dims[1];
        h->rows[h->n_rows++] = data;
    }
    int code = load_norms(h, file, err);
    if (code) kl_train_history_free(h);
    return code;
}

void kl_train_history_group(char name[80], const struct kl_history *h, size_t g)
{
    snprintf(name, 80, "%.*s", (int)h->name_size, h->group_names + g * h->name_size);
}

void kl_train_history_free(struct kl_history *h)
{
    for (int k = 0; k < h->n_rows; k++) free(h->rows[k]);
    free(h->rows);
    free(h->norms);
    free(h->group_names);
    *h = (struct kl_history){ 0 };
}

/* ,"gradient_norm":{"reduce.0":0.01,...} of replica and epoch number i. */
static void put_norms(FILE *to, const struct kl_history *h, size_t i)
{
    size_t n = 0;
    for (size_t g = 0; g < h->groups; g++) {
        char name[80];
        if (!isfinite(h->norms[i * h->groups + g])) continue;
        kl_train_history_group(name, h, g);
        fprintf(to, "%s\"%s\":%.9g", n++ ? "," : ",\"gradient_norm\":{", name,
                h->norms[i * h->groups + g]);
    }
    if (n) fputc('}', to);
}

static bool has_numbers(const struct kl_history *h, size_t i)
{
    for (int k = 0; k < h->n_rows; k++)
        if (!isnan(h->rows[k][i])) return true;
    return false;
}

int kl_train_history_jsonl(const char *path, struct kl_file *file, const struct kl_train_row *rows,
                           int n_rows, struct kl_error *err)
{
    struct kl_history h;
    char *text = NULL;
    size_t size = 0;
    int code = kl_train_history_load(&h, file, rows, n_rows, err);
    if (code) return code;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) {
        code = kl_fail_memory(err, 1024);
        goto out;
    }
    for (size_t i = 0; i < h.replicas * h.epochs; i++) {
        if (!has_numbers(&h, i)) continue; /* stopped before */
        fprintf(memory, "{\"replica\":%zu,\"epoch\":%zu", i / h.epochs, i % h.epochs + 1);
        for (int k = 0; k < n_rows; k++)
            if (isfinite(h.rows[k][i])) fprintf(memory, ",\"%s\":%.9g", rows[k].name, h.rows[k][i]);
        put_norms(memory, &h, i);
        fputs("}\n", memory);
    }
    bool written;
    code = fclose(memory) ? kl_fail_memory(err, size)
                          : kl_store_publish_bytes(&written, path, text, size, err);
out:
    free(text);
    kl_train_history_free(&h);
    return code;
}

/* ---- --history and --mlflow ---- */

static int check_mlflow(const char *folder, struct kl_error *err)
{
    struct stat s;
    if (strcmp(folder, "-") == 0)
        return kl_fail(err, KL_EUSAGE, "--mlflow: found '-', expected a folder");
    if (stat(folder, &s)) return kl_store_place_check(folder, err);
    if (!S_ISDIR(s.st_mode))
        return kl_fail(err, KL_EUSAGE, "--mlflow: found the file %s, expected a folder", folder);
    return access(folder, W_OK | X_OK) ? kl_fail_errno(err, KL_EIO, "--mlflow: %s", folder) : KL_OK;
}

int kl_train_history_check(const struct kl_train_settings *s, const struct kl_common *common,
                           const struct kl_kind *kind, const char *input, struct kl_error *err)
{
    const char *inputs[2], *output = common->output;
    size_t n_inputs = 0;
    if (input) inputs[n_inputs++] = input;
    if (common->config) inputs[n_inputs++] = common->config;
    if ((s->history || s->mlflow) && output && strcmp(output, "-") == 0)
        return kl_fail(err, KL_EUSAGE,
                       "--%s: cannot be made while the %s goes to standard output; name a file with -o",
                       s->history ? "history" : "mlflow", kind->name);
    if (s->mlflow && output && kl_store_same_place(s->mlflow, output))
        return kl_fail(err, KL_EUSAGE, "--mlflow: found the file %s, which -o writes; give a folder",
                       s->mlflow);
    int code = s->mlflow ? check_mlflow(s->mlflow, err) : KL_OK;
    if (code || !s->history || strcmp(s->history, "-") == 0) return code;
    if (output && kl_store_same_place(s->history, output))
        return kl_fail(err, KL_EUSAGE,
                       "--history: found the file %s, which -o writes; give another name", s->history);
    if (access(s->history, F_OK) && kl_store_place_check(s->history, err)) return err->code;
    return kl_store_target_check_bytes(s->history, 0, "{\"replica\":", common->force, inputs, n_inputs,
                                       err);
}

int kl_train_history_write(const struct kl_train_settings *s, const struct kl_common *common,
                           const char *tool, const struct kl_kind *kind, const struct kl_train_row *rows,
                           int n_rows, struct kl_error *err)
{
    struct kl_file *file = NULL;
    if ((!s->history && !s->mlflow) || !common->output) return KL_OK;
    int code = kl_store_file_open_kind(&file, common->output, kind, err);
    if (!code && s->history) code = kl_train_history_jsonl(s->history, file, rows, n_rows, err);
    if (!code && s->mlflow) code = kl_train_history_mlflow(s->mlflow, tool, file, rows, n_rows, err);
    kl_store_file_close(&file);
    return code;
}
