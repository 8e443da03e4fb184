# --folds: each point on every fold of the training rows, their mean decides. --test: other samples beside.
~ s/[0-9.]+ s; heads/# s; heads/
$ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 300 -q -o f.h5; extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -q -o t.h5
+ s() { qsweep f.h5 -g "lr=1e-3,1e-2 layers=1,2" --epochs 6 --reduction 16 --replicas 2 --no-provenance "$@"; }; s -q --folds 4 --test t.h5 -o s.h5; ls s-heads | head -4
> lr=1e-2_layers=1_fold=0-4.h5
> lr=1e-2_layers=1_fold=1-4.h5
> lr=1e-2_layers=1_fold=2-4.h5
> lr=1e-2_layers=1_fold=3-4.h5

# A fold's head is qtrain's; the table has what qeval says of its heads, on validation and test, and the error over folds; every row is held out once.
$ qtrain f.h5 -q --no-controls --lr 1e-2 --epochs 6 --reduction 16 --layers 2 --replicas 2 --no-provenance --fold 2/4 -o one.h5 2>/dev/null; cmp one.h5 s-heads/lr=1e-2_layers=2_fold=2-4.h5 && echo the same bytes
+ for f in 0 1 2 3; do h=s-heads/lr=1e-2_layers=1_fold=$f-4.h5; for o in "f.h5 --split val" t.h5; do qeval $h $o -f --json -o r.h5 2>/dev/null | jq .accuracy; done; done | awk 'NR % 2 { v += $1; w += $1 * $1 } NR % 2 == 0 { t += $1 } END { printf "%.4f +- %.4f          %.4f\n", v / 4, sqrt((w - v * v / 4) / 3 / 4), t / 4 }' >own; cache show s.h5 | sed -n 's/^lr=1e-2 layers=1 *6 *[0-9]* *//p' | cmp - own && echo the same numbers
+ for f in 0 1 2 3; do h5dump -d split/validation s-heads/lr=1e-2_layers=1_fold=$f-4.h5 | sed -n 's/^ *([0-9]*): //p' | tr ', ' '\n'; done | grep . | sort -n | uniq -c | awk '$1 != 1 || $2 != NR - 1 { print } END { print NR }'
> the same bytes
> the same numbers
> 300

# What is told; the best is trained again on all rows; a finished sweep says it again; --json.
$ s() { qsweep f.h5 -g "lr=1e-3,1e-2 layers=1,2" --epochs 6 --reduction 16 --replicas 2 --no-provenance "$@"; }; s --folds 4 --test t.h5 -o s.h5 | sed -n '6,$p'; s --folds 4 --test t.h5 --json -o s.h5 | jq -c '[.points, .replicas, .folds, .best, (.standard_error > 0), (.test_accuracy > 0)]'; figures s.h5 --figure sweep -o s.svg; rm s-heads/lr=1e-2_layers=2_fold=0-4.h5; s --folds 4 --test t.h5 -o s.h5 >/dev/null
> s.h5: up to date; 4 points of 2 heads in each of 4 folds of seed 0
> the best less the next: +0.0200 (95 % -0.1055 to +0.1455, paired over 4 folds)
> test, of the one that validation chose: 0.2517 (95 % over 360 samples 0.2097 to 0.2990); the others' choose nothing
> the best again, with its controls: qtrain f.h5 --layers 1 --reduction 16 --epochs 6 --lr 0.01 --replicas 2 -o s-best.h5
> [4,2,4,"lr=1e-2 layers=1",true,true]
> s.svg: 1 figure in 1 file, 1 written
! qsweep: 1 of 16 heads is not in s-heads as this table has it; --force trains all

# Without either, what it was; shards and threads give the same bytes; dropped points are not tested; --force begins anew.
$ s() { qsweep f.h5 -g "lr=1e-3,1e-2 layers=1,2" --epochs 6 --reduction 16 --replicas 2 --no-provenance "$@"; }; s -q -o plain.h5 2>/dev/null; s -q --test t.h5 -f --heads plain-heads -o tested.h5 2>/dev/null; h5diff plain.h5 tested.h5 val_accuracy; h5diff plain.h5 tested.h5 head_key; h5ls plain.h5 | grep -c test
+ for i in 0 1 2; do s -q -j 1 --folds 3 --test t.h5 --shard $i/3 --heads h -o p$i.h5 2>/dev/null; done; cache merge -q p0.h5 p1.h5 p2.h5 --no-provenance -o m.h5; s -q -j 2 --folds 3 --test t.h5 --heads w -o w.h5 2>/dev/null; cmp m.h5 w.h5 && echo the same bytes
+ qsweep f.h5 -g "lr=1e-3,1e-2 layers=1,2" --epochs 4 --reduction none --halving --test t.h5 -o half.h5 2>/dev/null | awk 'NF { print NF }' | head -5 | tr '\n' ' '; echo
> 0
> the same bytes
> 6 6 5 5 5
$ for o in "--folds 1" "--folds 2x" "--folds 2 --halving" "--test f.h5" "-g fold=0/2,1/2" "--folds 301"; do qsweep f.h5 -g lr=1e-3,1e-2 --epochs 1 $o -o x.h5; echo $?; done; for f in 4/4 1/04 -1/4 1; do qtrain f.h5 --fold=$f -o x.h5; done; extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 30 -q --tap layer1 -o other.h5; qsweep f.h5 -g lr=1e-3,1e-2 --test other.h5 -o x.h5; ls x.h5
> 2
> 2
> 2
> 2
> 2
> 65
! qsweep: --folds: found '1', expected a whole number from 2 to 1000
! qsweep: --folds: found '2x', expected a whole number from 2 to 1000
! qsweep: --halving compares points in the middle of one training; it cannot be given with --folds
! qsweep: --test: f.h5 has the content of f.h5, which trains
! qsweep: --grid: fold: points are compared on the same validation samples; give --folds K outside the grid
! qsweep: --folds 301: f.h5 has 300 rows
! qtrain: --fold: found '4/4', expected I/K, 0/5 to 4/5 of five; K is 2 to 1000
! qtrain: --fold: found '1/04', expected I/K, 0/5 to 4/5 of five; K is 2 to 1000
! qtrain: --fold: found '-1/4', expected I/K, 0/5 to 4/5 of five; K is 2 to 1000
! qtrain: --fold: found '1', expected I/K, 0/5 to 4/5 of five; K is 2 to 1000
! qsweep: other.h5: tap is layer1, f.h5 has avgpool; extract anew
! ls: cannot access 'x.h5': No such file or directory
? 2

# a fold has its own share of validation samples; shards merge though one has no point that ended well
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 60 -q -o v.h5; qtrain v.h5 --fold 1/5 --val-fraction 0.5 -o x.h5; qsweep v.h5 -g lr=1e-3 --folds 3 --val-fraction 0.4 -o x.h5
+ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 60 -q -o other.h5; for k in 0 1; do qsweep v.h5 -g lr=1e-3,1000 --optimizer sgd --momentum 0.99 --epochs 3 --test other.h5 --shard $k/2 -q -o s$k.h5 2>/dev/null; done; cache merge -q s0.h5 s1.h5 -o whole.h5 && cache show whole.h5 | grep -c lr=
> 3
! qtrain: --val-fraction: of K folds one has a K-th of the samples; it cannot be given with --fold or --folds
! qsweep: --val-fraction: of K folds one has a K-th of the samples; it cannot be given with --fold or --folds
