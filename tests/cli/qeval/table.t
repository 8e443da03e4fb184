# Several heads on one test set: a table, as given, each compared with the first.
~ /not tell all classes apart|not trained to/d
$ D=$DATA/digits; extract-features $D/train-images-idx3-ubyte --resize 28 --limit 300 -q -o train.h5
+ extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ for lr in 0.001 0.003 0.01; do qtrain train.h5 --epochs 10 --lr $lr --replicas 3 --no-controls -q -o lr-$lr.h5; done
+ qtrain train.h5 --epochs 10 --seed 7 -q -o one,more.h5

$ qeval lr-*.h5 one,more.h5 test.h5 | sed -E 's/[+-]?[0-9]\.[0-9]+(e-[0-9]+)?/#/g; s/ +/ /g'
> head lr heads seed accuracy 95 % over samples sd log loss - twin - frozen - none
> lr#.h5 # 3 0 # # to # # # - - -
> lr#.h5 # 3 0 # # to # # # - - -
> lr#.h5 # 3 0 # # to # # # - - -
> one,more.h5 # 1 7 # # to # - # # # #
> difference mean 95 % over seeds McNemar p Holm
> lr#.h5 - lr#.h5 # # to # # #
> lr#.h5 - lr#.h5 # # to # # #
> one,more.h5 - lr#.h5 # undefined # #
> McNemar: of the first heads of two files

$ qeval lr-*.h5 one,more.h5 test.h5 --csv - > heads.csv; head -n 1 heads.csv; sed '1d; s/,360,.*//' heads.csv
> head,replicas,seed,samples,accuracy,accuracy_sd,accuracy_low,accuracy_high,log_loss,ece,noise,shots,collapsed,minus_twin,minus_twin_low,minus_twin_high,minus_frozen,minus_frozen_low,minus_frozen_high,minus_none,minus_none_low,minus_none_high,minus_first,minus_first_low,minus_first_high,mcnemar_p,mcnemar_holm,lr
> lr-0.001.h5,3,0
> lr-0.003.h5,3,0
> lr-0.01.h5,3,0
> "one,more.h5",1,7

# The same to a file, beside the table; for LaTeX, where names and powers are not what TeX takes them for.
$ cp one,more.h5 a_b.h5; qeval lr-0.001.h5 a_b.h5 test.h5 --latex heads.tex --csv beside.csv >said; cut -c1-4 said; cut -d, -f 1-27 heads.csv | head -n 1 | cmp - <(head -n 1 beside.csv); sed 's/.*,//' heads.csv | tr '\n' ' '
+ sed -E 's/[0-9]+\.[0-9]+/#/g' heads.tex; qeval lr-0.001.h5 a_b.h5 test.h5 --latex - | cmp - heads.tex
+ for f in heads.tex; do awk '/tabular/ { next } /&/ { n = gsub(/&/, "&"); if (m && n != m && NR < 8) print "columns differ"; m = n }' $f; done; echo mine >mine.tex; qeval a_b.h5 test.h5 --latex mine.tex; cat mine.tex
> head
> lr-0
> a_b.
> diff
> a_b.
> McNe
> lr 0.001 0.003 0.01 0.001 % \usepackage{booktabs}
> \begin{tabular}{lrrrrrrrrr}
> \toprule
> head & heads & seed & accuracy & 95 \% over samples & sd & log loss & $-$ twin & $-$ frozen & $-$ none \\
> \midrule
> lr-#.h5 & 3 & 0 & # & # to # & # & # & - & - & - \\
> a\_b.h5 & 1 & 7 & # & # to # & - & # & $-#$ & $-#$ & $-#$ \\
> \bottomrule
> \end{tabular}
> % \usepackage{booktabs}
> \begin{tabular}{lrrrr}
> \toprule
> difference & mean & 95 \% over seeds & McNemar p & Holm \\
> \midrule
> a\_b.h5 $-$ lr-#.h5 & $-#$ & undefined & $#\times10^{-9}$ & $#\times10^{-9}$ \\
> \bottomrule
> \end{tabular}
> % McNemar: of the first heads of two files
> mine
! qeval: mine.tex: was not written by ketline; give another name, or --force to replace it

# The numbers are those of the reports; p by McNemar is that of --compare, and Holm's is R's p.adjust, by awk.
$ for h in lr-*.h5 one,more.h5; do qeval -q $h test.h5 --compare lr-0.001.h5 --json -o r.h5; done >reports.json
+ qeval lr-*.h5 one,more.h5 test.h5 --json >table.json
+ for k in accuracy accuracy_sd accuracy_low accuracy_high log_loss ece minus_twin collapsed; do
+ diff <(jq -c .$k table.json) <(jq -c .$k reports.json) && echo same; done | sort | uniq -c
+ diff <(jq .mcnemar_p table.json | sed 1d) <(jq .mcnemar_p reports.json | sed 1d) && echo same
+ jq .mcnemar_p table.json | sed 1d | awk '{ print $1, NR }' | sort -g | awk '{ p = $1 * (4 - NR); p = p > 1 ? 1 : p
+ m = p > m ? p : m; printf "%s %.6g\n", $2, m }' | sort -n | cut -d" " -f2 >by-awk
+ jq .mcnemar_holm table.json | sed 1d | awk '{ printf "%.6g\n", $1 }' | diff - by-awk && wc -l <by-awk
>       8 same
> same
> 3

# Paired over seeds, where two heads have the same ones: Student's t with two degrees of freedom, by awk.
$ acc() { h5dump -d replicas/accuracy -m %.17g -y -w 0 $1 | sed -n 's/^ *\([01].*,.*\)/\1/p' | tr -d ,; }
+ for h in 0.001 0.003; do qeval -q lr-$h.h5 test.h5 -o $h.h5; done >log; (acc 0.003.h5; acc 0.001.h5) |
+ awk '{ for (i = 1; i <= 3; i++) v[NR, i] = $i } END { for (i = 1; i <= 3; i++) m += (v[1, i] - v[2, i]) / 3
+ for (i = 1; i <= 3; i++) s += (v[1, i] - v[2, i] - m) ^ 2; h = 4.302652729749 * sqrt(s / 2 / 3)
+ printf "%.5f %.5f %.5f\n", m, m - h, m + h }' >by-awk
+ jq -r 'select(.head == "lr-0.003.h5") | "\(.minus_first) \(.minus_first_low) \(.minus_first_high)"' table.json |
+ awk '{ printf "%.5f %.5f %.5f\n", $1, $2, $3 }' | diff - by-awk && echo same
> same

# Conditions hold of all; what is of a report is refused.
$ qeval one,more.h5 lr-0.01.h5 test.h5 --noise depolarizing=0.01 --shots 100 | tail -n 2
> one,more.h5: noise depolarizing=0.01, 100 shots
> lr-0.01.h5: noise depolarizing=0.01, 100 shots
$ cp lr-0.01.h5 again.h5; qeval lr-0.01.h5 one,more.h5 again.h5 test.h5
! qeval: again.h5: the same head as lr-0.01.h5; give it once
? 2
$ qeval lr-0.01.h5 one,more.h5 test.h5 -o r.h5
! qeval: -o: a report is of one head; without -o there is a table of all heads
? 2
$ qeval lr-0.01.h5 test.h5 --csv t.csv -o r.h5; qeval lr-0.01.h5 test.h5 --latex t.tex -o r.h5
! qeval: --csv is of the table; without -o there is a table of all heads
! qeval: --latex is of the table; without -o there is a table of all heads
? 2
$ qeval lr-0.01.h5 test.h5 --csv - --json
! qeval: --csv - and --json: both are for the screen; give --csv FILE
? 2
$ mkdir folder; qeval lr-0.01.h5 test.h5 --csv folder; qeval lr-0.01.h5 test.h5 --csv=; qeval lr-0.01.h5 test.h5 --csv no/where
! qeval: folder: is a folder; name a file in it
! qeval: --csv: found no name, expected FILE or -
! qeval: no/where: its folder does not exist; make it first
? 74
$ echo '\begin{tabular}{l} mine' >hand.tex; qeval lr-0.01.h5 test.h5 --latex hand.tex; cat hand.tex
> \begin{tabular}{l} mine
! qeval: hand.tex: was not written by ketline; give another name, or --force to replace it
# What only one head was trained with is an option, whichever comes first; the noise of its training is not that of the evaluation.
$ qtrain train.h5 --epochs 1 --noise depolarizing=0.01 --qubits 2 --no-controls -q -o noisy.h5 2>log; qtrain train.h5 --epochs 1 --qubits 2 --no-controls -q -o exact.h5 2>log; for h in "noisy.h5 exact.h5" "exact.h5 noisy.h5"; do qeval $h test.h5 --csv - 2>log | cut -d, -f 1,11,28-; done
> head,noise,trained_noise
> noisy.h5,depolarizing=0.01,depolarizing=0.01
> exact.h5,none,
> head,noise,trained_noise
> exact.h5,none,
> noisy.h5,depolarizing=0.01,depolarizing=0.01
# Until 0.2.0 --csv took no file: who writes it so is told, and nothing is written over.
$ qeval lr-0.01.h5 test.h5 --csv; qeval lr-0.01.h5 test.h5 --csv -q; qeval --csv lr-0.01.h5 lr-0.003.h5 test.h5; qeval --csv lr-0.01.h5 test.h5
! qeval: --csv: expected FILE|- after it (-: on the screen)
! qeval: --csv: expected FILE|- after it (-: on the screen), found '-q'
! qeval: --csv: found lr-0.01.h5, a file of kind 'head', expected FILE for a text, or - for the screen
! qeval: 1 input, expected HEAD.h5|CHAINS.h5... FEATURES.h5; see --help
? 2
$ qeval lr-0.01.h5 test.h5 --compare one,more.h5
! qeval: --compare is of a report; give -o, or name one,more.h5 before test.h5 for a table
? 2
$ qeval lr-0.01.h5 test.h5 --note best
! qeval: --note: is of a report; give -o
? 2
$ qeval lr-0.01.h5 one,more.h5 train.h5 --split val
! qeval: the two heads kept different validation samples; compare them on a test file
? 65
$ qeval test.h5 lr-0.01.h5
! qeval: lr-0.01.h5: holds 'head', expected 'features', which comes from extract-features
? 65

# What the heads were trained with otherwise stands in JSON as well, by the commands that trained them; of alike ones nothing does.
$ for l in 1 2; do qtrain train.h5 --epochs 1 --qubits 2 --layers $l --no-controls -q -o l$l.h5 2>log; done; qtrain train.h5 --epochs 1 --qubits 2 --layers 1 --seed 3 --no-controls -q -o seed.h5 2>log; qeval l1.h5 l2.h5 test.h5 --json 2>log | jq -c .options; qeval l1.h5 seed.h5 test.h5 --json 2>log | jq -c .options
> {"layers":1}
> {"layers":2}
> {}
> {}
