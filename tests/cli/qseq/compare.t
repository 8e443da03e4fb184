# all folds of two methods on five people, who were left out in turn
$ qseq generate people -q --people 5 --effect 0.9 --channels 16 -o people && qseq windows -q people/*.edf -o w.h5
$ for m in csp-lda mdm; do for f in 0 1 2 3 4; do qseq fit w.h5 -q -m $m --split loso --fold $f -o $m.$f.h5; done; qseq eval $m.?.h5 w.h5 -q -o $m.report.h5; done
$ qseq compare csp-lda.report.h5 mdm.report.h5
> accuracy of 2 models on 225 windows of 5 people, 1 seed
> model           mean    95 % over people all windows over seeds mean rank
> csp-lda       0.6222    0.4261 to 0.8183      0.6222  undefined      1.90
> mdm           0.7200    0.4798 to 0.9602      0.7200  undefined      1.10
> difference         mean    95 % over people   SE test   p flips      Holm   p ranks      Holm   p folds
> csp-lda - mdm   -0.0978  -0.2125 to +0.0170    0.0313     0.125     0.125     0.125     0.125      0.19
> p flips, p ranks: of 5 people none is below 0.0625, after Holm's correction for 1 pair the least not below 0.0625
> p folds: t of 5 folds, corrected for the training windows they share (test to training 0.25)
> over seeds: undefined, as there are no two seeds
! qseq: 5 people: no test over them can give a p below 0.0625
! qseq: csp-lda.report.h5: the model does not tell all classes apart: it takes all 45 windows of csp-lda.0.h5 for 'imagined right fist' (accuracy 0.4889), all 45 windows of csp-lda.2.h5 for 'imagined left fist' (accuracy 0.5111)
! qseq: mdm.report.h5: the model does not tell all classes apart: it takes all 45 windows of mdm.0.h5 for 'imagined right fist' (accuracy 0.4889)
$ qseq compare csp-lda.report.h5 mdm.report.h5 --csv - --metric auc | cut -d, -f 1-5
> a,b,metric,windows,people
> "csp-lda","mdm",auc,225,5
! qseq: 5 people: no test over them can give a p below 0.0625
! qseq: csp-lda.report.h5: the model does not tell all classes apart: it takes all 45 windows of csp-lda.0.h5 for 'imagined right fist' (accuracy 0.4889), all 45 windows of csp-lda.2.h5 for 'imagined left fist' (accuracy 0.5111)
! qseq: mdm.report.h5: the model does not tell all classes apart: it takes all 45 windows of mdm.0.h5 for 'imagined right fist' (accuracy 0.4889)
$ qseq compare csp-lda.report.h5 mdm.report.h5 --json | jq -c '[.metric, .windows, .people, .folds, (.models | map(.name)), .pairs[0].sign_flip.exact]'
> ["accuracy",225,5,5,["csp-lda","mdm"],true]
! qseq: 5 people: no test over them can give a p below 0.0625
! qseq: csp-lda.report.h5: the model does not tell all classes apart: it takes all 45 windows of csp-lda.0.h5 for 'imagined right fist' (accuracy 0.4889), all 45 windows of csp-lda.2.h5 for 'imagined left fist' (accuracy 0.5111)
! qseq: mdm.report.h5: the model does not tell all classes apart: it takes all 45 windows of mdm.0.h5 for 'imagined right fist' (accuracy 0.4889)

# An interval of t that leaves 0 out beside a p that does not.
$ qseq compare csp-lda.report.h5 mdm.report.h5 --metric brier 2>&1 | grep -E 'leaves 0|undefined, as'
> qseq: csp-lda - mdm: the interval leaves 0 out (Student's t), p flips is 0.125; report p, which supposes no normal law
> SE test: undefined, as it is of the accuracy alone
> over seeds: undefined, as there are no two seeds

# one model against each other one
$ for f in 0 1 2 3 4; do qseq fit w.h5 -q -m mdm --estimator sample --split loso --fold $f -o s.$f.h5; done; qseq eval s.?.h5 w.h5 -q -o other.report.h5
+ qseq compare --against-first mdm.report.h5 csp-lda.report.h5 other.report.h5 --csv - 2>/dev/null | cut -d, -f 1-2
> a,b
> "mdm (mdm.report.h5)","csp-lda"
> "mdm (mdm.report.h5)","mdm (other.report.h5)"

# a report of other windows
$ qseq eval mdm.0.h5 w.h5 -q -o one.report.h5 && qseq compare csp-lda.report.h5 one.report.h5
! qseq: one.report.h5: found 45 test windows of 2 classes, expected 225 of 2 as in csp-lda.report.h5; only reports on the same windows can be compared
? 65

# one report twice, by its path or by its content
$ qseq compare csp-lda.report.h5 mdm.report.h5 mdm.report.h5
! qseq: mdm.report.h5 has the same content as mdm.report.h5; give it once
? 2
$ cp mdm.report.h5 copy.report.h5; qseq compare mdm.report.h5 copy.report.h5
! qseq: copy.report.h5 has the same content as mdm.report.h5; give it once
? 2

# what cannot be
$ qseq compare mdm.report.h5
! qseq: 1 input, expected REPORT.h5 REPORT.h5...; see qseq compare --help
? 2
$ qseq compare mdm.report.h5 w.h5
! qseq: w.h5: found a file of kind windows, expected a report of qseq eval
? 65
$ for text in a,b,metric,mine head; do echo $text >mine.csv; qseq compare csp-lda.report.h5 mdm.report.h5 --csv mine.csv; cat mine.csv; done; for m in accuracy auc; do qseq compare csp-lda.report.h5 mdm.report.h5 --metric $m --csv our.csv >said 2>&1; done; cut -d, -f 3 our.csv
> a,b,metric,mine
> head
> metric
> auc
! qseq: mine.csv: was not written by ketline; give another name, or --force to replace it
! qseq: mine.csv: was not written by ketline; give another name, or --force to replace it
$ qseq compare csp-lda.report.h5 mdm.report.h5 --csv - --json
! qseq: --csv - and --json: both are for the screen; give --csv FILE
? 2

# The file of a comparison: its numbers are those that are printed; the page leads with its p.
$ qseq compare csp-lda.report.h5 mdm.report.h5 -q -o compared.h5; qseq compare csp-lda.report.h5 mdm.report.h5 -o compared.h5 2>&1 | head -n 5; cache show compared.h5 | sed -n '/^verdict/p; /^difference/,/^csp/p; /^model /,/^mdm/p'
> qseq: 5 people: no test over them can give a p below 0.0625
> qseq: csp-lda.report.h5: the model does not tell all classes apart: it takes all 45 windows of csp-lda.0.h5 for 'imagined right fist' (accuracy 0.4889), all 45 windows of csp-lda.2.h5 for 'imagined left fist' (accuracy 0.5111)
> qseq: mdm.report.h5: the model does not tell all classes apart: it takes all 45 windows of mdm.0.h5 for 'imagined right fist' (accuracy 0.4889)
> compared.h5: up to date: accuracy of 2 models on 225 windows of 5 people, 1 seed
> model           mean    95 % over people all windows over seeds mean rank
> verdict    csp-lda - mdm: accuracy -0.0978 (95 % -0.2125 to +0.0170), p 0.125 by sign flips over 5 people
> difference                       difference  p flips   Holm  p ranks   Holm  p folds  McNemar p
> csp-lda v mdm  -0.0978 (-0.2125 to +0.0170)    0.125  0.125    0.125  0.125     0.19          -
> model                         mean  all windows  over seeds  mean rank
> csp-lda  0.6222 (0.4261 to 0.8183)       0.6222           -       1.90
> mdm      0.7200 (0.4798 to 0.9602)       0.7200           -       1.10
$ /usr/bin/python3 - <<'END'
+ import csv, h5py, subprocess
+ c = h5py.File('compared.h5')
+ row = next(csv.DictReader(subprocess.run('qseq compare csp-lda.report.h5 mdm.report.h5 --csv -', shell=True, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL).stdout.splitlines()))
+ for one, other in ('difference', 'difference'), ('low', 'difference_low'), ('high', 'difference_high'), ('sign_flip_p', 'sign_flip_p'), ('wilcoxon_holm', 'wilcoxon_holm'), ('folds_p', 'folds_p'):
+     assert abs(float(row[one]) - c[other][0]) < 1e-12, one
+ assert [m.decode() for m in c['models']] == ['csp-lda', 'mdm'] and c['pairs'][()].tolist() == [[0, 1]]
+ assert abs(c['values'][()].mean(1) - c['mean'][()]).max() < 1e-12 and c.attrs['people'] == 5
+ print('same')
+ END
> same
$ figures -q csp-lda.report.h5 compared.h5 --report page.html && grep -A 2 '^<h1>' page.html | sed 's/<[^>]*>//g'
> Comparison of sequence models
> What was found
> compared.h5: csp-lda - mdm: accuracy -0.0978 (95 % -0.2125 to +0.0170), p 0.125 by sign flips over 5 people
$ qseq compare mdm.report.h5 csp-lda.report.h5 --key | cmp -s - <(qseq compare csp-lda.report.h5 mdm.report.h5 --key) || echo 'the order is part of the key'
> the order is part of the key
# Tables for a paper and for a spreadsheet, beside the file or without one; of a file that is there, too.
$ qseq compare csp-lda.report.h5 mdm.report.h5 -q --latex t.tex --csv - 2>log >alone.csv; rm compared.h5; for i in 1 2; do qseq compare csp-lda.report.h5 mdm.report.h5 -q -o compared.h5 --csv t$i.csv --latex t$i.tex 2>log; cmp alone.csv t$i.csv && cmp t.tex t$i.tex && echo same; done; cut -d'&' -f 1-3 t.tex
> same
> same
> % \usepackage{booktabs}
> \begin{tabular}{lrrrrr}
> \toprule
> model & mean & 95 \% over people
> \midrule
> csp-lda & 0.6222 & 0.4261 to 0.8183
> mdm & 0.7200 & 0.4798 to 0.9602
> \bottomrule
> \end{tabular}
> % \usepackage{booktabs}
> \begin{tabular}{lrrrrrrrr}
> \toprule
> difference & mean & 95 \% over people
> \midrule
> csp-lda $-$ mdm & $-0.0978$ & $-0.2125$ to $+0.0170$
> \bottomrule
> \end{tabular}
> % p flips, p ranks: of 5 people none is below 0.0625, after Holm's correction for 1 pair the least not below 0.0625
> % p folds: t of 5 folds, corrected for the training windows they share (test to training 0.25)
> % over seeds: undefined, as there are no two seeds
$ qseq compare mdm.report.h5 csp-lda.report.h5 --csv -o x.h5; qseq compare mdm.report.h5 csp-lda.report.h5 --csv --json
! qseq: --csv: expected FILE|- after it (-: on the screen), found '-o'
! qseq: --csv: expected FILE|- after it (-: on the screen), found '--json'
? 2
