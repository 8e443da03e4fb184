/* SPDX-License-Identifier: MIT
   What a signal is of, and where its electrode stands. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "sequence/recording/recording.h"
#include "sequence/recording/recording_int.h"

/* ---- types ----
   What a signal is of, by the words of its label, of its transducer, and by its unit. EDF+ (Kemp &
   Olivan 2003, section 2.1.3) writes the type in front of a label; others name a channel after what it
   is. */

/* Words, each with digits behind it or without: "ecg", "ECG1". Those of one letter, or that can be an
   electrode's, are not here. */
static const struct {
    enum kl_sequence_type type;
    const char *words;
} named[] = {
    { KL_SEQUENCE_EOG,
      " eog heog veog eogh eogv leog reog eogl eogr heogl heogr veogl veogr veogu veogd "
      "heor heol veou veoo loc roc eye veo heo veor " },
    { KL_SEQUENCE_ECG, " ecg ekg ecgl ecgr ekgl ekgr heart " },
    { KL_SEQUENCE_EMG, " emg emgl emgr lemg remg chin submental leg lleg rleg tibialis masseter deltoid "
                       "trapezius lat rat " },
    { KL_SEQUENCE_STIMULUS,
      " status trigger triggers trig trg mkr sti stim stimulus stimuli marker markers "
      "mrk event events ttl din sync photic digital " },
    { KL_SEQUENCE_OTHER,
      " resp respiration respiratory rsp thor thorax thoracic chest abd abdo abdomen "
      "abdominal airflow flow nasal oronasal cannula thermistor thermocouple snore "
      "snoring spo sao oxygen saturation pleth plet plethysmograph ppg bvp pulse pr hr "
      "bpm heartrate temp temperature gsr eda sc erg meg mcg light sound mic microphone "
      "audio acc accel accelerometer accx accy accz gyro gyrox gyroy gyroz mag magx "
      "magy magz position pos bodypos battery bat imp impedance counter samplecounter "
      "time timestamp timestamps cpap etco co pressure nirs exg aux auxiliary dc misc "
      "photo photodiode diode pupil gaze joystick mouse motion dir interpolated cq "
      "rawcq unused dummy empty spare nc gnd ground ibi bursts suppr quality osat hrate "
      "ana analog bip " },
};
/* Units of what is no voltage. */
static const char *const other_units =
    " degc degreec celsius c degf k % bpm /min 1/min mmhg cmh2o kpa pa l/s "
    "l/min lpm ml boolean bool ohm kohm mohm s ms us ns lux lx m/s^2 m/s2 g "
    "mg deg deg/s dps rad rad/s hz db dba ";

static bool holds(const char *words, const char *word, size_t n)
{
    for (const char *at = words; (at = strstr(at, " ")) != NULL; at++)
        if (n && strncasecmp(at + 1, word, n) == 0 && at[1 + n] == ' ') return true;
    return false;
}

/* The type that a word of the text names; EEG: none does. A letter alone, such as the A of "Resp A", is
   none. */
static enum kl_sequence_type of_words(const char *text)
{
    while (*text) {
        size_t n = 0;
        while (*text && !isalpha((unsigned char)*text)) text++;
        while (isalpha((unsigned char)text[n])) n++;
        for (size_t i = 0; i < sizeof named / sizeof *named && n > 1; i++)
            if (holds(named[i].words, text, n)) return named[i].type;
        text += n;
    }
    return KL_SEQUENCE_EEG;
}

/* "E1-M2", "E2:M1": the eyes of sleep recordings; alone, E1 is an electrode of a dense net. */
static bool is_eye(const char *label)
{
    return (label[0] == 'E' || label[0] == 'e') && (label[1] == '1' || label[1] == '2') &&
           strchr("-:/", label[2]) && label[2] && strpbrk(label + 3, "MmAa");
}

/* "-", ".", "": a place in the file without an electrode. */
static bool is_nameless(const char *label)
{
    return !label[strspn(label, " .-_")];
}

static bool is_electrode(const char *label)
{
    char name[48];
    kl_sequence_electrode_name(name, label);
    return kl_sequence_electrode_find(name) != NULL;
}

enum kl_sequence_type kl_sequence_type_of(const char *label, const char *transducer, const char *unit)
{
    const bool other_unit = holds(other_units, unit, strlen(unit));
    if (is_electrode(label)) return other_unit ? KL_SEQUENCE_OTHER : KL_SEQUENCE_EEG;
    if (is_nameless(label)) return KL_SEQUENCE_OTHER;
    if (is_eye(label)) return KL_SEQUENCE_EOG;
    enum kl_sequence_type type = of_words(label);
    if (type == KL_SEQUENCE_EEG && strncasecmp(label, "EEG", 3)) type = of_words(transducer);
    return type == KL_SEQUENCE_EEG && other_unit ? KL_SEQUENCE_OTHER : type;
}

/* ---- electrodes ----
   The electrodes of the 10-10 system on a sphere, seen from above: the ring of Fpz, T7, Oz, T8 lies 72
   degrees from the vertex in steps of 18, that of Nz, T9, Iz, T10 at 90, the others in equal steps on
   circles through ring, midline and ring (Oostenveld & Praamstra 2001). First the 64 of eegmmidb. */

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

/* Is it the name of a reference, as it may stand behind an electrode's? */
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
