# Pairs of measured devices: 40 rows of 12 bits each, by a rule instead of chance.
$ awk 'BEGIN { for (d = 1; d <= 3; d++) for (r = 0; r < 40; r++) { s = "";
+ for (j = 0; j < 12; j++) s = s ((r * 7 + j * j * 5 + d * j * r) % (d + 4) < 3); print s " " d } }' >bits.txt

$ tournament bits.txt --symbol-bits 2 --null 199 -o t.h5
> pair               chi2  log10 p   JS, nats a symbol (95 %)            a row held out       p
> 1 v 2             54.07    -10.5   5.909e-02 (1.921e-02, 9.910e-02)   0.8178   0.9000 <=0.0150
> 1 v 3            27.053     -4.9   2.884e-02 (2.567e-03, 5.775e-02)   0.7225   0.5625   0.2500
> 2 v 3             15.65     -2.9   1.648e-02 (0.000e+00, 4.645e-02)   0.6754   1.0000 <=0.0150
> log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of 2 bits are independent
> but they depend on each other (p 10^-39.6 after Holm, device 2); held out and its p hold all the same
> t.h5: 3 devices, 3 of 3 pairs differ by symbols, which depend on each other, 2 by held-out rows (Holm, 5 % each), # s
$ tournament bits.txt --symbol-bits 2 --null 199 -o t.h5
> t.h5: up to date
> pair               chi2  log10 p   JS, nats a symbol (95 %)            a row held out       p
> 1 v 2             54.07    -10.5   5.909e-02 (1.921e-02, 9.910e-02)   0.8178   0.9000 <=0.0150
> 1 v 3            27.053     -4.9   2.884e-02 (2.567e-03, 5.775e-02)   0.7225   0.5625   0.2500
> 2 v 3             15.65     -2.9   1.648e-02 (0.000e+00, 4.645e-02)   0.6754   1.0000 <=0.0150
> log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of 2 bits are independent
> but they depend on each other (p 10^-39.6 after Holm, device 2); held out and its p hold all the same
> t.h5: 3 devices, 3 of 3 pairs differ by symbols, which depend on each other, 2 by held-out rows (Holm, 5 % each), # s
$ tournament bits.txt --symbol-bits 2 --null 199 --reference -q -o r.h5 && h5dump -d order r.h5 | grep '(0)'
>    (0): 0, 1, 2
$ tournament bits.txt --null 199 --json | tr , '\n' | grep -v first | sed -E 's/([0-9]\.[0-9]{4})[0-9]+/\1/'
> {"output":null
> "key":"HEX64"
> "status":"computed"
> "devices":3
> "rows":120
> "symbols":2
> "pairs":3
> "pairs_differ":2
> "pairs_differ_held_out":0
> "symbol_bits":1
> "dependence_log10_p":-27.2302
> "dependence_device":"2"
> "permutations":199
> "cautions":[]}

# One answer whatever the threads; another seed, other permutations, but the same tests.
$ tournament bits.txt --symbol-bits 2 --null 199 --threads 3 --no-provenance -q -o a.h5
+ tournament bits.txt --symbol-bits 2 --null 199 --threads 1 --no-provenance -q -o b.h5; cmp a.h5 b.h5 && echo same
> same
$ tournament bits.txt --symbol-bits 2 --null 199 --seed 1 -q -o c.h5; for d in log10_p score score_null_mean; do
+ cmp -s <(h5dump -d $d a.h5 | tail -n +2) <(h5dump -d $d c.h5 | tail -n +2) && echo $d the same || echo $d not; done
> log10_p the same
> score the same
> score_null_mean not

# Three inputs are three devices; the key is that of the bits, wherever they come from.
$ for d in 1 2 3; do grep " $d" bits.txt | cut -d' ' -f1 >dev$d.txt; done; tournament dev?.txt --symbol-bits 2 --null 0
> pair               chi2  log10 p   JS, nats a symbol (95 %)            a row held out       p
> dev1 v dev2       54.07    -10.5   5.909e-02 (1.921e-02, 9.910e-02)   0.8178   0.9000        -
> dev1 v dev3      27.053     -4.9   2.884e-02 (2.567e-03, 5.775e-02)   0.7225   0.5625        -
> dev2 v dev3       15.65     -2.9   1.648e-02 (0.000e+00, 4.645e-02)   0.6754   1.0000        -
> log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of 2 bits are independent
> but they depend on each other (p 10^-39.6 after Holm, device dev2); held out and its p hold all the same
> 3 devices, 3 of 3 pairs differ by symbols, which depend on each other (Holm, 5 %), # s

# Permutations of some scores alone.
$ tournament bits.txt --symbol-bits 2 --null 19 --scores chi_square,bits -q -o d.h5; h5dump -d score_p d.h5 | grep -c nan
> 3
$ tournament bits.txt --symbol-bits 2 --null 199 --scores chi_square -v -o v.h5 | grep -E '^1 v 2 |devices'; figures v.h5 -q --report v.html; grep -c 'left held-out rows out' v.html
> 1 v 2             54.07    -10.5   5.909e-02 (1.921e-02, 9.910e-02)   0.8178   0.9000        -
> 1 v 2        bits            0.022139        -           -            -           -
> 1 v 2        patterns        3.105316        -           -            -           -
> 1 v 2        differences    10.570022        -           -            -           -
> 1 v 2        composite       5.474563        -           -            -           -  highly distinguishable
> 1 v 2        positions       0.005613        -           -            -           -
> 1 v 2        histogram      22.775650        -           -            -           -
> 1 v 2        chi_square     54.070300 <=0.0050   20.908982            -           -
> v.h5: 3 devices, 3 of 3 pairs differ by symbols, which depend on each other (Holm, 5 %); --scores left held-out rows out, # s
> 3
$ for s in chi_square,bits bits,chi_square,bits bits; do tournament bits.txt --scores $s --key; done | uniq -c | awk '{ print $1 }'
> 2
> 1
$ tournament bits.txt --scores chi --key
! tournament: --scores: found 'chi', expected all or some of bits, patterns, differences, composite, positions, histogram, chi_square, accuracy
? 2
$ tournament bits.txt --scores chi
! tournament: --scores: found 'chi', expected all or some of bits, patterns, differences, composite, positions, histogram, chi_square, accuracy
? 2

# Packed bytes whose end makes no row.
$ head -c 999 $ROOT/tests/golden/nist_e.bin >p1; tail -c 1000 $ROOT/tests/golden/nist_e.bin >p2; tournament p1 p2 --packed --bits 98 --null 0 --resamples 10 | wc -l | sed 's/[1-9][0-9]*/lines/'
> lines
! tournament: 116 bits at the ends of inputs make no row of 98: left out

# What cannot be done.
$ tournament
! tournament: 0 inputs, expected BITS...; see --help
? 2
$ tournament bits.txt --force
! tournament: no output; give -o T.h5
? 2
$ tournament dev1.txt
! tournament: one device, expected at least two: labels behind the rows, or a file a device; one alone is for --nist
? 65
$ head -3 dev2.txt >short.txt; tournament dev1.txt short.txt
! tournament: device short: 3 rows, expected at least 5
? 65
$ tournament bits.txt --null -1
! tournament: --null: found -1, expected a whole number from 0 to 10000000
? 2
$ tournament bits.txt --scores bits,patterns,differences,composite,positions,histogram,chi_square,accuracy,more
! tournament: --scores: found 'more', expected all or some of bits, patterns, differences, composite, positions, histogram, chi_square, accuracy
? 2
$ tournament bits.txt --null 0 --scores composite
! tournament: --scores: names what is permuted, and --null 0 permutes nothing
? 2
$ tournament bits.txt --bits 12
! tournament: --bits belongs to --packed and --encoding; other inputs say how long rows are
? 2
$ tournament none.txt
! tournament: none.txt: cannot be opened: No such file or directory
? 66
$ tournament bits.txt --symbol-bits 5
! tournament: bits.txt: rows of 12 bits hold no whole number of symbols of 5 bits; --symbol-bits that divides them: 1, 2, 3, 4, 6
? 2

# A fair device and one whose bits are as often 1 but stay as they are three times of four: symbols do not tell them apart,
# held-out rows do, and what takes symbols for independent is marked. Symbols of two bits depend, too; of a fair device they do not.
$ awk 'function rnd() { x = x * 16807 % 2147483647; return x / 2147483647 } BEGIN { x = 11; for (d = 1; d <= 2; d++) for (r = 0; r < 200; r++) {
+ s = b = rnd() < 0.5; for (j = 1; j < 24; j++) { b = d == 1 ? rnd() < 0.5 : rnd() < 0.75 ? b : 1 - b; s = s b } print s, d } }' >chain.txt
+ tournament chain.txt --null 199 -o w1.h5
> pair               chi2  log10 p   JS, nats a symbol (95 %)            a row held out       p
> 1 v 2            1.1267     -0.5   5.868e-05 (0.000e+00, 5.056e-04)   0.5210   0.8775 <=0.0050
> log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of 1 bit are independent
> but they depend on each other (p 10^-240.6 after Holm, device 2); held out and its p hold all the same
> w1.h5: 2 devices, 0 of 1 pair differs by symbols, which depend on each other, 1 by held-out rows (Holm, 5 % each), # s
$ tournament chain.txt --symbol-bits 2 --null 199 --scores accuracy -o w2.h5 --json | jq -c '[.pairs_differ, .pairs_differ_held_out, .symbol_bits, .dependence_log10_p < -100, .dependence_device]'
> [1,1,2,true,"2"]
$ tournament chain.txt --null 19 --json | jq -c '[.pairs_differ_held_out, .symbol_bits]'; tournament chain.txt --null 19 | tail -1
> [null,1]
> 2 devices, 0 of 1 pair differs by symbols, which depend on each other (Holm, 5 %); by held-out rows 19 permutations cannot tell, # s
$ awk '{ $2 = 1 + NR % 2 } NR <= 200' chain.txt >fair.txt; tournament fair.txt --null 39
> pair               chi2  log10 p   JS, nats a symbol (95 %)            a row held out       p
> 1 v 2           0.80086     -0.4   8.343e-05 (0.000e+00, 5.621e-04)   0.5251   0.4850   0.6000
> log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of 1 bit are independent
> 2 devices, 0 of 1 pair differs by symbols if independent, 0 by held-out rows (Holm, 5 % each), # s
$ tournament fair.txt --null 39 --json | jq -c '[.dependence_log10_p > -1.3, .dependence_device]'
> [true,""]
$ cache diff w1.h5 w2.h5; cache show w1.h5 | grep -o 'symbol_bits.*'; cache show w1.h5 | grep -o 'dependence_device.'
> inputs.bits.0: 31c493179b53... -> 92608825901a...
> options.scores: "all" -> "accuracy"
> parts.symbol_bits: "1" -> "2"
> symbol_bits 1
> dependence_device

# Equal devices whose rows are all the same: no permutation is worse, as if it were dealt otherwise than the devices are.
$ yes 0000000000 | head -50 >stuck.txt; yes 0000000000 | head -51 >more.txt; cp stuck.txt copy.txt
$ for b in copy more; do tournament stuck.txt $b.txt --null 99 | sed -n 2p; done
> stuck v copy          0      0.0   0.000e+00 (0.000e+00, 0.000e+00)   0.5000   0.5000   1.0000
> stuck v more          0      0.0   0.000e+00 (0.000e+00, 0.000e+00)   0.5000   0.4961   1.0000

# A file given twice, and rows that occur twice within devices; rows of 10 bits do so by chance.
$ cut -d ' ' -f 1 fair.txt >a; cp a a2; sed -n '1~2p' a >b; sed -n '2~2p' a >c; cat b b >bb; cat c c >cc; cut -c 1-10 a >s1; cut -c 11-20 a >s2
+ tournament a a2 --null 0 --resamples 10 >o; tournament bb cc --null 0 --resamples 10 >o; tournament b c --null 0 --resamples 10 >o; tournament s1 s2 --null 0 --resamples 10 >o
! tournament: 400 of 400 rows occur more than once, where chance makes at most 0.0 do so if a bit depends on its place and the bit before; where copies of a row train and judge, accuracies and tests by rows are worthless
! tournament: 400 of 400 rows occur more than once, where chance makes at most 0.0 do so if a bit depends on its place and the bit before; where copies of a row train and judge, accuracies and tests by rows are worthless

# Labels of few rows can be permuted within the fifths in few ways.
$ for n in 5 7; do for d in 1 2 3; do for r in $(seq $n); do echo $(echo 0000 1111 0101 | cut -d " " -f $d)$((r % 2))$((r / 2 % 2))$((r / 4)) $d; done; done >few.txt
+ tournament few.txt --null 9999 -q -o few$n.h5; tournament few.txt --null 9999 | tail -1; figures few$n.h5 -q --report f.html; sed -n 's:^<p class="lead">\(.*\)</p>$:\1:p' f.html; done
+ tournament few.txt --null 9999 --json | jq -c .pairs_differ_held_out
> 3 devices, 3 of 3 pairs differ by symbols, which depend on each other (Holm, 5 %); held-out rows are too few to tell, # s
> few5.h5: 3 devices, 3 of 3 pairs differ by symbols, which depend on each other (Holm, 5 %); held-out rows are too few to tell
> 3 devices, 3 of 3 pairs differ by symbols, which depend on each other, 2 by held-out rows (Holm, 5 % each), # s
> few7.h5: 3 devices, 3 of 3 pairs differ by symbols, which depend on each other, 2 by held-out rows (Holm, 5 % each)
> 2

# A second file whose bits are parted, or a first: it is blamed, not the good one.
$ yes 0110010111 | head -20 >whole.txt; sed 's/./&,/g; s/,$//' whole.txt >comma.txt; sed 's/./& /g; s/ $//' whole.txt >blank.txt
+ for p in comma blank; do tournament whole.txt $p.txt; tournament $p.txt whole.txt; done; echo $?
> 65
! tournament: comma.txt: row 1, position 2: found ',', expected 0 or 1; take separators out: tr -d ','
! tournament: comma.txt: row 1, position 2: found ',', expected 0 or 1; take separators out: tr -d ','
! tournament: blank.txt: row 1: label '1 1 0 0 1 0 1 1 1', expected a whole number from 1 to 4096; take out spaces between bits: tr -d ' '
! tournament: blank.txt: row 1: label '1 1 0 0 1 0 1 1 1', expected a whole number from 1 to 4096; take out spaces between bits: tr -d ' '

# So few symbols that chi2 is rough.
$ printf '01 1\n00 1\n00 1\n00 1\n00 1\n01 2\n11 2\n00 2\n01 2\n10 2\n' >few; tournament few --null 0 --resamples 10 | tail -1
> 2 devices, 0 of 1 pair differs by symbols if independent (Holm, 5 %), # s
! tournament: in 1 of 1 pair some symbol is expected less than 5 times: chi2 and its p are rough, of so few; p of held-out rows is not

# Fair devices whose p is between 1 and 5 %, as one set in twenty has: no fact is made of it, on the screen or on the page.
$ awk -v x=8 'function rnd() { x = x * 16807 % 2147483647; return x / 2147483647 } BEGIN { for (i = 0; i < 9; i++) rnd(); for (d = 1; d <= 3; d++) for (r = 0; r < 60; r++) { s = ""; for (j = 0; j < 20; j++) s = s (rnd() < 0.5 ? 0 : 1); print s, d } }' >fair.txt
+ tournament fair.txt --null 199 -o fair.h5 2>log | tail -n 2; figures fair.h5 -q --report fair.html 2>log; grep -o 'class="lead">.*' fair.html; extract-features --qrng fair.txt -o fair.bits.h5 | grep -o 'successive.*),'; cache show fair.h5 | grep -o 'dependence[^ ]* [^ ]*'
> but they may depend on each other (p 0.041 after Holm, device 2); held out and its p hold all the same
> fair.h5: 3 devices, 0 of 3 pairs differ by symbols if independent, 0 by held-out rows (Holm, 5 % each), # s
> class="lead">fair.h5: 3 devices, 0 of 3 pairs differ by symbols if independent, 0 by held-out rows (Holm, 5 % each)</p>
> successive symbols of 1 bit may depend on each other (p 0.041 after Holm, device 2),
> dependence_device 2
> dependence_log10_p -1.38826
