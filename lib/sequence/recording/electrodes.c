/* SPDX-License-Identifier: MIT
   The electrodes of the 10-10 system on a sphere, seen from above: the ring of Fpz, T7, Oz, T8 lies 72
   degrees from the vertex in steps of 18, that of Nz, T9, Iz, T10 at 90, the others in equal steps on
   circles through ring, midline and ring (Oostenveld & Praamstra 2001). First the 64 of eegmmidb. */
#include <string.h>
#include <strings.h>

#include "sequence/recording/recording.h"

/* clang-format off */
const struct kl_sequence_electrode kl_sequence_electrodes[] = {
    { "FC5", -0.57243f, 0.22426f }, { "FC3", -0.38234f, 0.21014f }, { "FC1", -0.19136f, 0.20245f },
    { "FCz", 0.00000f, 0.20000f }, { "FC2", 0.19136f, 0.20245f }, { "FC4", 0.38234f, 0.21014f },
    { "FC6", 0.57243f, 0.22426f }, { "C5", -0.60000f, 0.00000f }, { "C3", -0.40000f, 0.00000f },
    { "C1", -0.20000f, 0.00000f }, { "Cz", 0.00000f, 0.00000f }, { "C2", 0.20000f, 0.00000f },
    { "C4", 0.40000f, 0.00000f }, { "C6", 0.60000f, 0.00000f }, { "CP5", -0.57243f, -0.22426f },
    { "CP3", -0.38234f, -0.21014f }, { "CP1", -0.19136f, -0.20245f }, { "CPz", 0.00000f, -0.20000f },
    { "CP2", 0.19136f, -0.20245f }, { "CP4", 0.38234f, -0.21014f }, { "CP6", 0.57243f, -0.22426f },
    { "Fp1", -0.24721f, 0.76085f }, { "Fpz", 0.00000f, 0.80000f }, { "Fp2", 0.24721f, 0.76085f },
    { "AF7", -0.47023f, 0.64721f }, { "AF3", -0.23944f, 0.61096f }, { "AFz", 0.00000f, 0.60000f },
    { "AF4", 0.23944f, 0.61096f }, { "AF8", 0.47023f, 0.64721f }, { "F7", -0.64721f, 0.47023f },
    { "F5", -0.49033f, 0.43682f }, { "F3", -0.32893f, 0.41558f }, { "F1", -0.16503f, 0.40379f },
    { "Fz", 0.00000f, 0.40000f }, { "F2", 0.16503f, 0.40379f }, { "F4", 0.32893f, 0.41558f },
    { "F6", 0.49033f, 0.43682f }, { "F8", 0.64721f, 0.47023f }, { "FT7", -0.76085f, 0.24721f },
    { "FT8", 0.76085f, 0.24721f }, { "T7", -0.80000f, 0.00000f }, { "T8", 0.80000f, 0.00000f },
    { "T9", -1.00000f, 0.00000f }, { "T10", 1.00000f, 0.00000f }, { "TP7", -0.76085f, -0.24721f },
    { "TP8", 0.76085f, -0.24721f }, { "P7", -0.64721f, -0.47023f }, { "P5", -0.49033f, -0.43682f },
    { "P3", -0.32893f, -0.41558f }, { "P1", -0.16503f, -0.40379f }, { "Pz", 0.00000f, -0.40000f },
    { "P2", 0.16503f, -0.40379f }, { "P4", 0.32893f, -0.41558f }, { "P6", 0.49033f, -0.43682f },
    { "P8", 0.64721f, -0.47023f }, { "PO7", -0.47023f, -0.64721f }, { "PO3", -0.23944f, -0.61096f },
    { "POz", 0.00000f, -0.60000f }, { "PO4", 0.23944f, -0.61096f }, { "PO8", 0.47023f, -0.64721f },
    { "O1", -0.24721f, -0.76085f }, { "Oz", 0.00000f, -0.80000f }, { "O2", 0.24721f, -0.76085f },
    { "Iz", 0.00000f, -1.00000f }, { "Nz", 0.00000f, 1.00000f }, { "F9", -0.80902f, 0.58779f },
    { "FT9", -0.95106f, 0.30902f }, { "TP9", -0.95106f, -0.30902f }, { "P9", -0.80902f, -0.58779f },
    { "PO9", -0.58779f, -0.80902f }, { "I1", -0.30902f, -0.95106f }, { "I2", 0.30902f, -0.95106f },
    { "PO10", 0.58779f, -0.80902f }, { "P10", 0.80902f, -0.58779f }, { "TP10", 0.95106f, -0.30902f },
    { "FT10", 0.95106f, 0.30902f }, { "F10", 0.80902f, 0.58779f }, { "AF5", -0.35658f, 0.62544f },
    { "AF1", -0.12021f, 0.60269f }, { "AF6", 0.35658f, 0.62544f }, { "AF2", 0.12021f, 0.60269f },
    { "PO5", -0.35658f, -0.62544f }, { "PO1", -0.12021f, -0.60269f }, { "PO6", 0.35658f, -0.62544f },
    { "PO2", 0.12021f, -0.60269f },
};
/* clang-format on */
const size_t kl_sequence_n_electrodes = sizeof kl_sequence_electrodes / sizeof *kl_sequence_electrodes;

static const char *const renamed[][2] = {
    { "T3", "T7" }, { "T4", "T8" }, { "T5", "P7" }, { "T6", "P8" }
};

const struct kl_sequence_electrode *kl_sequence_electrode_find(const char *name)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcasecmp(name, renamed[i][0]) == 0) name = renamed[i][1];
    for (size_t i = 0; i < kl_sequence_n_electrodes; i++)
        if (strcasecmp(name, kl_sequence_electrodes[i].name) == 0) return &kl_sequence_electrodes[i];
    return NULL;
}

/* What follows an electrode's name where its reference stands beside it. */
static bool is_reference(const char *text)
{
    static const char *const words[] = { "ref", "le", "ar", "avg", "car", "m1m2", "a1a2" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0) return true;
    return false;
}

void kl_sequence_electrode_name(char *name, const char *label)
{
    char bare[48];
    snprintf(name, 48, "%s", label);
    for (size_t n = strlen(name); n > 1 && (name[n - 1] == '.' || name[n - 1] == ' ');) name[--n] = '\0';
    snprintf(bare, sizeof bare, "%s", strncasecmp(name, "EEG ", 4) == 0 ? name + 4 : name);
    char *dash = strrchr(bare, '-');
    if (dash && is_reference(dash + 1)) *dash = '\0';
    const struct kl_sequence_electrode *e = kl_sequence_electrode_find(bare);
    if (!e) return;
    /* The old names stay names. */
    const bool old = strcasecmp(bare, e->name) != 0;
    snprintf(name, 48, "%s", old ? bare : e->name);
    if (old) *name = 'T';
}
