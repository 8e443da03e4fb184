/* SPDX-License-Identifier: MIT
   What a signal is of, by the words of its label, of its transducer, and by its unit. EDF+ (Kemp &
   Olivan 2003, section 2.1.3) writes the type in front of a label; others name a channel after what it
   is. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "sequence/recording/recording_int.h"

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
