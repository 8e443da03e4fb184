# People whose truth is known, as recordings: one shard a person.
$ qseq generate people -q --people 2 --channels 8 --trials 6 -o p && ls p
> S001R04.edf
> S001R08.edf
> S001R12.edf
> S002R04.edf
> S002R08.edf
> S002R12.edf
> truth.json
$ qseq windows p/S001R*.edf -o S001.h5 | sed 's/; [0-9.]* s$//'
> S001.h5: 18 windows of 8 channels and 249 steps at 80 Hz: 9 imagined left fist, 9 imagined right fist (T1, T2 by eegmmidb's runs); 3 recordings of 1 person; 18 other annotations
$ qseq windows p/S001R*.edf -o S001.h5
> S001.h5: up to date: 18 windows of 8 channels and 249 steps at 80 Hz: 9 imagined left fist, 9 imagined right fist (T1, T2 by eegmmidb's runs); 3 recordings of 1 person; 18 other annotations; # s
$ cache show S001.h5 | sed -n '/^classes/,/^steps/p'; cache show S001.h5 | tail -9; cache verify S001.h5
> classes    imagined left fist, imagined right fist
> options    array-rate 0.0  from 1.0  gaps "refuse"  limit 0  notch 0.0  rate 80.0  reference "none"
>            reject 0.0  task "auto"  to 4.1  unit "none"
> rate, Hz             80
> unit                 uV
> made with            band none, notch 0, reference none, baseline none
> steps before the event -80
>   channel_positions                    float64  8 x 2
>   class_names                          string   2
>   labels                               int32    18
>   onset                                float64  18
>   recording                            int32    18
>   recording_names                      string   3
>   subject                              int32    18
>   subject_names                        string   1
>   x                                    float32  18 x 8 x 249
> S001.h5: whole

# Rate, band, reference, channels by name, rejection, a baseline: what is dropped is counted, and said.
$ qseq windows p/S002R04.edf --rate 100 --band 8:30 --reference average --channels C3,Cz,C4 -o a.h5 | sed 's/; [0-9.]* s$//'
> a.h5: 6 windows of 3 channels and 311 steps at 100 Hz: 3 imagined left fist, 3 imagined right fist (T1, T2 by eegmmidb's runs); 1 recording of 1 person; 6 other annotations
$ qseq windows p/S002R04.edf --rate 0 --notch 50 --baseline 1:1.5 --reject 180 -o b.h5 | sed 's/; [0-9.]* s$//'
> b.h5: 3 windows of 8 channels and 497 steps at 160 Hz: 2 imagined left fist, 1 imagined right fist (T1, T2 by eegmmidb's runs); 1 recording of 1 person; 3 above --reject dropped; 6 other annotations
! qseq: 3 windows dropped, above 180 uV from peak to peak (the least has 184.6 uV, the median 198.3 uV); 3 of them by channel Fp1 first
$ qseq windows p/S002R04.edf --from -1 --to 6 -o c.h5 --json | jq -c '[.windows, .steps, .dropped, .other_annotations, .recordings[0].windows, .classes]'
> [5,561,{"brief":0,"gap":0,"outside":1,"rejected":0,"repeated":0},6,5,[{"name":"imagined left fist","windows":3},{"name":"imagined right fist","windows":2}]]
! qseq: 1 window dropped, outside their recording
! qseq: 5 of 5 windows reach up to # s beyond the end of their annotation (# s); --to ends them earlier

# T1 and T2 mean other things in other runs; baselines hold no movements; without a run in the name there is no meaning.
$ cp p/S002R04.edf S009R05.edf; cp p/S002R04.edf S009R01.edf; cp p/S002R04.edf S009.edf
$ qseq windows p/S002R04.edf S009R05.edf -o d.h5
! qseq: S009R05.edf: its T1 and T2 are executed both fists or feet, those of p/S002R04.edf are imagined left or right fist; give the recordings of one task, or choose one with --task
? 65
$ qseq windows p/S002R04.edf S009R05.edf S009R01.edf --task executed-both -o d.h5 | sed 's/; [0-9.]* s$//'
> d.h5: 6 windows of 8 channels and 249 steps at 80 Hz: 3 executed both fists, 3 executed both feet (T1, T2 by eegmmidb's runs); 1 recording of 1 person; 6 other annotations
! qseq: p/S002R04.edf: of another task: skipped
! qseq: S009R01.edf: a baseline run, without movements: skipped
$ qseq windows S009.edf -o d.h5
! qseq: S009.edf: its name has no run of eegmmidb (S001R04.edf), which would say what T1 and T2 are; give --labels TEXT=CLASS,... (`qseq inspect` shows the texts)
? 2
$ qseq windows S009.edf --labels T1=rest,T2=rest,T0=other --subject Ann -o e.h5 | sed 's/; [0-9.]* s$//'
> e.h5: 12 windows of 8 channels and 249 steps at 80 Hz: 6 rest, 6 other (by --labels); 1 recording of 1 person
$ qseq windows p/S001R04.edf p/S002R04.edf --exclude S001 -o f.h5 | sed 's/; [0-9.]* s$//'
> f.h5: 6 windows of 8 channels and 249 steps at 80 Hz: 3 imagined left fist, 3 imagined right fist (T1, T2 by eegmmidb's runs); 1 recording of 1 person; 6 other annotations
! qseq: p/S001R04.edf: its person is excluded: skipped
$ cp p/S002R04.edf AnnR04.edf; cp p/S002R04.edf S02R4.edf; for f in AnnR04 S02R4; do qseq windows $f.edf -o d.h5; done
! qseq: AnnR04.edf: its name has no run of eegmmidb (S001R04.edf), which would say what T1 and T2 are; give --labels TEXT=CLASS,... (`qseq inspect` shows the texts)
! qseq: S02R4.edf: its name has no run of eegmmidb (S001R04.edf), which would say what T1 and T2 are; give --labels TEXT=CLASS,... (`qseq inspect` shows the texts)
? 2
$ qseq windows p/S001R04.edf --exclude S001 -o f2.h5
! qseq: p/S001R04.edf: its person is excluded: no recording is left
? 65

# Whose a recording is: by BIDS' names, too; where names do not say it, that is said, and --subject does.
$ for s in 01_ses-1:1R04 01_ses-2:1R08 02_ses-1:2R04; do cp p/S00${s#*:}.edf sub-${s%:*}_task-mi_run-1_eeg.edf; done
$ qseq windows sub-*.edf --labels T1=left,T2=right -o bids.h5 | sed 's/; [0-9.]* s$//'
> bids.h5: 18 windows of 8 channels and 249 steps at 80 Hz: 9 left, 9 right (by --labels); 3 recordings of 2 people; 18 other annotations
$ cp p/S001R04.edf subj1_ses1.edf; cp p/S001R08.edf subj1_ses2.edf; cp p/S002R04.edf subj2_ses1.edf
$ qseq windows subj*.edf --labels T1=left,T2=right -o people.h5 | sed 's/; [0-9.]* s$//'
> people.h5: 18 windows of 8 channels and 249 steps at 80 Hz: 9 left, 9 right (by --labels); 3 recordings of 3 people; 18 other annotations
! qseq: 3 recordings are taken for 3 people, as names like 'subj1_ses1' do not say whose they are; --subject says it, a file of windows for each person
$ qseq windows subj1*.edf --labels T1=left,T2=right --subject 1 -o one.h5 | sed 's/; [0-9.]* s$//'
> one.h5: 12 windows of 8 channels and 249 steps at 80 Hz: 6 left, 6 right (by --labels); 2 recordings of 1 person; 12 other annotations

# One recording replaced is another key; its name counts as its content does.
$ [ "$(qseq windows p/S001R04.edf --key -o g.h5)" = "$(qseq windows p/S002R04.edf --key -o g.h5)" ] || echo another
> another
$ qseq windows p/S001R04.edf --threads 1 -q -o t1.h5; qseq windows p/S001R04.edf --threads 2 -q -o t2.h5; cmp <(cache show --json t1.h5 | jq .content) <(cache show --json t2.h5 | jq .content) && echo the same
> the same

# What cannot be is refused in one line.
$ qseq windows p/S001R04.edf --channels C3,FT11 -o z.h5
! qseq: p/S001R04.edf: has no channel 'FT11'; `qseq inspect` shows what it has
? 65
$ qseq windows p/S001R04.edf --channels C3,,C4 -o z.h5
! qseq: --channels: an empty name in 'C3,,C4'
? 2
$ qseq windows p/S001R04.edf --band 30:8 -o z.h5
! qseq: --band: found '30:8', expected 0 <= LO < HI, in Hz
? 2
$ qseq windows p/S001R04.edf --band :79.9999999 -o z.h5
! qseq: a filter whose transition is 1e-07 Hz wide needs 5.28e+09 taps, expected at most 1e+07: keep its ends further from 0 and from half the rate, 80 Hz
? 2
$ qseq windows p/S001R04.edf --rate 1e6 -o z.h5
! qseq: --rate: found 1e+06, expected at most 1000 times the 160 of p/S001R04.edf
? 2
$ qseq windows p/S001R04.edf --band 8:90 -o z.h5
! qseq: --band: 90 Hz does not lie below 80, half of the 160 samples a second of p/S001R04.edf; choose a lower HI, or leave it out
? 2
$ qseq windows p/S001R04.edf --band 90: -o z.h5
! qseq: --band: 90 Hz does not lie below 80, half of the 160 samples a second of p/S001R04.edf; choose a lower LO
? 2
$ qseq windows p/S001R04.edf --notch 80 -o z.h5
! qseq: notch at 80 Hz: expected 0.501253 or more, and less than 79.3017
? 2
$ qseq windows p/S001R04.edf --baseline 1:0 -o z.h5
! qseq: --baseline: found '1:0', expected FROM <= TO, seconds from the event
? 2
$ qseq windows p/S001R04.edf --from 3 --to 2 -o z.h5
! qseq: --from 3: expected at most --to, 2
? 2
$ qseq windows p/S001R04.edf --labels T1 -o z.h5
> z.h5: 3 windows of 8 channels and 249 steps at 80 Hz (without labels); 1 recording of 1 person; 9 other annotations; # s
$ qseq windows p/S001R04.edf --labels T9=a -o z.h5
! qseq: p/S001R04.edf: no annotation is 'T9' (--labels); there are 'T0', 'T1', 'T2'
? 65
$ qseq windows p/S001R04.edf --labels 'T1=left;T2=right' -o z.h5
! qseq: p/S001R04.edf: no annotation is 'T1=left;T2' (--labels); there are 'T0', 'T1', 'T2'; commas separate one TEXT=CLASS from the next
? 65
$ qseq windows p/S001R04.edf --labels "$(printf 'T%d=a,' 3 4 5 6 7 8 9 10)$(printf %0100d 1)=a" -o z.h5
! qseq: p/S001R04.edf: no annotation is 'T3' or 'T4' or 'T5' or 'T6' or 'T7' or 'T8' or 'T9' or 'T10' or ... (--labels); there are 'T0', 'T1', 'T2'
? 65
$ qseq windows p/S001R04.edf --labels $(printf ä%.0s {1..50})=a -o z.h5
! qseq: p/S001R04.edf: no annotation is 'äääääääääääääääääääääääääääääää�...' (--labels); there are 'T0', 'T1', 'T2'
? 65
$ qseq windows p/S001R04.edf --labels t1=left,T3=right -o z.h5
! qseq: p/S001R04.edf: no annotation is 't1' or 'T3' (--labels); there are 'T0', 'T1', 'T2'
? 65
$ qseq windows p/S001R04.edf --labels 'T1=left, T3=right, T4=right' -o z.h5 | sed 's/; [0-9.]* s$//'
> z.h5: 3 windows of 8 channels and 249 steps at 80 Hz: 3 left, 0 right (by --labels); 1 recording of 1 person; 9 other annotations
! qseq: --labels: no annotation is 'T3' or 'T4'; there are 'T0', 'T1', 'T2'
$ qseq windows p/S001R04.edf --labels 'T1=left, T2=right' -o z.h5 | sed 's/; [0-9.]* s$//'; rm z.h5
> z.h5: 6 windows of 8 channels and 249 steps at 80 Hz: 3 left, 3 right (by --labels); 1 recording of 1 person; 6 other annotations
$ qseq windows p/S001R04.edf --reject 0.001 -o z.h5
! qseq: p/S001R04.edf: no window is left: 0 outside their recording, 0 across a gap, 6 rejected (the least has 107.6 uV, the median 121.1 uV), 6 other annotations
? 65
$ mkdir twice; cp p/S001R04.edf twice; qseq windows p/S001R04.edf twice/S001R04.edf -o z.h5
! qseq: p/S001R04.edf, twice/S001R04.edf: one recording, given twice: their contents are equal
? 2
$ cp p/S001R08.edf twice/S001R04.edf; qseq windows p/S001R04.edf twice/S001R04.edf -o z.h5
! qseq: p/S001R04.edf, twice/S001R04.edf: two recordings of the name 'S001R04'; rename one, or cut them into two files with --subject
? 2
$ qseq windows p/S001R04.edf p/S001R04.edf -o z.h5
! qseq: p/S001R04.edf: given twice
? 2
$ qseq windows -o z.h5
! qseq: 0 inputs, expected RECORDING... [EVENTS...]; see qseq windows --help
? 2
$ qseq windows p/S001R04.edf
! qseq: no output; give -o S001.h5
? 2
$ head -c 100000 p/S001R04.edf >S003R04.edf; qseq windows S003R04.edf -o z.h5
! qseq: S003R04.edf: the file ends in record 38 of 50, after 100000 of 131560 bytes; fetch it again
? 65
$ qseq windows absent.edf --labels T1=a -o z.h5
! qseq: absent.edf: No such file or directory
? 66
$ qseq windows S001.h5:x --labels-of labels -o z.h5
! qseq: S001.h5: a file of kind 'windows', made by qseq 0.2.0; expected recordings or foreign arrays
? 65
$ qseq windows S001.h5 -o z.h5
! qseq: S001.h5: a file of kind 'windows', made by qseq 0.2.0; expected recordings or foreign arrays
? 65

# Arrays: NumPy's, and datasets of a foreign HDF5 file.
$ python3 -c '
+ import struct
+ def save(name, kind, shape, form, values):
+     head = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode().ljust(117) + b"\n"
+     open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head + struct.pack("<%d%s" % (len(values), form), *values))
+ save("x.npy", "<f4", (4, 2, 3), "f", range(24)); save("y.npy", "<i8", (4,), "q", [7, 3, 7, 3]); save("s.npy", "|u1", (4,), "B", [1, 1, 2, 2])
+ save("nan.npy", "<f8", (1, 2, 3), "d", [float("nan")] * 6); save("four.npy", "<f4", (1, 2, 3, 4), "f", [0] * 24); save("cut.npy", "<f4", (9, 2, 3), "f", [0] * 24)'
$ qseq windows x.npy --labels-of y.npy --subjects-of s.npy --classes go,stop --array-rate 10 -o x.h5 | sed 's/; [0-9.]* s$//'
> x.h5: 4 windows of 2 channels and 3 steps at 10 Hz: 2 go, 2 stop; 2 recordings of 2 people
$ qseq windows x.npy --subject Ann -o y.h5 | sed 's/; [0-9.]* s$//'
> y.h5: 4 windows of 2 channels and 3 steps; 1 recording of 1 person
$ qseq windows x.npy --labels-of s.npy --classes a -o z.h5
! qseq: x.npy: 2 classes occur, --classes names 1
? 65
$ qseq windows x.npy --labels-of nan.npy -o z.h5
! qseq: nan.npy: found the shape (1, 2, 3), expected (4,), one number or text a window, or rows of zeros with a one
? 65
$ python3 -c 'open("e.npy", "wb").write(open("x.npy", "rb").read().replace(b"(4, 2, 3)", b"(4, 3)   ", 1)[:128 + 48])'; qseq windows x.npy --labels-of e.npy -o z.h5
! qseq: e.npy: found the shape (4, 3), expected (4,), one number or text a window, or rows of zeros with a one; save one column, events[:, 2] of MNE's events
? 65
$ cp x.npy x.npz; qseq windows x.npz -o z.h5; qseq windows x.npy --labels-of x.npz -o z.h5
> z.h5: 4 windows of 2 channels and 3 steps; 1 recording of 1 person; # s
! qseq: all windows are taken for one person's, 'x', as neither that name says whose they are, nor --subjects-of or --subject
! qseq: x.npz: found the shape (4, 2, 3), expected (4,), one number or text a window, or rows of zeros with a one
? 65
$ qseq windows nan.npy -o z.h5
! qseq: nan.npy: window 0, channel 0, step 0 is no finite number
? 65
$ qseq windows four.npy -o z.h5
! qseq: four.npy: found (1, 2, 3, 4), expected (windows, channels, steps); save x.squeeze() if an axis of 1 is of filters, as of EEGNet's inputs
? 65
$ qseq windows cut.npy -o z.h5
! qseq: cut.npy: 96 bytes behind its header, 54 of dtype <f4 need 216
? 65
$ qseq windows x.npy --rate 40 -o z.h5
! qseq: --rate: resamples recordings; an array's windows are taken as they are, and --array-rate HZ says what rate they have
? 2
$ qseq windows p/S001R04.edf --labels-of y.npy -o z.h5
! qseq: --labels-of: of arrays; recordings say it themselves
? 2

# Of an array, too, channels have names and values a unit, so that microvolts stand in the file; paths of what says labels and people are not in the key, their contents are.
$ qseq windows x.npy --labels-of y.npy --channels C3,C4 --unit mV -q -o named.h5 && h5dump -d channel_names named.h5 | grep -o '"C[34]' | tr -d '"' | xargs; h5dump -d x -c 1,1,3 named.h5 | grep '(0,0,0)'; cache show named.h5 | grep '^unit'
> C3 C4
>       (0,0,0): 0, 1000, 2000
> unit                 uV
$ qseq windows x.npy --channels C3,C4,Cz -o z.h5
! qseq: x.npy: 2 channels, --channels names 3
? 65
$ qseq windows x.npy --channels C3,C3 -o z.h5
! qseq: --channels: 'C3' stands twice
? 2
$ cp y.npy other.npy; cp x.npy moved.npy; key() { qseq windows "$@" --key; }
+ [ $(key x.npy --labels-of y.npy --subjects-of s.npy) = $(key moved.npy --labels-of other.npy --subjects-of s.npy) ] && [ $(key x.npy --labels-of y.npy) != $(key x.npy --labels-of s.npy) ] && [ $(key x.npy) != $(key moved.npy) ] && echo by content
> by content

# What has no time: images, of which each pixel is a step, and UCI's DNA promoters; each sample is a person of its own.
$ qseq windows $DATA/digits/test-images-idx3-ubyte --limit 20 -o i.h5 | sed 's/; [0-9.]* s$//'
> i.h5: 20 windows of 1 channel and 64 steps: 3 0, 2 1, 2 2, 2 3, 2 4, 1 5, 2 6, 2 7, 2 8, 2 9; 20 recordings of 20 people
$ cache show i.h5 | tail -9
>   channel_positions                    float64  1 x 2
>   class_names                          string   10
>   labels                               int32    20
>   onset                                float64  20
>   recording                            int32    20
>   recording_names                      string   20
>   subject                              int32    20
>   subject_names                        string   20
>   x                                    float32  20 x 1 x 64
$ awk 'BEGIN { for (i = 0; i < 3; i++) { s = ""; for (k = 0; k < 57; k++) s = s substr("acgt", (k * (i + 1)) % 4 + 1, 1); print (i < 2 ? "+" : "-") ",S" i ",\t\t" s } }' >promoters.data; qseq windows promoters.data -o dna.h5 | sed 's/; [0-9.]* s$//'
> dna.h5: 3 windows of 1 channel and 228 steps: 2 promoter, 1 none; 3 recordings of 3 people
$ printf 'ACGT\tpromoter\n' >random.data; qseq windows random.data -o z.h5
! qseq: random.data: line 1 is none of UCI's promoters, expected +,NAME,SEQUENCE or -,NAME,SEQUENCE
? 65
$ sed '1d; s/..$/ng/' promoters.data >n.data; qseq windows n.data -o z.h5
! qseq: n.data: line 1: found 'n' behind 55 bases, expected 57 of a, c, g, t
? 65
$ sed 's/.$//' promoters.data >short.data; qseq windows short.data -o z.h5
! qseq: short.data: line 1 has 56 bases, expected 57
? 65
$ qseq windows promoters.data --channels a -o z.h5
! qseq: --channels: has no meaning for this input
? 2
$ qseq windows promoters.data --limit 3 -o z.h5
! qseq: --limit: has no meaning for this input
? 2
$ qseq windows x.npy --limit 3 -o z.h5
! qseq: --limit: has no meaning for this input
? 2
