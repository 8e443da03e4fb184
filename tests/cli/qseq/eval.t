# A model on the people whom it has not seen, and all folds of one as one report.
$ qseq generate people -q --people 6 --channels 8 --trials 8 -o people && for s in 1 2 3 4 5 6; do qseq windows -q people/S00$s*.edf --rate 40 -o S$s.h5; done
+ for f in 0 1 2 3 4 5; do qseq train -q S?.h5 -m means --lr 0.05 --epochs 10 --replicas 2 --split loso --fold $f -o fold$f.h5; done
+ qseq eval fold0.h5 S?.h5 -o one.h5 --json | jq -c '[.model, .people, .replicas, .leak, (.windows > 10), (.accuracy >= 0 and .accuracy <= 1), (.auc | type)]'
> ["means",1,2,false,true,true,"number"]
$ qseq eval fold?.h5 S?.h5 -o all.h5 --json >all.json; jq -c '[.people, (.log_loss > 0), (.cautions | length)]' all.json
> [6,true,1]
! qseq: the model does not tell all classes apart: replica 1 takes all 24 windows of fold5.h5 for 'imagined left fist' (accuracy 0.5000)
$ qseq eval fold?.h5 S?.h5 -o all.h5
> all.h5: up to date: means, accuracy 0.5243 (standard error 0.0190 over 6 people, 0.0416 by 144 windows alone; mean of 2 replicas), AUC 0.5254, kappa 0.0486
! qseq: the model does not tell all classes apart: replica 1 takes all 24 windows of fold5.h5 for 'imagined left fist' (accuracy 0.5000)
$ qseq eval S6.h5 fold0.h5 S6.h5 -o three.h5 -q; qseq eval fold?.h5 S?.h5 -o two.h5 -q -j 1 --no-provenance
! qseq: S6.h5 has the same content as S6.h5; give it once
$ qseq eval S6.h5 fold?.h5 S[1-5].h5 -o three.h5 -q -j 3 --no-provenance && cmp two.h5 three.h5 && echo same
> same
$ cache show all.h5 | sed -n '/^person/,/S006/p' | awk '{ print $1 }'
> person
> S001
> S002
> S003
> S004
> S005
> S006

# Standard errors: over people, by windows alone; of one person the latter alone.
$ cache show all.h5 | sed -n '/^accuracy /,/alone/p; /alone/q' | sed 's/ *[0-9.]*$//'
> accuracy
> its standard error over people
> the same by windows alone
$ /usr/bin/python3 - <<'END'
+ import h5py, json
+ r, told = h5py.File('all.h5'), json.load(open('all.json'))
+ a, n, of = r['subjects/accuracy'][()].mean(0), r['subjects/n'][()], r.attrs['accuracy']
+ people, windows = (6 / 5 * sum((n / n.sum()) ** 2 * (a - of) ** 2)) ** .5, (of * (1 - of) / n.sum()) ** .5
+ for one, other in (people, 'accuracy_se_people'), (windows, 'accuracy_se'):
+     assert abs(one - r.attrs[other]) < 1e-12 and abs(one - told[other]) < 1e-6, (other, one, told)
+ print('same')
+ END
> same
$ qseq eval fold0.h5 S1.h5 --json -q -o single.h5 | jq -c '[.accuracy_se_people, (.accuracy_se > 0)]'; cache show single.h5 | grep -c 'over people'
> [null,true]
> 0
? 1
$ qseq eval fold?.h5 S?.h5 -o again.h5 | sed 's/0\.[0-9]*/#/g'
> again.h5: means, accuracy # (standard error # over 6 people, # by 144 windows alone; mean of 2 replicas), AUC #, kappa #
! qseq: the model does not tell all classes apart: replica 1 takes all 24 windows of fold5.h5 for 'imagined left fist' (accuracy 0.5000)

# The file of the tested person alone is enough; another's is none of its test.
$ qseq eval fold0.h5 S1.h5 -q -o few.h5 && qseq eval fold0.h5 S2.h5 -q -o x.h5
! qseq: fold0.h5: none of the windows given is of its test part: give those of 'S001' that it was made with, or of people whom it has not seen
? 65

# The same people in other windows are not new: nobody who trained a model tests it.
$ qseq generate people -q --people 6 --channels 8 --trials 8 --seed 9 -o others; qseq windows -q others/S002R04.edf --rate 40 -o S2again.h5; qseq eval fold0.h5 S2again.h5 -q -o x.h5
! qseq: S2again.h5: 'S002', recording 'S002R04', trained the model or chose its epoch: testing on that is a leak
? 65
$ qseq windows -q others/S001R04.edf --rate 40 -o S1again.h5; qseq eval fold0.h5 S1again.h5 -q -o new.h5 && echo tested
> tested

# A leak says so.
$ qseq train -q S?.h5 -m means --epochs 2 --split leak -o leak.h5; qseq eval leak.h5 S?.h5 -o l.h5 | grep -c 'A LEAK$'
> 1
! qseq: a leak: the model was trained on windows of the people and recordings that it is tested on; these numbers say nothing about people it has not seen
! qseq: 3 of 6 people have windows of one class only: metrics that need two are undefined for them

# What does not fit.
$ qseq eval fold0.h5 -o x.h5; qseq eval S1.h5 -o x.h5; qseq eval -o x.h5; qseq eval fold0.h5 leak.h5 S1.h5 -o x.h5 2>split; status=$?; grep -c "split '.*', expected '.*' as in" split; exit $status
> 1
! qseq: 1 input, expected MODEL.h5... [SWEEP.h5...] WINDOWS.h5...; see qseq eval --help
! qseq: 1 input, expected MODEL.h5... [SWEEP.h5...] WINDOWS.h5...; see qseq eval --help
! qseq: 0 inputs, expected MODEL.h5... [SWEEP.h5...] WINDOWS.h5...; see qseq eval --help
? 65
$ qseq windows -q people/S001*.edf --rate 80 -o other.h5; qseq eval fold0.h5 other.h5 -q -o x.h5
! qseq: other.h5: windows of 249 steps at 80 Hz, expected 125 at 40 as in fold0.h5
? 65

# Folds differ in nothing but their fold.
$ qseq train -q S?.h5 -m means --lr 0.01 --epochs 10 --replicas 2 --split loso --fold 1 -o lr.h5; qseq eval fold0.h5 lr.h5 S?.h5 -q -o x.h5 2>&1 | grep -o 'no fold of the model in .*: options.lr: 0.0[15] -> 0.0[15]' | sed 's/in .*: o/in ...: o/; s/ [0-9].*//'
> no fold of the model in ...: options.lr:

# A model that gives no number is not judged.
$ python3 -c '
+ import struct
+ for name, scale in ("a1", 1), ("a2", .9), ("a3", .8), ("b", 3e38):
+     head = repr({"descr": "<f4", "fortran_order": False, "shape": (4, 1, 2)}).encode().ljust(117) + b"\n"
+     open(name + ".npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head + struct.pack("<8f", *[scale * (-1) ** (k // 2) / (1 + k) for k in range(8)]))
+ open("l.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + repr({"descr": "<i4", "fortran_order": False, "shape": (4,)}).encode().ljust(117) + b"\n" + struct.pack("<4i", 0, 1, 0, 1))'
+ for p in 1 2 3; do qseq windows -q a$p.npy --labels-of l.npy --subject p$p -o a$p.h5; done; qseq windows -q b.npy --labels-of l.npy --subject p4 -o b.h5
$ qseq train -q a?.h5 -m means --epochs 1 --split loso --fold 0 -o a.h5; qseq eval a.h5 b.h5 -q -o x.h5 2>&1 | sed 's/ is -*[a-z]*, / is ..., /'
> qseq: a.h5: logit 0 of replica 0 for window 0 is ..., no number: the model has diverged, or the window is far from those that trained it

# Samples of two files are of different people: a model of the first is tested on the second.
$ for part in train test; do qseq windows -q $DATA/digits/$part-images-idx3-ubyte --limit 60 -o $part.h5; done
+ qseq train -q train.h5 -m means --epochs 2 -o digits.h5 2>/dev/null; qseq eval digits.h5 test.h5 --json -q -o d.h5 | jq -c '[.windows, .people]'
> [60,60]

# What is fitted on each person's own windows is fitted on those given here: said, with how many, and part of a recording gives other numbers.
$ for o in align standardise; do qseq train -q S?.h5 -m means --lr 0.05 --epochs 10 --split loso --$o subject -o $o.h5; done; qseq windows -q people/S001R0[48].edf --rate 40 -o part.h5
$ numbers() { jq -c '[.windows, .transductive, .own_windows_least, .own_windows_most, .log_loss]' | sed 's/[0-9.]*\]$/L]/'; }
+ qseq eval align.h5 S1.h5 -q --json -o own1.h5 | numbers; qseq eval align.h5 part.h5 -q --json -o own2.h5 | numbers; qseq eval fold0.h5 S1.h5 -q --json -o own4.h5 | numbers
> [24,true,24,24,L]
> [16,true,16,16,L]
> [24,false,null,null,L]
$ qseq eval align.h5 S1.h5 -o own1.h5; qseq eval standardise.h5 part.h5 -o own5.h5 | sed 's/.*; /...; /'
> own1.h5: up to date: means, accuracy 0.5833 (standard error 0.1006 by 24 windows of 1 person), AUC 0.5694, kappa 0.1667; transductive (24 own windows a person)
> ...; transductive (16 own windows a person)
! qseq: --align subject: fitted on each person's own windows as given here (24 a person), test windows among them (not their labels): transductive; other windows of a person give other numbers
! qseq: --standardise subject: fitted on each person's own windows as given here (16 a person), test windows among them (not their labels): transductive; other windows of a person give other numbers
$ cache show own5.h5 | sed -n '/^fitted on each/p; /^caution/p'
> caution    --standardise subject: fitted on each person's own windows as given here (16 a person), test windows among them (not their labels): transductive; other windows of a person give other numbers
> fitted on each person's own windows 1

# Who is beside changes nothing. A window that stands in two files would count twice.
$ loss() { qseq eval align.h5 "$@" -q --json -o loss.h5 | jq -c '[.log_loss, .windows]'; }
+ for files in S1.h5 "S1.h5 S2.h5" "S?.h5"; do loss $files; done | uniq | wc -l; qseq eval fold0.h5 S1.h5 part.h5 -q -o x.h5
> 1
! qseq: S1.h5: a window of 'S001', recording 'S001R08' at # s, stands in part.h5 too and would count twice; give it once
? 65

# A copy of what trained a model, under a new name in a new file.
$ mkdir copied && cp people/S002R04.edf copied/S009R04.edf && cp people/S001R12.edf copied/S008R04.edf && for s in 8 9; do qseq windows -q copied/S00$s*.edf --rate 40 -o C$s.h5; done; qseq eval fold0.h5 C8.h5 -q -o copy1.h5 && qseq eval fold0.h5 C8.h5 C9.h5 -q -o x.h5
! qseq: C9.h5: a window of 'S009', recording 'S009R04' at # s, is one of 'S002', recording 'S002R04', that trained the model: testing on a copy is a leak
? 65
$ qseq fit S?.h5 -q -m csp-lda --filters 2 --split loso --align subject -o csp.h5; qseq eval csp.h5 S1.h5 -q -o csp.report.h5; qseq eval csp.h5 C9.h5 -q -o x.h5
! qseq: C9.h5: a window of 'S009', recording 'S009R04' at # s, is one of 'S002', recording 'S002R04', that trained the model: testing on a copy is a leak
? 65

# Beside what is not transductive it is said to be.
$ qseq eval fold0.h5 S1.h5 -q -o plain.report.h5; qseq compare plain.report.h5 csp.report.h5 -q --json 2>/dev/null | jq -r '.cautions[]'
> one person has no intervals and tests over people
> csp.report.h5 is transductive (fitted on each tested person's own windows), others are not: a difference may be that
> the models of csp.report.h5 were trained on 120 windows on average, those of plain.report.h5 on 96: that alone may make a difference
> csp.report.h5: --align subject: fitted on each person's own windows as given here (24 a person), test windows among them (not their labels): transductive; other windows of a person give other numbers

# windows that were filtered otherwise, or begin elsewhere, to train on together and to test on
$ qseq windows people/S001*.edf --rate 40 --band 8:15 -q -o band.h5; qseq train band.h5 S2.h5 S3.h5 -q -m means -o x.h5
! qseq: band.h5: made with band 8:15, notch 0, reference none, baseline none, expected band none, notch 0, reference none, baseline none as in S2.h5; make all alike
? 65
$ qseq eval fold0.h5 band.h5 -q -o x.h5
! qseq: band.h5: preprocessing 'band 8:15, notch 0, reference none, baseline none', expected 'band none, notch 0, reference none, baseline none' as in fold0.h5
? 65
$ qseq windows people/S001*.edf --rate 40 --from 0 --to 3.1 -q -o early.h5; qseq eval fold0.h5 early.h5 -q -o x.h5
! qseq: early.h5: 0 steps before the event, expected -40 as in fold0.h5
? 65

# A model that names one class for all windows: of a fold, of all that it is judged on. Millivolts are too small to be told from nothing.
$ for f in 0 1 2; do qseq train -q S?.h5 -m eegnet --standardise none --lr 1e-9 --epochs 1 --split loso --fold $f -o mv$f.h5; done; qseq eval mv0.h5 S?.h5 -o mv0.report.h5 >told; qseq eval mv[012].h5 S?.h5 -o mv.report.h5 >told; cache show mv.report.h5 | grep -c '^caution'
> 1
! qseq: the model does not tell all classes apart: it takes all 24 windows for 'imagined left fist' (accuracy 0.5000)
! qseq: the model does not tell all classes apart: it takes all 72 windows for 'imagined left fist' (accuracy 0.5000)
