# What a stage found is on the page of its file and in its JSON: the numbers that the tool told at its end.
# Rows of 20 bits: device 1 has more ones, device 3 equal pairs.
$ awk 'function rnd() { x = x * 16807 % 2147483647; return x / 2147483647 } BEGIN { x = 7; for (d = 1; d <= 3; d++) for (r = 0; r < 60; r++) { s = ""; for (j = 0; j < 10; j++) {
+ a = rnd() < (d == 1 ? 0.8 : 0.5); b = d == 3 ? a : rnd() < (d == 1 ? 0.8 : 0.5); s = s a b } print s, d } }' >rows.txt
+ page() { cache show "$1" | sed '1,/^content/d; /^datasets/,$d; /^options/,/^facts/{ /^facts/!d }'; }
+ declare -f page >page

# Pairs, in their order, which is not that of the file.
$ . ./page; tournament rows.txt --symbol-bits 2 --null 19 -o t.h5; page t.h5
> pair               chi2  log10 p   JS, nats a symbol (95 %)            a row held out       p
> 1 v 3            414.08    -88.2   2.181e-01 (1.914e-01, 2.418e-01)   0.9941   0.9917 <=0.1500
> 2 v 3            370.61    -79.0   2.005e-01 (1.808e-01, 2.210e-01)   0.9991   0.9917 <=0.1500
> 1 v 2            217.71    -46.2   9.667e-02 (7.299e-02, 1.204e-01)   0.9270   0.8917 <=0.1500
> log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of 2 bits are independent
> t.h5: 3 devices, 3 of 3 pairs differ by symbols if independent (Holm, 5 %); by held-out rows 19 permutations cannot tell, # s
> facts      dependence_log10_p -0.447165  permutations 19  rows_are all  symbol_bits 2
>
> pair     chi2  log10 p (Holm)                   JS, nats a symbol             a row                   held out  p (Holm)
> 1 v 3  414.08           -88.2  2.181e-01 (1.914e-01 to 2.418e-01)  0.9941 +- 0.0016  0.9917 (0.9543 to 0.9985)    0.1500
> 2 v 3  370.61           -79.0  2.005e-01 (1.808e-01 to 2.210e-01)  0.9991 +- 0.0003  0.9917 (0.9543 to 0.9985)    0.1500
> 1 v 2  217.71           -46.2  9.667e-02 (7.299e-02 to 1.204e-01)  0.9270 +- 0.0134  0.8917 (0.8234 to 0.9356)    0.1500
>
$ cache show --json t.h5 | jq -r '.tables.pairs[] | "\(.first) \(.second) \(.chi_square) \(.js) \(.accuracy)"'
+ for d in order chi_square; do h5dump -y -w 60 -m %.6f -d $d t.h5 | grep '^  *[0-9]'; done
> 1 3 414.0796612412332 0.21806490895601915 0.9916666666666667
> 2 3 370.60565786975513 0.20048531323660562 0.9916666666666667
> 1 2 217.708108047239 0.09666888927301252 0.8916666666666666
>       1,
>       2,
>       0
>       217.708108,
>       414.079661,
>       370.605658

# Devices under the standards' tests: counts and entropies as in the tool's own JSON.
$ . ./page; tournament --nist rows.txt --symbol-bits 2 --permutations 10 --progress none -o n.h5 --json |
+ jq -c '.devices[] | [.name, ([.sp800_22[] | select(.verdict == "passed")] | length), ([.sp800_22[] | select(.verdict == "failed")] | length),
+   ([.bit_entropy[] | numbers] | min), ([.symbol_entropy[] | numbers] | min), .assessed, .independence_log10_p, .fit_log10_p]' >told
+ cache show --json n.h5 | jq -c '.tables.devices[] | [.[]]' | diff told - && wc -l <told; page n.h5
> 3
> facts      information 1.39138 (standard error 0.0296)  symbol_bits 2
>
> device  tests passed  failed  bits a bit  a symbol  assessed  log10 p, neighbours  log10 p, parts
> 1                  0       7      0.2351    0.5200    0.4702               -0.569          -0.179
> 2                  8       0      0.4867    1.5961    0.9735                -0.27           -1.08
> 3                  3       5      0.0000    0.5061    0.0000               -0.155          -0.102
>

# Generators, in the sound way and as in the study: the numbers of each pair that the tool told.
$ . ./page; awk '{ print $1 $1 $1 $1, $2 }' rows.txt >wide.txt; numbers() { grep '^[1-3] v [1-3]' | grep -oE '[-]?[0-9]+\.[0-9]+'; }
+ qgan rows.txt -m 2 --epochs 2 -o g.h5 | numbers >told; cache show g.h5 | numbers | diff told - && wc -l <told
+ qgan wide.txt --reference --epochs 2 -o q.h5 | numbers >told; cache show q.h5 | numbers >shown; grep -c . shown; grep -vxF -f told shown
+ for f in g q; do page $f.h5 | grep -e facts -e pair | tr -s ' '; cache show --json $f.h5 | jq -c '.tables.pairs | length, (.[0] | keys)'; done
> 39
> 15
> facts no_better_than_uniform 2 protocol sound
> pair a on a b on a difference KL(b||a) KL(b||a), plug-in z a z b
> 3
> ["difference","difference_high","difference_low","excess","excess_high","excess_low","first","on_a","on_b","plugin_excess","plugin_excess_high","plugin_excess_low","second","test_a","test_b"]
> facts no_better_than_uniform 3 protocol reference
> pair KL uniform at start halves, least largest
> 3
> ["divergence","first","halves_largest","halves_least","second","start","uniform"]
! qgan: 4 of 180 rows occur more than once, where chance makes at most 0.0 do so if a bit depends on its place and the bit before; where copies of a row train and judge, accuracies and tests by rows are worthless

# Classifiers and their report; an option is told once.
$ . ./page; qtrain --qrng rows.txt --symbol-bits 2 --model pairs --null 19 -q -o c.h5; page c.h5
> facts      n_bits 20  seed 0
>
$ . ./page; best() { cache show $1.h5 | grep -e epoch.*accuracy -e ^best | sed -E 's/[01]\.[0-9]{4}/X/g'; }; qtrain --qrng rows.txt --epochs 12 --null 1 -q -o net.h5; best net
+ qtrain --qrng rows.txt --epochs 2 --seeds 2 --reference -q -o ref.h5; best ref
+ h5dump -y -m '%.4f' -d 'history/judge_accuracy[0,0;1,1;1,12]' net.h5 | awk '/^ *[01]\.[0-9]/ && ++n ~ /^(1|3|12)$/ { printf "%s%g", s, $1; s = " " } END { print "" }' >judged
+ cache show net.h5 | awk '$1 ~ /^(1|3|12)$/ && NF == 3 { printf "%s%g", s, $3; s = " " } END { print "" }' | diff - judged
>   epoch   training loss   validation accuracy   (first split)
> best validation accuracy of each split: X X X X
>   epoch   training loss         test accuracy   (first split)
> best test accuracy of each split: X X
$ . ./page; qeval --qrng c.h5 rows.txt --symbol-bits 2 --json -o r.h5 | jq -c '[.pairs, .logistic, .log_loss, .null_p, .accuracy_low, .limit] | map(. * 1e6 | round / 1e6)' >told
+ cache show --json r.h5 | jq -c '.attributes | [.pairs_accuracy, .logistic_accuracy, .pairs_log_loss, .null_p, .pairs_accuracy_low, .limit_accuracy] | map(. * 1e6 | round / 1e6)' | diff told - && cat told; page r.h5
> [0.930556,0.604167,0.163563,0.05,0.849857,0.946886]
> facts      dependence_log10_p -0.447165  features bits  folds 5
>            limit_accuracy 0.946886 (standard error 0.00897)
>            limit_information_bits 1.39138 (standard error 0.0296)
>            logistic_accuracy 0.604167 (95 % 0.572912 to 0.635421)  logistic_accuracy_others 0.604167
>            logistic_collapsed 0  logistic_log_loss 0.915432  logistic_parameters 63
>            logistic_worst_log10_p -2.7446  model pairs  null_p 0.05
>            pairs_accuracy 0.930556 (95 % 0.849857 to 1)  pairs_accuracy_others 0.930556
>            pairs_collapsed 0  pairs_log_loss 0.163563  pairs_parameters 9  pairs_worst_log10_p -11.1754
>            protocol holdout  seed 0  symbol_bits 2  test 0.2
>

# A scan for plateaus: rounding is none of its variances.
$ . ./page; circuit plateau --qubits 2-3 --layers 1,2 --draws 20 -o p.h5; page p.h5
> local: Z on qubit 0; variance of the derivative
> qubits   1 layer  2 layers
>      2         0  6.22e-02
>      3         0  6.20e-02
> x each         -     0.997
>   from         -     0.436
>     to         -     3.008
> global: Z on every qubit; variance of the derivative
> qubits   1 layer  2 layers
>      2  5.73e-02  2.33e-02
>      3         0  1.20e-02
> x each         -     0.515
>   from         -     0.151
>     to         -     4.387
> p.h5: 2 observables, 4 circuits of 20 draws, # s
! circuit: local does not depend on parameter 0 at 2 qubits, 1 layer (and 1 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all
! circuit: global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all

# Devices of known laws, bits, and a sweep, whose table the page has from elsewhere.
$ . ./page; tournament --synthetic 6 --rows 60 --bits 20 --null 99 --trials 5 -q -o s.h5; page s.h5
> facts      draws 0
>            smoothed/divergence: between 0.358577  log10_p_pearson -1.81846  log10_p_spearman -1.23408
>            log10_p_u -2.05595  orders 90  p_devices 0.0666667  pearson 0.897608  ratio 5.22618
>            spearman 0.828571  u 34  within 0.0686118
>            study/divergence: between 2.03921  log10_p_pearson -1.52718  log10_p_spearman -1.47712
>            log10_p_u -1.81291  orders 90  p_devices 0.0666667  pearson 0.855767  ratio 5.40716
>            spearman 0.885714  u 33  within 0.377131
>
$ . ./page; extract-features --qrng rows.txt --symbol-bits 2 -o b.h5; page b.h5
> b.h5: 180 rows of 20 bits, 3 devices, rate of 1 0.7900 0.4817 0.5167; successive symbols of 2 bits show no dependence (least p 0.36 after Holm), roughly, of so few; # s
> classes    1, 2, 3
> facts      n_bits 20  n_rows 180
>
> device  rows         rate of 1     bits a symbol  log10 p, successive symbols
> 1         60  0.7900 +- 0.0120  1.4813 +- 0.0455                         -0.9
> 2         60  0.4817 +- 0.0154  1.9947 +- 0.0051                         -0.1
> 3         60  0.5167 +- 0.0187  0.9992 +- 0.0020                         -0.3
>
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 100 -q -o f.h5
+ qsweep f.h5 --grid "lr=1e-2,3e-2" --reduction 8 --epochs 2 --replicas 2 --json -o w.h5 | jq -c '[.best, .val_accuracy]' >told
+ cache show --json w.h5 | jq -c '.tables.points | sort_by(-.val_accuracy, .val_loss)[0] | [.point, .val_accuracy]' | diff told - && cache show --json w.h5 | jq -c '.tables.points[] | [.point, .epochs, .parameters]'
+ cache show w.h5 | grep -c 'val accuracy'
+ cache show --json w.h5 | jq -r '.tables.points[] | [.point, .val_accuracy, .val_accuracy_low, .val_accuracy_high, .val_loss] | @tsv' |
+ awk '{ printf "%s %.4f (%.4f to %.4f) %.4f\n", $1, $2, $3, $4, $5 }' | sort >points; cache show w.h5 | awk '/^lr=/ { print $1, $4, $5, $6, $7, $8 }' | sort | diff - points
+ cache show --json w.h5 | jq '[.tables.points[] | select(.val_loss_low <= .val_loss and .val_loss < .val_loss_high)] | length'
+ qsweep f.h5 --grid "lr=1e-2,3e-2" --reduction 8 --epochs 2 -q -o one.h5; cache show --json one.h5 | jq -c '[.tables.points[] | keys[]] | unique'
> ["lr=1e-2",2,4402]
> ["lr=3e-2",2,4402]
> 1
> 2
> ["epochs","parameters","point","val_accuracy","val_loss"]
! qsweep: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
