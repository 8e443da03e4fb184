/* SPDX-License-Identifier: MIT
   What figures of windows say: whose they are and how many, what a map is against, the unit of a scale
   and its ends for a contrast that is known. */
#include <math.h>

#include "tests/unit/plot/words.h"

enum { WINDOWS = 6, CHANNELS = 3, STEPS = 240, RATE = 80, NAME = 8 };
static char path[1024];

static int put(struct kl_writer *w, const char *name, enum kl_type type, size_t size, int rank,
               const size_t *dims, const void *values, struct kl_error *err)
{
    const int code = kl_store_writer_put(w, name, type, size, rank, dims, values, err);
    return code < 0 ? code : KL_OK;
}

/* Names, and of each window the number of its own. */
static enum { ALIKE, CONTRALATERAL, IPSILATERAL } side;
static int put_owners(struct kl_writer *w, struct kl_error *err)
{
    static const int32_t labels[WINDOWS] = { 0, 1, 0, 1, 0, 1 }, subject[WINDOWS] = { 0, 0, 0, 1, 1, 1 },
                         recording[WINDOWS] = { 0, 0, 1, 2, 2, 2 };
    static const double onset[WINDOWS] = { 2.5, 8, 2, NAN, 4, 6 };
    static const char hands[2][NAME] = { "left", "right" };
    static const char classes[2][NAME] = { "go", "stop" },
                      channels[CHANNELS][NAME] = { "C3", "Cz", "C4" },
                      people[2][NAME] = { "Ann", "Bob" }, recordings[3][NAME] = { "a1", "a2", "b1" };
    static const double positions[CHANNELS][2] = { { -0.4, 0 }, { 0, 0 }, { 0.4, 0 } };
    const size_t n = WINDOWS, two = 2, three = 3, places[2] = { CHANNELS, 2 };
    int code = put(w, "labels", KL_TYPE_I32, 0, 1, &n, labels, err);
    if (!code) code = put(w, "subject", KL_TYPE_I32, 0, 1, &n, subject, err);
    if (!code) code = put(w, "recording", KL_TYPE_I32, 0, 1, &n, recording, err);
    if (!code) code = put(w, "onset", KL_TYPE_F64, 0, 1, &n, onset, err);
    if (!code) code = put(w, "class_names", KL_TYPE_STRING, NAME, 1, &two, side ? hands : classes, err);
    if (!code) code = put(w, "subject_names", KL_TYPE_STRING, NAME, 1, &two, people, err);
    if (!code) code = put(w, "recording_names", KL_TYPE_STRING, NAME, 1, &three, recordings, err);
    if (!code) code = put(w, "channel_names", KL_TYPE_STRING, NAME, 1, &three, channels, err);
    return code ? code : put(w, "channel_positions", KL_TYPE_F64, 0, 2, places, positions, err);
}

/* Of a window's channel: sided, the left hand's power falls at C4, channel 2, to a quarter, the right
   hand's at C3; nearly, as a test needs some spread. */
static double size_of(size_t window, size_t channel)
{
    const bool right = window % 2, falls = channel == (right == (side == CONTRALATERAL) ? 0 : 2);
    if (side == ALIKE) return right ? 1 : 2;
    return (falls ? 1 : 2) * (1 + 0.01 * (double)window * (double)(channel + 1));
}

/* A rhythm of 10 Hz: of the first class twice as large as of the second, in all channels. */
static void write_windows(int64_t before)
{
    static float x[WINDOWS][CHANNELS][STEPS];
    const size_t dims[3] = { WINDOWS, CHANNELS, STEPS };
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    for (size_t i = 0; i < WINDOWS; i++)
        for (size_t c = 0; c < CHANNELS; c++)
            for (size_t t = 0; t < STEPS; t++)
                x[i][c][t] = (float)(size_of(i, c) * sin(2 * M_PI * 10 * (double)t / RATE + (double)c));
    int code = open_any_file(&w, path, "windows", &err);
    if (!code) code = put(w, "x", KL_TYPE_F32, 0, 3, dims, x, &err);
    if (!code) code = put_owners(w, &err);
    if (!code) code = kl_store_writer_number(w, "", "rate", RATE, &err);
    if (!code) code = kl_store_writer_text(w, "", "unit", "uV", &err);
    if (!code) code = kl_store_writer_integer(w, "", "steps_before", before, &err);
    if (!code) code = kl_store_writer_publish(&w, NULL, &err);
    kl_store_writer_abort(&w);
    CHECK(code >= 0, "%s", err.text);
}

static void draw(const char *name)
{
    draw_figure(name, (const char *const[]){ path }, 1);
}

static void after_the_event(void)
{
    write_windows(-RATE);
    draw("windows");
    CHECK_DRAWN("go: one of 3 windows", 1);
    CHECK_DRAWN("Ann, recording a1, event at 2.5 s", 1);
    CHECK_DRAWN("stop: one of 3 windows", 1);
    CHECK_DRAWN("Ann, recording a1, event at 8.0 s", 1);
    draw("spectra");
    CHECK_DRAWN("2 people, Ann to Bob: means of ", 1);
    CHECK_DRAWN("3 windows go,", 1);
    CHECK_DRAWN("3 windows stop", 1);
    draw("erd");
    CHECK_DRAWN(
        "No baseline: windows begin 1 s after the event, not 0.75 s before; `qseq windows --from "
        "-1` has one",
        1);
    CHECK_DRAWN("C3: go against stop", 1);
    draw("topography"); /* 20 log10 2 = 6.02 */
    CHECK_DRAWN("power of 8 to 13 Hz (dB)", 1);
    CHECK_DRAWN("2 people, Ann to Bob: 3 go, 3 stop", 1);
    CHECK_DRAWN("8 to 13 Hz, 1 to 3.99 s after the event", 1);
    CHECK_DRAWN("6.0", 1);
    CHECK_DRAWN("\xe2\x88\x92"
                "6.0",
                1);
}

static void with_a_baseline(void)
{
    write_windows(RATE);
    draw("erd");
    CHECK_DRAWN("C3: go against before", 1);
    CHECK_DRAWN("Cz: stop against before", 1);
    CHECK_DRAWN("3 windows stop", 1);
    CHECK(!drawn_text("No baseline"), "a baseline is there, and its lack is told");
    draw(
        "topography"); /* each class over before, and one over the other; of the time behind the event */
    CHECK_DRAWN("over before", 2);
    CHECK_DRAWN("over stop", 1);
    CHECK_DRAWN("8 to 13 Hz, 0 to 1.99 s after the event; before: -1 to 0 s", 1);
    draw("spectra");
    CHECK_DRAWN("0 to 1.99 s after the event, resolution 0.5 Hz", 1);
    write_windows(RATE / 2);
    draw("erd");
    CHECK(drawn_text("windows begin 0.5 s before the event, not 0.75 s before"),
          "half a second is enough");
}

/* 20 log10 2 = 6.02 dB on either side. */
static void the_side(void)
{
    static const char *const words[] = {
        NULL, "contralateral, as a hand's desynchronisation lies",
        "on the hand's own side: labels or channels swapped?"
    };
    for (side = CONTRALATERAL; side <= IPSILATERAL; side++) {
        write_windows(RATE);
        draw("topography");
        CHECK(drawn_text(words[side]), "%s is not said", words[side]);
        CHECK(drawn_text(side == CONTRALATERAL ? "dB left, -" : "dB left, +"), "another sign");
        draw("erd");
        CHECK(drawn_text(words[side]), "%s is not said", words[side]);
    }
    side = ALIKE;
    draw("topography");
}

int main(void)
{
    make_test_folder();
    in_folder(path, "windows.h5");
    after_the_event();
    with_a_baseline();
    the_side();
    return failures != 0;
}
