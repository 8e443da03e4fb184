/* SPDX-License-Identifier: MIT
   EDF and BDF files with one trap each: read as the standards say, or refused with what and where. */
#include <math.h>
#include <unistd.h>

#include "sequence/recording/recording.h"
#include "tests/edf_make.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static char path[1024];

static const struct edf_make usual = {
    .n_channels = 3,
    .n_records = 3,
    .channel = { { "Fc5.", .per_record = 4 },
                 { "Cz..", .per_record = 4 },
                 { "EDF Annotations", .per_record = 20,
                   .lists = (const char *const[]){ "+0\x14\x14@",
                                                   "+1\x14\x14@+1.5\x15"
                                                   "0.25\x14T1\x14@",
                                                   "+2\x14\x14@" } } },
};

static void write_bytes(const void *data, size_t n)
{
    FILE *to = fopen(path, "wb");
    if (!to || fwrite(data, 1, n, to) != n || fclose(to)) perror(path), exit(1);
}

static int open_made(struct kl_sequence_recording *r, const struct edf_make *e, struct kl_error *err)
{
    size_t n;
    unsigned char *bytes = edf_make(&n, e);
    write_bytes(bytes, n);
    free(bytes);
    return kl_sequence_recording_open(r, path, err);
}

static void refused(const struct edf_make *e, const char *words)
{
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    const int code = open_made(&r, e, &err);
    CHECK(code == KL_EDATA && strstr(err.text, words), "%d '%s', expected '%s'", code, err.text, words);
    kl_sequence_recording_close(&r);
}

static bool remarks(const struct kl_sequence_recording *r, const char *words)
{
    for (size_t i = 0; i < r->n_remarks; i++)
        if (strstr(r->remarks[i], words)) return true;
    return false;
}

/* The file is read, but not signal s, which says why; the other one is. */
static void faulty(const struct edf_make *e, size_t s, const char *words)
{
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    double x[12];
    CHECK(open_made(&r, e, &err) == 0, "%s", err.text);
    CHECK(r.n_signals == 2 && r.signals[s].fault && strstr(r.signals[s].fault, words),
          "'%s', expected '%s'", r.n_signals == 2 && r.signals[s].fault ? r.signals[s].fault : "",
          words);
    CHECK(kl_sequence_recording_read(x, &r, s, 0, 1, &err) == KL_EDATA && strstr(err.text, words), "%s",
          err.text);
    if (!r.signals[1 - s].fault)
        CHECK(kl_sequence_recording_read(x, &r, 1 - s, 0, 12, &err) == 0 &&
                  x[11] == 203 + 10 * (1 - (double)s),
              "%s", err.text);
    CHECK(remarks(&r, words), "%zu remarks", r.n_remarks);
    kl_sequence_recording_close(&r);
}

/* Opened, with so many annotations and, unless NULL, this remark, else none. Close it. */
static void opened(struct kl_sequence_recording *r, const struct edf_make *e, size_t annotations,
                   const char *words)
{
    struct kl_error err = { 0 };
    CHECK(open_made(r, e, &err) == 0, "%s", err.text);
    CHECK(r->n_annotations == annotations, "%zu annotations", r->n_annotations);
    CHECK(words ? remarks(r, words) : !r->n_remarks, "'%s', found %zu: %s", words ? words : "",
          r->n_remarks, r->n_remarks ? r->remarks[0] : "");
}

static void test_usual(void)
{
    struct kl_sequence_recording r;
    opened(&r, &usual, 1, NULL);
    CHECK(r.n_signals == 2 && strcmp(r.signals[0].name, "FC5") == 0 &&
          strcmp(r.signals[1].name, "Cz") == 0);
    CHECK(strcmp(r.start, "2011-03-02 04:05:06") == 0, "%s", r.start);
    CHECK(r.n_annotations == 1 && r.annotations[0].onset == 1.5 && r.annotations[0].duration == 0.25 &&
          strcmp(r.annotations[0].text, "T1") == 0);
    CHECK(r.n_stretches == 1 && r.stretches[0].n_records == 3 && r.n_gaps == 0);
    CHECK(r.signals[0].rate == 4 && r.signals[0].to_volts == 1e-6);
    kl_sequence_recording_close(&r);
}

/* Any range of samples is that part of all, for one signal and for several. */
static void check_ranges(const struct edf_make *e, size_t per_record)
{
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    const size_t both[] = { 1, 0 }, all = per_record * e->n_records;
    const double scale[] = { 2, 3 };
    double x[2][256], y[256];
    CHECK(open_made(&r, e, &err) == 0, "%s", err.text);
    for (size_t first = 0; first <= all; first++)
        for (size_t n = 0; n <= all - first; n++) {
            CHECK(kl_sequence_recording_read(y, &r, 1, first, n, &err) == 0, "%s", err.text);
            CHECK(kl_sequence_recording_read_many(x[0], &r, both, 2, scale, first, n, 256, &err) == 0,
                  "%s", err.text);
            for (size_t k = 0; k < n; k++) {
                const size_t at = first + k;
                const double expected = (double)(100 * (at / per_record) + at % per_record);
                CHECK(y[k] == expected + 10 && x[0][k] == 2 * (expected + 10) && x[1][k] == 3 * expected,
                      "%zu: %g", at, y[k]);
            }
        }
    CHECK(kl_sequence_recording_read(y, &r, 0, 1, all, &err) == KL_EUSAGE);
    kl_sequence_recording_close(&r);
}

static void test_samples(void)
{
    struct edf_make e = usual;
    check_ranges(&e, 4);
    e.width = 3, e.channel[2].label = "BDF Annotations";
    check_ranges(&e, 4);
    /* among so many others a signal is read by itself */
    e = usual;
    e.n_channels = 4;
    e.channel[3] = (__typeof__(e.channel[3])){ .label = "Aux", .per_record = 5000 };
    check_ranges(&e, 4);
    e.channel[3].per_record = 200000; /* no record in a block */
    check_ranges(&e, 4);
}

static void test_negative(void)
{
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    size_t n;
    double x[3];
    for (size_t width = 2; width <= 3; width++) {
        struct edf_make e = usual;
        e.width = width, e.channel[2].label = width == 3 ? "BDF Annotations" : "EDF Annotations";
        unsigned char *bytes = edf_make(&n, &e);
        memset(bytes + 1024, 0xff, width), bytes[1024 + 2 * width - 1] = 0x80; /* -1; the least number */
        write_bytes(bytes, n), free(bytes);
        CHECK(kl_sequence_recording_open(&r, path, &err) == 0 &&
                  kl_sequence_recording_read(x, &r, 0, 0, 2, &err) == 0,
              "%s", err.text);
        CHECK(x[0] == -1 && x[1] == (width == 3 ? -8388608. + 1 : -32768. + 1), "%g %g", x[0], x[1]);
        kl_sequence_recording_close(&r);
    }
}

static void test_annotations(void)
{
    struct kl_sequence_recording r;
    struct edf_make e = usual;
    /* two channels; several texts in a list; a duration of 0; Latin-1; out of order; controls */
    e.n_channels = 4;
    e.channel[3] = e.channel[2];
    e.channel[3].lists = (const char *const[]){ "+2.5\x15"
                                                "0\x14late\x14"
                                                "both\x14@",
                                                "+0\x14\x14@+0.5\x14links \xfc"
                                                "ber\x14@",
                                                "+2\x14"
                                                "a\nb\x14@" };
    opened(&r, &e, 5, "1 annotation: no UTF-8, taken for Latin-1");
    CHECK(strcmp(r.annotations[0].text, "links \xc3\xbc"
                                        "ber") == 0 &&
          r.annotations[0].onset == 0.5);
    CHECK(strcmp(r.annotations[2].text, "a?b") == 0 && strcmp(r.annotations[3].text, "late") == 0 &&
          strcmp(r.annotations[4].text, "both") == 0);
    kl_sequence_recording_close(&r);
    /* malformed ones are left out, and said; the others are kept */
    e = usual;
    e.channel[2].lists =
        (const char *const[]){ "+0\x14\x14@1.5\x14no sign\x14@+x\x14no\x14@+1\x14yes\x14@",
                               "+1\x14\x14@+2\x14no end@",
                               "+2\x14\x14@+3\x15"
                               "-1\x14no\x14@+4\x14\x14@" };
    opened(&r, &e, 1, "record 1: a malformed annotation '1.5?no sign?' is left out");
    CHECK(remarks(&r, "record 2: a malformed annotation '+2?no end'") &&
          remarks(&r, "1 annotation without a text is left out"));
    CHECK(strcmp(r.annotations[0].text, "yes") == 0);
    kl_sequence_recording_close(&r);
    /* onsets are counted from the first sample */
    e.channel[2].lists =
        (const char *const[]){ "+0.25\x14\x14@+1.75\x14now\x14@", "+1.25\x14\x14@", "+2.25\x14\x14@" };
    opened(&r, &e, 1, NULL);
    CHECK(r.annotations[0].onset == 1.5 && r.n_stretches == 1 && r.stretches[0].start == 0);
    kl_sequence_recording_close(&r);
    e.channel[2].lists = (const char *const[]){ "+0\x14\x14@", "",
                                                "+2\x14\x14@+3.5\x14"
                                                "behind\x14@" };
    opened(&r, &e, 1, "1 of 3 records do not say when they begin");
    CHECK(remarks(&r, "1 annotation lies where there are no samples"));
    kl_sequence_recording_close(&r);
}

static void test_gaps(void)
{
    struct kl_sequence_recording r;
    struct edf_make e = usual;
    e.reserved = "EDF+D";
    e.channel[2].lists = (const char *const[]){ "+5\x14\x14@", "+6.1\x14\x14@", "+9.5\x14\x14@" };
    opened(&r, &e, 0, NULL);
    CHECK(r.n_gaps == 1 && r.discontinuous && r.stretches[0].n_records == 2, "%zu gaps", r.n_gaps);
    CHECK(r.n_gaps == 1 && fabs(r.gaps[0].from - 2) < 1e-12 && fabs(r.gaps[0].to - 4.5) < 1e-12, "%g %g",
          r.gaps[0].from, r.gaps[0].to);
    kl_sequence_recording_close(&r);
    e.channel[2].lists = (const char *const[]){ "+0\x14\x14@", "+1.13\x14\x14@",
                                                "+2.14\x14\x14@" }; /* half a sample is 0.125 */
    opened(&r, &e, 0, NULL);
    CHECK(r.n_gaps == 1 && r.stretches[1].n_records == 2, "%zu gaps", r.n_gaps);
    kl_sequence_recording_close(&r);
    e.reserved = "EDF+C";
    opened(&r, &e, 0, "says that it is continuous");
    kl_sequence_recording_close(&r);
    e.channel[2].lists = (const char *const[]){ "+0\x14\x14@", "+0.5\x14\x14@", "+2\x14\x14@" };
    refused(&e, "record 2 begins at 0.5 s, before record 1 ends (1 s)");
    e.reserved = "EDF+D",
    e.channel[2].lists = (const char *const[]){ "+0\x14\x14@", "@", "+2\x14\x14@" };
    refused(&e, "record 2 does not say when it begins");
    e.n_channels = 2;
    refused(&e, "EDF+D without a channel of annotations");
}

static void test_refusals(void)
{
    struct edf_make e = usual;
    e.channel[1].low = "1,5";
    faulty(&e, 1, "physical minimum: found '1,5', expected a number with a decimal point");
    e.channel[1].low = "nan";
    faulty(&e, 1, "found 'nan', expected a number");
    e.channel[1].low = "7", e.channel[1].high = "7.0";
    faulty(&e, 1, "are both 7");
    e.channel[1].low = "-1e308", e.channel[1].high = "1e308";
    faulty(&e, 1, "are no range of numbers");
    e = usual, e.channel[0].digital_low = "5", e.channel[0].digital_high = "5";
    faulty(&e, 0, "digital minimum 5, maximum 5");
    e = usual, e.channel[0].digital_high = "32768";
    faulty(&e, 0, "but samples have 16 bits");
    e = usual, e.channel[0].per_record = 0;
    faulty(&e, 0, "0 samples a record");
    e = usual, e.seconds = "0";
    faulty(&e, 0, "records of 0 seconds with 4 samples: no rate");
    e = usual, e.records = "4";
    refused(&e, "ends in record 4 of 4, after");
    e.records = "2";
    refused(&e, "the header says 2 records of 56 bytes, the file holds 3");
    e.records = "-2";
    refused(&e, "-2 records");
    e.records = "x";
    refused(&e, "number of records: found 'x', expected a whole number");
    e = usual, e.seconds = "0,5";
    refused(&e, "seconds of a record: found '0,5'");
    e = usual, e.reserved = "EDF+X";
    refused(&e, "found the format 'EDF+X'");
    e = usual, e.version = "GDF 1.25";
    refused(&e, "convert it from GDF");
    e.version = "1";
    refused(&e, "no recording in EDF or BDF, by its first eight characters, '1'");
}

static void test_lengths(void)
{
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    size_t n;
    unsigned char *bytes = edf_make(&n, &usual);
    static const struct {
        size_t n;
        const char *words;
    } cuts[] = { { 0, "0 bytes" },
                 { 255, "255 bytes" },
                 { 300, "ends in its header" },
                 { 1024 + 3 * 56 - 1, "ends in record 3 of 3" } };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        write_bytes(bytes, cuts[i].n);
        CHECK(kl_sequence_recording_open(&r, path, &err) == KL_EDATA && strstr(err.text, cuts[i].words),
              "%s", err.text);
        kl_sequence_recording_close(&r);
    }
    bytes = realloc(bytes, n + 7);
    memset(bytes + n, 0, 7);
    write_bytes(bytes, n + 7);
    CHECK(kl_sequence_recording_open(&r, path, &err) == 0 &&
          remarks(&r, "7 bytes behind the last record are not read"));
    kl_sequence_recording_close(&r), free(bytes);
    write_bytes("version https://git-lfs.github.com/spec/v1\n", 43);
    CHECK(kl_sequence_recording_open(&r, path, &err) == KL_EDATA && strstr(err.text, "Git LFS"), "%s",
          err.text);
    kl_sequence_recording_close(&r);
    CHECK(kl_sequence_recording_open(&r, "/nowhere.edf", &err) == KL_ENOINPUT, "%s", err.text);
    kl_sequence_recording_close(&r);
    CHECK(kl_sequence_recording_open(&r, test_folder, &err) == KL_ENOINPUT && strstr(err.text, "folder"),
          "%s", err.text);
    kl_sequence_recording_close(&r);
}

static void test_borne(void)
{
    struct kl_sequence_recording r;
    struct edf_make e = usual;
    e.records = "-1";
    opened(&r, &e, 1, "-1 records: 3 are there");
    kl_sequence_recording_close(&r);
    e = usual, e.reserved = "";
    opened(&r, &e, 1, "the header does not say EDF+, yet there are annotations");
    kl_sequence_recording_close(&r);
    e = usual, e.n_channels = 2;
    opened(&r, &e, 0, "EDF+C without a channel of annotations");
    kl_sequence_recording_close(&r);
    e.reserved = "";
    opened(&r, &e, 0, NULL);
    CHECK(strcmp(kl_sequence_recording_format(&r), "EDF") == 0 && r.n_stretches == 1 &&
          r.stretches[0].n_records == 3);
    kl_sequence_recording_close(&r);
    e = usual, e.date = "xx.03.11";
    opened(&r, &e, 1, "start: found 'xx.03.11'");
    kl_sequence_recording_close(&r);
    e = usual, e.date = "01.01.85", e.recording = "Startdate X X X X";
    opened(&r, &e, 1, NULL);
    CHECK(!*r.start, "%s", r.start);
    kl_sequence_recording_close(&r);
    e = usual, e.channel[0].label = "Cz", e.channel[1].label = "EEG Cz-Ref", e.channel[0].unit = "\xb5V",
    e.channel[1].unit = "mV";
    opened(&r, &e, 1, "2 signals are called Cz");
    CHECK(strcmp(r.signals[1].name, "Cz#2") == 0 && strcmp(r.signals[1].label, "EEG Cz-Ref") == 0);
    CHECK(r.signals[0].to_volts == 1e-6 && r.signals[1].to_volts == 1e-3 &&
          strcmp(r.signals[0].unit, "\xc2\xb5V") == 0);
    CHECK(kl_sequence_recording_find(&r, "Cz#2") == 1 &&
          kl_sequence_recording_find(&r, "EEG Cz-Ref") == 1 &&
          kl_sequence_recording_find(&r, "Pz") == -1);
    kl_sequence_recording_close(&r);
}

/* By the label, else the transducer, else the unit; the names are those of real files: EDF+'s own,
   Sleep-EDF, TUH, BioSemi, BCI competition, Emotiv, BrainVision. */
static void test_types(void)
{
    static const struct {
        const char *label, *unit;
        enum kl_sequence_type type;
    } all[] = {
        { "Fc5.", "uV", KL_SEQUENCE_EEG },
        { "EEG Fpz-Cz", "uV", KL_SEQUENCE_EEG },
        { "EEG FP1-REF", "uV", KL_SEQUENCE_EEG },
        { "FP1-F7", "uV", KL_SEQUENCE_EEG },
        { "A1", "uV", KL_SEQUENCE_EEG },
        { "E129", "uV", KL_SEQUENCE_EEG },
        { "EEG 026", "uV", KL_SEQUENCE_EEG },
        { "C3-A2", "uV", KL_SEQUENCE_EEG },
        { "C3", "", KL_SEQUENCE_EEG },
        { "Pz", "%", KL_SEQUENCE_OTHER },
        { "EOG left", "uV", KL_SEQUENCE_EOG },
        { "HEOG", "uV", KL_SEQUENCE_EOG },
        { "VEOG1", "uV", KL_SEQUENCE_EOG },
        { "LOC-A2", "uV", KL_SEQUENCE_EOG },
        { "E1-M2", "uV", KL_SEQUENCE_EOG },
        { "EOG-central", "uV", KL_SEQUENCE_EOG },
        { "ECG", "mV", KL_SEQUENCE_ECG },
        { "EEG EKG1-REF", "uV", KL_SEQUENCE_ECG },
        { "ECG II", "mV", KL_SEQUENCE_ECG },
        { "EMG submental", "uV", KL_SEQUENCE_EMG },
        { "CHIN1", "uV", KL_SEQUENCE_EMG },
        { "Status", "Boolean", KL_SEQUENCE_STIMULUS },
        { "STI 014", "uV", KL_SEQUENCE_STIMULUS },
        { "Trigger", "", KL_SEQUENCE_STIMULUS },
        { "Event marker", "", KL_SEQUENCE_STIMULUS },
        { "EXG1", "uV", KL_SEQUENCE_OTHER },
        { "Resp oro-nasal", "", KL_SEQUENCE_OTHER },
        { "Temp rectal", "DegC", KL_SEQUENCE_OTHER },
        { "SpO2", "%", KL_SEQUENCE_OTHER },
        { "GSR1", "nS", KL_SEQUENCE_OTHER },
        { "CQ_AF3", "", KL_SEQUENCE_OTHER },
        { "x_dir", "ARU", KL_SEQUENCE_OTHER },
        { "-", "", KL_SEQUENCE_OTHER },
        { "AUX1", "uV", KL_SEQUENCE_OTHER },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct kl_sequence_recording r;
        struct kl_error err = { 0 };
        struct edf_make e = usual;
        e.channel[0].label = all[i].label, e.channel[0].unit = all[i].unit;
        CHECK(open_made(&r, &e, &err) == 0, "%s", err.text);
        CHECK(r.signals[0].type == all[i].type, "%s: %s, expected %s", all[i].label,
              kl_sequence_type_name(r.signals[0].type), kl_sequence_type_name(all[i].type));
        kl_sequence_recording_close(&r);
    }
}

/* Beside the file: types and events, in place of its own. */
static void test_beside(void)
{
    static const char events[] =
        "onset\tduration\ttrial_type\tvalue\r\n0.5\t1\t\"left, hand\"\t1\r\n2\tn/a\tn/a\t7\r\n";
    static const char channels[] = "name\ttype\tstatus\nFc5.\tEOG\tgood\nCz\tEEG\tbad\nPz\tEEG\tgood\n";
    struct kl_sequence_recording r;
    char beside[2][1024];
    const char *const texts[] = { events, channels };
    in_folder(beside[0], "a_events.tsv"), in_folder(beside[1], "a_channels.tsv");
    for (int i = 0; i < 2; i++) {
        FILE *to = fopen(beside[i], "wb");
        if (!to || fputs(texts[i], to) < 0 || fclose(to)) perror(beside[i]), exit(1);
    }
    opened(&r, &usual, 2, "take the place of the 1 of the file");
    CHECK(strcmp(r.annotations[0].text, "left, hand") == 0 && r.annotations[0].duration == 1 &&
          r.annotations[0].onset == 0.5);
    CHECK(strcmp(r.annotations[1].text, "7") == 0 && r.annotations[1].duration == 0);
    CHECK(r.signals[0].type == KL_SEQUENCE_EOG && r.signals[1].type == KL_SEQUENCE_EEG);
    CHECK(remarks(&r, "calls 1 channel bad, Cz") && remarks(&r, "names 1 channel that the file lacks"));
    CHECK(strcmp(r.beside[KL_SEQUENCE_EVENTS], beside[0]) == 0 && r.beside[KL_SEQUENCE_CHANNELS]);
    kl_sequence_recording_close(&r);
    unlink(beside[0]), unlink(beside[1]);
}

static void test_names(void)
{
    static const char *const pairs[][2] = { { "Fc5.", "FC5" },
                                            { "FCZ", "FCz" },
                                            { "EEG FP1-REF", "Fp1" },
                                            { "Iz..", "Iz" },
                                            { "EEG Fpz-Cz", "EEG Fpz-Cz" },
                                            { "T3", "T3" },
                                            { "eeg t5-le", "T5" },
                                            { "Status", "Status" },
                                            { "Resp. ", "Resp" },
                                            { ".", "." },
                                            { "", "" },
                                            { "EEG 12-Ref", "EEG 12-Ref" } };
    char name[48];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        kl_sequence_electrode_name(name, pairs[i][0]);
        CHECK(strcmp(name, pairs[i][1]) == 0, "%s: %s", pairs[i][0], name);
    }
    const struct kl_sequence_electrode *c3 = kl_sequence_electrode_find("C3"),
                                       *fc4 = kl_sequence_electrode_find("FC4"),
                                       *fc3 = kl_sequence_electrode_find("FC3");
    CHECK(c3 && fabsf(c3->x + 0.4f) < 1e-5f && fabsf(c3->y) < 1e-5f);
    CHECK(fc3 && fc4 && fabsf(fc3->x + fc4->x) < 2e-5f && fc3->y == fc4->y && fc3->y > 0.18f &&
          fc3->y < 0.22f);
    CHECK(kl_sequence_electrode_find("T3") == kl_sequence_electrode_find("T7") &&
          !kl_sequence_electrode_find("Status"));
}

/* ---- what is written is read again ---- */
static int to_file(void *context, const void *data, size_t n, struct kl_error *err)
{
    return fwrite(data, 1, n, context) == n ? KL_OK : kl_fail(err, KL_EIO, "no room");
}

static int written(const struct kl_sequence_edf *e, size_t *clipped, struct kl_error *err)
{
    FILE *to = fopen(path, "wb");
    const int code = kl_sequence_edf_write(clipped, e, to_file, to, err);
    fclose(to);
    return code;
}

static void test_written(void)
{
    enum { N = 40 };
    double a[N], b[N], x[N];
    for (int i = 0; i < N; i++) a[i] = 90 * sin(0.3 * i), b[i] = i - 20;
    b[7] = 1000;
    const struct kl_sequence_edf_signal signals[] = { { "C3..", "uV", -100, 100, a },
                                                      { "C4", "mV", -1.0 / 3, 30, b } };
    const struct kl_sequence_annotation notes[] = { { -0.25, 0, "before" },
                                                    { 0, 4.1, "T1" },
                                                    { 0.5, 1e-9,
                                                      "links \xc3\xbc"
                                                      "ber" },
                                                    { 9.9999, 3, "last" } };
    struct kl_sequence_edf e = { signals, 2,           10,    4, 2.5, "2009-08-12 16:15:00",
                                 NULL,    "synthetic", notes, 4 };
    struct kl_sequence_recording r;
    struct kl_error err = { 0 };
    size_t clipped = 0;
    CHECK(written(&e, &clipped, &err) == 0, "%s", err.text);
    CHECK(clipped == 20, "%zu", clipped); /* 19 below -1/3, and 1000 */
    CHECK(kl_sequence_recording_open(&r, path, &err) == 0, "%s", err.text);
    CHECK(r.n_signals == 2 && r.n_records == 4 && r.record_seconds == 2.5 &&
          strcmp(r.start, e.start) == 0 && r.n_gaps == 0);
    CHECK(r.n_annotations == 4 && r.n_remarks == 1, "%zu",
          r.n_remarks); /* one before the first sample */
    for (size_t i = 0; i < r.n_annotations; i++)
        CHECK(fabs(r.annotations[i].onset - notes[i].onset) < 1e-9 &&
                  fabs(r.annotations[i].duration - notes[i].duration) < 1e-12 &&
                  strcmp(r.annotations[i].text, notes[i].text) == 0,
              "%s", r.annotations[i].text);
    CHECK(r.signals[0].rate == 4 && r.signals[1].to_volts == 1e-3 &&
              r.signals[1].physical_min == -0.33333,
          "%.17g", r.signals[1].physical_min);
    CHECK(kl_sequence_recording_read(x, &r, 0, 0, N, &err) == 0, "%s", err.text);
    for (int i = 0; i < N; i++)
        CHECK(fabs(x[i] - a[i]) <= 100.0 / 65535 + 1e-12, "%d: %g %g", i, x[i], a[i]);
    CHECK(kl_sequence_recording_read(x, &r, 1, 0, N, &err) == 0, "%s", err.text);
    CHECK(x[7] == 30 && fabs(x[3] + 0.33333) < 1e-9 && fabs(x[39] - 19) < 30.34 / 65535);
    kl_sequence_recording_close(&r);
    e.start = "1970-01-01 00:00:00";
    CHECK(written(&e, NULL, &err) == KL_EUSAGE && strstr(err.text, "1970"), "%s", err.text);
    e.start = "2009-08-12 16:15:00", a[3] = NAN;
    CHECK(written(&e, NULL, &err) == KL_EUSAGE && strstr(err.text, "sample 3 is no number"), "%s",
          err.text);
    a[3] = 0, e.equipment = "two words";
    CHECK(written(&e, NULL, &err) == KL_EUSAGE && strstr(err.text, "one word"), "%s", err.text);
}

int main(void)
{
    make_test_folder();
    in_folder(path, "a.edf");
    test_usual(), test_samples(), test_negative(), test_annotations(), test_gaps();
    test_refusals(), test_lengths(), test_borne(), test_names(), test_types(), test_beside();
    test_written();
    return failures != 0;
}
