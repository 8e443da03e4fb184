# Optimisers beside Adam's family.
~ /not tell all classes apart/d
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 300 -o f.h5 > log

# what qng lacks in noise is said; what has no circuit that trains is trained by Adam
$ qtrain f.h5 -o q.h5 --optimizer qng --noise depolarizing=0.01
! qtrain: --optimizer qng: its metric is that of pure states, and --noise leaves none; leave one of them out
? 2
$ qtrain f.h5 -o q.h5 --optimizer qng --qng-lambda 0
! qtrain: --qng-lambda: found 0, expected a number from 1e-06 to 1000000
? 2
$ for core in twin frozen none; do for o in adam qng rotosolve; do
+ qtrain -q f.h5 -e 2 --core $core --optimizer $o --history $core-$o.jsonl -o $core-$o.h5 > log; done
+ cmp $core-adam.jsonl $core-qng.jsonl && cmp $core-adam.jsonl $core-rotosolve.jsonl && echo $core; done
> twin
> frozen
> none
$ for o in adam qng; do qtrain -q f.h5 -e 2 --no-controls --optimizer $o --history $o.jsonl -o $o.h5 > log; done
$ cmp -s adam.jsonl qng.jsonl
? 1

# threads change no bit
$ for o in "qng --ansatz strongly-entangling --clip 0.5 --schedule cosine" \
+ "rotosolve --schedule cosine --noise depolarizing=0.01" "spsa --lr 0.01 --weight-decay 0.01"; do
+ for j in 1 3; do qtrain -q f.h5 -e 3 --optimizer $o -j $j --no-provenance --no-controls -o $j.h5 > log; done; cmp 1.h5 3.h5 && echo same; done
> same
> same
> same

# weights whose gates have no common measure
$ cat > odd.qasm <<'QASM'
+ OPENQASM 3.0;
+ include "stdgates.inc";
+ input angle x0;
+ input angle w0;
+ qubit[1] q;
+ ry(x0) q[0];
+ rx(0.3*w0) q[0];
+ ry(0.7*w0) q[0];
+ QASM
+ qtrain f.h5 --circuit-file odd.qasm --optimizer rotosolve --no-controls -o odd.h5
! qtrain: --optimizer rotosolve: gates take weight 0 in multiples without a common measure, 0.3 and 0.7; choose another optimizer
? 2

# spsa moves a twin's parameters that exist and a frozen head's all but the circuit
$ for core in twin frozen none; do qtrain -q f.h5 -e 2 --core $core --optimizer spsa --lr 0.01 -o $core.h5 > log && echo $core; done
> twin
> frozen
> none

# The rate that is told of spsa falls as that of its steps: 0.02 ((A + 1) / (A + k + 1))^0.602, A a tenth of 4 steps.
$ qtrain -q f.h5 -e 4 --batch-size 5000 --core none --optimizer spsa --lr 0.02 --history rate.jsonl -o rate.h5 > log; jq -r '.learning_rate * 1e6 | round' rate.jsonl | xargs
> 20000 14458 11723 10038

# an axis of a sweep
$ qsweep -q f.h5 --grid "optimizer=adam,qng qng-lr=0.05,0.2" -e 1 -o s.h5 2>&1 | head -1; cache show s.h5 > log
$ qsweep -q f.h5 --grid "qng-lr=0.05,0.2" -e 1 -o t.h5
! qsweep: --grid: qng-lr: changes nothing without --optimizer qng
? 2

# what changes nothing beside another option is said
$ qtrain f.h5 -e 1 --no-controls --progress none --optimizer spsa --diff-method finite-diff -o n.h5 > log
+ qtrain f.h5 -e 1 --no-controls --progress none --optimizer spsa --shots 9 -o n.h5 -f > log
! qtrain: --optimizer spsa takes no derivatives: --diff-method finite-diff changes nothing
! qtrain: losses from 9 measurements an evaluation
$ qtrain f.h5 -e 1 --core twin --progress none --shots 9 -o n.h5 -f > log; qtrain f.h5 -e 1 --core none --progress none --noise bit-flip=0.1 -o n.h5 -f > log
! qtrain: --core twin has no circuit: --noise and --shots change nothing
! qtrain: --core none has no circuit: --noise and --shots change nothing
$ for o in "--patience 1" "--schedule plateau" "--schedule plateau --patience 1"; do qtrain f.h5 -e 1 --core none --progress none --val-fraction 0 $o -o n.h5 -f > log; done
! qtrain: --val-fraction 0 leaves no samples to judge epochs by: --patience changes nothing
! qtrain: --val-fraction 0 leaves no samples to judge epochs by: --schedule plateau changes nothing
! qtrain: --val-fraction 0 leaves no samples to judge epochs by: --patience and --schedule plateau change nothing
$ qsweep -q f.h5 --grid "diff-method=adjoint,spsa" --optimizer spsa -o t.h5
! qsweep: --grid: diff-method: changes nothing without --optimizer sgd|adam|adamw|qng|rotosolve
? 2
$ qsweep -q f.h5 --grid "spsa-step=0.1,0.2" --shots 9 -o t.h5
! qsweep: --grid: spsa-step: changes nothing without --diff-method spsa
? 2
$ qsweep -q f.h5 --grid "shots=9,99" --core twin -o t.h5
! qsweep: --grid: shots: changes nothing without --core circuit|frozen
? 2
