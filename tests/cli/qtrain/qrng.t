# Classifiers of devices. Rows of 20 bits: device 1 has more ones, device 3 equal pairs.
$ awk 'function rnd() { x = x * 16807 % 2147483647; return x / 2147483647 } BEGIN { x = 7; for (d = 1; d <= 3; d++) for (r = 0; r < 60; r++) { s = ""; for (j = 0; j < 10; j++) {
+ a = rnd() < (d == 1 ? 0.8 : 0.5); b = d == 3 ? a : rnd() < (d == 1 ? 0.8 : 0.5); s = s a b } print s, d } }' >rows.txt
+ grep -c . rows.txt
> 180

$ qtrain --qrng rows.txt --epochs 20 -o c.h5
> c.h5: network, holdout, 4 splits, # s; qeval --qrng judges them
$ qtrain --qrng rows.txt --epochs 20 -o c.h5
> c.h5: up to date: network, holdout, 4 splits, # s; qeval --qrng judges them
$ qtrain --qrng rows.txt --epochs 20 --threads 1 --force --json -o c.h5 | jq -c 'del(.key, .seconds)'
> {"output":"c.h5","status":"computed","devices":3,"rows":180,"splits":4,"null_runs":0,"collapsed":0,"cautions":[]}

# The same bytes whatever the threads; the same key whatever the format of the bits.
$ qtrain --qrng rows.txt --epochs 20 --threads 2 --no-provenance -q -o a.h5; qtrain --qrng rows.txt --epochs 20 --threads 1 --no-provenance -q -o b.h5
+ cmp a.h5 b.h5 && echo same
> same
$ for d in 1 2 3; do grep "$d\$" rows.txt | cut -d ' ' -f 1 >$d; done; qtrain --qrng 1 2 3 --epochs 20 --key >k; qtrain --qrng rows.txt --epochs 20 --key | cmp - k && echo same
> same

# Other protocols, models, sizes.
$ qtrain --qrng rows.txt --epochs 3 --protocol folds --folds 3 --seeds 2 --hidden 5 --features pairs -o f.h5
> f.h5: network, folds, 6 splits, # s; qeval --qrng judges them
$ h5dump -d network/0.weight -H f.h5 | grep SIMPLE | tr -s ' '
>  DATASPACE SIMPLE { ( 6, 5, 4 ) / ( 6, 5, 4 ) }
$ qtrain --qrng rows.txt --model bernoulli --null 5 -o n.h5
> n.h5: bernoulli, holdout, 4 splits and 5 of shuffled labels, # s; qeval --qrng judges them
$ qtrain --qrng rows.txt --reference --epochs 5 --seeds 2 --hidden "" --keep last --init fan-in -o r.h5
> r.h5: network, reference, 2 splits, # s; qeval --qrng judges them
$ qtrain --qrng --reference --print-config | grep -E 'seed|protocol'
> protocol: "reference"
> seeds: 4
> seed: 89

# A device given twice.
$ sed 's/.*/&&&&/' 1 >long1; cp long1 long2; qtrain --qrng long1 long2 --model ones -o twice.h5 >o
! qtrain: 120 of 120 rows occur more than once, where chance makes at most 0.0 do so if a bit depends on its place and the bit before; where copies of a row train and judge, accuracies and tests by rows are worthless

# What cannot be.
$ qtrain --qrng rows.txt --reference --validation 0.1 -o x.h5
! qtrain: --validation: the study has no validation rows; leave it or --reference out
? 2
$ qtrain --qrng rows.txt --reference --protocol folds -o x.h5
! qtrain: --reference has a protocol of its own; leave --protocol folds out
? 2
$ qtrain --qrng rows.txt --test 0.9 --validation 0.1 -o x.h5
! qtrain: --test 0.9 and --validation 0.1 leave no rows to train on
? 2
$ qtrain --qrng rows.txt --protocol folds --folds 2 --validation 0.6 -o x.h5
! qtrain: run 1: --folds 2 and --validation 0.6 leave no rows to train on
? 2
$ qtrain --qrng rows.txt --protocol folds --folds 200 -o x.h5
! qtrain: run 1: 180 rows are too few for 200 folds: some would have no test rows
? 65
$ qtrain --qrng rows.txt --hidden 30,x -o x.h5
! qtrain: --hidden: found '30,x', expected whole numbers from 1 to 4096, as in 30,20
? 2
$ qtrain --qrng rows.txt --hidden 1,2,3,4 -o x.h5
! qtrain: --hidden: found '1,2,3,4', expected at most 3 layers
? 2
$ qtrain --qrng 1 -o x.h5
! qtrain: 1 device, expected 2 to 64: labels behind the rows, or a file a device
? 65
$ cut -c 1-19 1 >odd1; cut -c 1-19 2 >odd2; qtrain --qrng odd1 odd2 --model pairs -o x.h5
! qtrain: rows of 19 bits are no pairs of bits; take other --features and --model
? 2
$ qtrain --qrng odd1 odd2 --epochs 2 --seeds 1 -o x.h5
> x.h5: network, holdout, 1 split, # s; qeval --qrng judges them
$ printf '01 1\n10 2\n' >two; qtrain --qrng two --model ones -o x.h5
! qtrain: device 1: 1 row, expected 5 or more
? 65
$ qtrain --qrng -o x.h5
! qtrain: 0 inputs, expected BITS...; see qtrain --qrng --help
? 2
$ qtrain --qrng rows.txt
! qtrain: no output; give -o CLASSIFIER.h5
? 2
$ qtrain --qrng rows.txt --model pairs --clip 2 -o x.h5
! qtrain: --clip: is of --model network alone
? 2
$ qtrain --qrng rows.txt --folds 3 -o x.h5
! qtrain: --folds: is of --protocol folds alone
? 2
$ qtrain --qrng rows.txt --protocol folds --test 0.3 -o x.h5
! qtrain: --test: of --protocol folds a fold is the test
? 2
$ qtrain --qrng rows.txt --reference --seed 4294967293 -o x.h5
! qtrain: --seed: found 4294967293; the study's are 0 to 4294967292 for 4 splits
? 2
$ qtrain --qrng rows.txt --qubits 4 -o x.h5
! qtrain: --qubits: belongs to qtrain without --qrng (qtrain --help)
? 2

# Packed bytes whose end makes no row, in both tools.
$ head -c 999 $ROOT/tests/golden/nist_e.bin >p1; tail -c 1000 $ROOT/tests/golden/nist_e.bin >p2
+ qtrain --qrng p1 p2 --packed --bits 98 --model ones --seeds 1 -o p.h5 | cut -d , -f 1; qeval --qrng p.h5 p1 p2 --packed --bits 98 -o pr.h5 | wc -l | sed 's/[1-9][0-9]*/lines/'
> p.h5: ones
> lines
! qtrain: 116 bits at the ends of inputs make no row of 98: left out
! qeval: 116 bits at the ends of inputs make no row of 98: left out

# A stopped run goes on where it was: the first of its 60 splits is finished when what it keeps grows.
$ qtrain --qrng rows.txt --epochs 300 --patience 0 --seeds 60 --threads 1 --no-provenance -q -o s.h5 2>stopped & p=$!
+ until [ -s .s.h5.*partial ]; do kill -0 $p || break; done
+ kept() { stat -c %s .s.h5.*partial; }; size=$(kept); while [ "$(kept)" = $size ]; do sleep 0.01; done
+ kill -TERM $p; wait $p; echo $?; ls .s.h5.*partial | wc -l
+ qtrain --qrng rows.txt --epochs 300 --patience 0 --seeds 60 --no-provenance -q -o s.h5
+ qtrain --qrng rows.txt --epochs 300 --patience 0 --seeds 60 --no-provenance -q -o t.h5; cmp s.h5 t.h5 && echo same
> 143
> 1
> same

# Before its first split has finished there is nothing to go on from.
$ qtrain --qrng rows.txt --epochs 1000000 --patience 0 --seeds 1 --progress none -o z.h5 2>stopped & p=$!
+ until ls .z.h5.*partial >log 2>&1; do kill -0 $p || break; done; kill -TERM $p; wait $p; echo $?; cat stopped; ls -A | grep z.h5
> 143
> qtrain: stopped after 0 of 1 run; nothing is kept
? 1

# What a run of other options left is told of; it stays until a split has finished.
$ old=.y.h5.0123456789abcdef.free.00000000.ketline-partial; touch $old
+ qtrain --qrng rows.txt --epochs 1000000 --patience 0 --seeds 1 --progress none -o y.h5 2>told & p=$!
+ until [ -s told ]; do kill -0 $p || break; done; kill -TERM $p; wait $p; cat told; ls -A | grep y.h5
> qtrain: .y.h5.0123456789abcdef.free.00000000.ketline-partial is of a stopped run with other options or inputs, and is deleted after this one's first split; to keep it, stop now and give another -o
> qtrain: stopped after 0 of 1 run; .y.h5.0123456789abcdef.free.00000000.ketline-partial stays as it was
> .y.h5.0123456789abcdef.free.00000000.ketline-partial
$ qtrain --qrng rows.txt --epochs 2 --seeds 1 -q -o y.h5; ls -A | grep y.h5
> y.h5
