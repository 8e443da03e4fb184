/* SPDX-License-Identifier: MIT
   Models of quantum systems while memory, reads and opening fail. */
#include <hdf5.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"
#include "../unit/test_folder.h"
#include "each.h"

static const char *path;
static char *first; /* what the first run wrote, and all others must */

static int read_model(struct kl_error *err)
{
    struct kl_control_model model;
    struct kl_control_objective objective = { 0 };
    char *text = NULL;
    int code = kl_control_model_read(&model, path, err);
    if (code) return code;
    code = kl_control_model_json(&text, &model, err);
    for (int t = 0; t < model.n_targets && !code; t++) {
        struct kl_control_channel channel;
        code = kl_control_model_objective(&objective, &model, t, err);
        if (!code && !model.targets[t].is_state && objective.columns == model.system.dim)
            code = kl_control_channel_measure(&channel, &model.system, &model.targets[t].gate,
                                              objective.start, err);
        kl_control_objective_free(&objective);
    }
    if (!code && !first) first = strdup(text);
    if (!code && strcmp(first, text) != 0) code = kl_fail(err, KL_EINTERNAL, "another system: %s", text);
    free(text);
    kl_control_model_free(&model);
    return code;
}

static void check(const char *file)
{
    struct kl_error err = { 0 };
    path = file;
    CHECK(read_model(&err) == 0, "%s", err.text);
    check_each(file, read_model, FAULT_MEMORY, KL_ENOMEM, KL_EDATA);
    check_each(file, read_model, FAULT_OPEN, KL_ENOINPUT, KL_EIO);
    check_each(file, read_model, FAULT_READ, KL_EIO, KL_EDATA);
    check_each(file, read_model, FAULT_STREAM, KL_ENOMEM, KL_EIO);
    free(first);
    first = NULL;
}

/* A model whose Hamiltonian lies in HDF5. */
static const char *with_matrix(char model[1024])
{
    static const double z[4] = { 1, 0, 0, -1 };
    const hsize_t dims[2] = { 2, 2 };
    char name[1024];
    const hid_t file = H5Fcreate(in_folder(name, "m.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(2, dims, NULL),
                set =
                    H5Dcreate2(file, "z", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, z);
    H5Dclose(set), H5Sclose(space), H5Fclose(file);
    FILE *text = fopen(in_folder(model, "m.yaml"), "w");
    CHECK(text &&
              fputs("time-unit: us\nqubits: 1\nhamiltonian:\n  - {operator: 'm.h5:z', value: 1 MHz}\n"
                    "controls:\n  - {operator: X, limit: 1 MHz}\n  - {operator: Y, limit: 1 MHz}\n"
                    "targets:\n  - {gate: h}\n",
                    text) > 0 &&
              fclose(text) == 0,
          "%s", model);
    return model;
}

int main(void)
{
    char model[1024];
    make_test_folder();
    check("examples/control/pair.yaml");
    check("examples/control/transmon.yaml");
    check(with_matrix(model));
    return failures != 0;
}
