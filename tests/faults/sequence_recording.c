/* SPDX-License-Identifier: MIT
   Recordings, their reports and their writer while allocations and reads fail: one line, and nothing is
   left behind. */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "each.h"
#include "sequence/recording/recording.h"
#include "tests/edf_make.h"
#include "tests/unit/test_folder.h"

static char path[1024];

static void make_file(void)
{
    static const char *const lists[] = { "+0\x14\x14@", "+1\x14\x14@+1.5\x14links \xfc\x14@",
                                         "+9\x14\x14@x@+12\x14T1\x14@" };
    const struct edf_make e = { .n_channels = 3,
                                .n_records = 3,
                                .reserved = "EDF+D",
                                .channel = { { "Cz", .per_record = 4 },
                                             { "Cz", .unit = "x", .per_record = 4 },
                                             { "EDF Annotations", .per_record = 20, .lists = lists } } };
    size_t n;
    unsigned char *bytes = edf_make(&n, &e);
    FILE *to = fopen(in_folder(path, "a.edf"), "wb");
    if (!to || fwrite(bytes, 1, n, to) != n || fclose(to)) perror(path), exit(1);
    free(bytes);
}

static int read_all(struct kl_error *err)
{
    struct kl_sequence_recording r;
    double x[12];
    int code = kl_sequence_recording_open(&r, path, err);
    if (!code) code = kl_sequence_recording_read(x, &r, 1, 0, 12, err);
    if (!code && (x[11] != 213 || r.n_annotations != 2 || r.n_gaps != 1 || r.n_remarks != 5))
        code = kl_fail(err, KL_EINTERNAL, "%g, %zu annotations, %zu gaps, %zu remarks", x[11],
                       r.n_annotations, r.n_gaps, r.n_remarks);
    kl_sequence_recording_close(&r);
    return code;
}

static int report(struct kl_error *err)
{
    struct kl_sequence_recording r;
    json_t *value = NULL;
    char *text = NULL;
    int code = kl_sequence_recording_open(&r, path, err);
    if (!code) code = kl_sequence_recording_report(&value, &r, err);
    if (!code) code = kl_json_dump(&text, value, err);
    if (!code && !strstr(text, "\"count\":1,\"text\":\"T1\""))
        code = kl_fail(err, KL_EINTERNAL, "%s", text);
    json_decref(value), free(text);
    kl_sequence_recording_close(&r);
    return code;
}

static size_t taken;
static int take(void *context, const void *data, size_t n, struct kl_error *err)
{
    (void)context, (void)data, (void)err;
    taken += n;
    return KL_OK;
}

static int write_one(struct kl_error *err)
{
    static const double samples[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static const struct kl_sequence_edf_signal signal = { "C3", "uV", -10, 10, samples };
    static const struct kl_sequence_annotation note = { 0.5, 1, "T1" };
    const struct kl_sequence_edf e = {
        &signal, 1, 4, 2, 1, "2001-02-03 04:05:06", NULL, NULL, &note, 1
    };
    taken = 0;
    const int code = kl_sequence_edf_write(NULL, &e, take, NULL, err);
    return code || taken > 256 * 3 + 2 * 8 ? code : kl_fail(err, KL_EINTERNAL, "%zu bytes", taken);
}

/* ---- BrainVision, and what BIDS lays beside it ---- */
static char vision[1024];

static void make_text(const char *name, const char *text, size_t n)
{
    char to[1024];
    FILE *file = fopen(in_folder(to, name), "wb");
    if (!file || fwrite(text, 1, n, file) != n || fclose(file)) perror(to), exit(1);
}

static void make_vision(void)
{
    static const char header[] =
        "BrainVision Data Exchange Header File Version 1.0\n[Common "
        "Infos]\nDataFile=v.eeg\nMarkerFile=v.vmrk\n"
        "DataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=2\nSamplingInterval=250000\n"
        "[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\nCh1=C3,,0.5\nCh2=EOG,,1,uV\n";
    static const char markers[] =
        "Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n"
        "Mk1=New Segment,,1,1,0,20240101000000000000\nMk2=Stimulus,S  1,3,1,0\nMk3=x\n"
        "Mk4=New Segment,,5,1,0,20240101000010000000\n";
    static const char events[] = "onset\tduration\ttrial_type\n0.5\t1\tleft\n10.5\t1\tright\n";
    static const char channels[] = "name\ttype\tstatus\nC3\tEEG\tbad\n";
    int16_t samples[16];
    for (int i = 0; i < 16; i++) samples[i] = (int16_t)i;
    in_folder(vision, "v.vhdr");
    make_text("v.vhdr", header, sizeof header - 1), make_text("v.vmrk", markers, sizeof markers - 1);
    make_text("v.eeg", (const char *)samples, sizeof samples);
    make_text("v_events.tsv", events, sizeof events - 1);
    make_text("v_channels.tsv", channels, sizeof channels - 1);
}

static int read_vision(struct kl_error *err)
{
    struct kl_sequence_recording r;
    double x[8];
    int code = kl_sequence_recording_open(&r, vision, err);
    if (!code) code = kl_sequence_recording_read(x, &r, 0, 0, 8, err);
    if (!code && (x[7] != 7 || r.n_annotations != 2 || r.n_gaps != 1 || r.n_remarks != 3))
        code = kl_fail(err, KL_EINTERNAL, "%g, %zu annotations, %zu gaps, %zu remarks", x[7],
                       r.n_annotations, r.n_gaps, r.n_remarks);
    kl_sequence_recording_close(&r);
    return code;
}

int main(void)
{
    make_test_folder();
    make_file();
    make_vision();
    check_each("BrainVision", read_vision, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("BrainVision", read_vision, FAULT_READ, KL_EIO, KL_EIO);
    check_each("BrainVision", read_vision, FAULT_OPEN, KL_ENOINPUT, KL_ENOINPUT);
    check_interrupted("BrainVision", read_vision);
    check_each("read", read_all, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("read", read_all, FAULT_READ, KL_EIO, KL_EIO);
    check_each("read", read_all, FAULT_OPEN, KL_ENOINPUT, KL_ENOINPUT);
    check_interrupted("read", read_all);
    check_each("report", report, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("write", write_one, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    return failures != 0;
}
