/* SPDX-License-Identifier: MIT
   Losses against group loss_grid of the reference's golden.h5, and their unit-interval forms, to 1e-12.
 */
#include <math.h>

#include "golden.h"
#include "sampling/model/model.h"

enum { MARGINS = 45, ROWS = 8, CLASSES = 4 };
static int failures;

static void compare(const char *what, size_t i, double found, double expected)
{
    if (fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected))) return;
    fprintf(stderr, "%s [%zu]: found %.15g, expected %.15g\n", what, i, found, expected);
    failures++;
}

static void check_margins(hid_t group, const char *name, enum kl_loss loss, double l_max)
{
    double margin[MARGINS], value[MARGINS], slope[MARGINS], unit[MARGINS], low, high;
    char text[64];
    golden_values(margin, MARGINS, group, "margin");
    golden_values(value, MARGINS, group, name);
    snprintf(text, sizeof text, "%s_dv", name);
    golden_values(slope, MARGINS, group, text);
    snprintf(text, sizeof text, "%s_unit", name);
    if (loss == KL_LOSS_BBCE) golden_values(unit, MARGINS, group, text);
    kl_sampling_loss_ends(&low, &high, loss, l_max);
    for (size_t i = 0; i < MARGINS; i++)
        for (int32_t label = 0; label < 2; label++) {
            const double z = label ? margin[i] : -margin[i];
            double found, by;
            kl_sampling_loss_of(&found, &by, &z, 1, label, loss, l_max);
            compare(name, i, found, value[i]);
            compare(name, i, label ? by : -by, slope[i]);
            if (loss == KL_LOSS_BBCE) compare(text, i, (found - low) / (high - low), unit[i]);
        }
}

static void check_logits(hid_t group, const char *name, enum kl_loss loss)
{
    double z[ROWS * CLASSES], value[ROWS], slope[ROWS * CLASSES], label[ROWS];
    char text[64];
    golden_values(z, ROWS * CLASSES, group, "mc_logits");
    golden_values(label, ROWS, group, "mc_label");
    golden_values(value, ROWS, group, name);
    snprintf(text, sizeof text, "%s_dlogits", name);
    golden_values(slope, ROWS * CLASSES, group, text);
    for (size_t i = 0; i < ROWS; i++) {
        double found, by[CLASSES];
        kl_sampling_loss_of(&found, by, z + i * CLASSES, CLASSES, (int32_t)label[i], loss, 4);
        compare(name, i, found, value[i]);
        for (size_t k = 0; k < CLASSES; k++)
            compare(text, i * CLASSES + k, by[k], slope[i * CLASSES + k]);
    }
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/sgld/golden.h5", shared ? shared : "../shared");
    const hid_t file = H5Fis_hdf5(path) > 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    if (file < 0) {
        puts("skipped: KETLINE_SHARED holds no reference/sgld/golden.h5");
        return 77;
    }
    const hid_t group = H5Gopen2(file, "loss_grid", H5P_DEFAULT);
    golden_need(group >= 0, "loss_grid");
    check_margins(group, "bbce_lmax2", KL_LOSS_BBCE, 2);
    check_margins(group, "bbce_lmax4", KL_LOSS_BBCE, 4);
    check_margins(group, "bce", KL_LOSS_BCE, 4);
    check_margins(group, "savage", KL_LOSS_SAVAGE, 4);
    check_margins(group, "tangent", KL_LOSS_TANGENT, 4);
    check_logits(group, "mc_bbce", KL_LOSS_BBCE);
    check_logits(group, "mc_ce", KL_LOSS_CE);
    check_logits(group, "mc_savage", KL_LOSS_SAVAGE);
    H5Gclose(group), H5Fclose(file);
    return failures != 0;
}
