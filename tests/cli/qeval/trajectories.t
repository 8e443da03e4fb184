# Noise by trajectories in an evaluation: what is told, what changes the report, what is refused.
~ /not tell all classes apart/d
$ D=$DATA/digits; extract-features -q $D/train-images-idx3-ubyte --resize 28 --limit 150 -o f.h5 > log
+ qtrain -q f.h5 --qubits 8 --layers 1 --epochs 2 --no-controls -o head.h5
+ qeval head.h5 f.h5 --noise depolarizing=0.01 -o r.h5 | sed -E 's/[0-9]\.[0-9]+/#/g'
> r.h5: accuracy # [#, #], log loss #, ECE # on 150 samples, noise depolarizing=#
>   noise by 100 trajectories a sample: standard error of accuracy #, log loss #, outputs #; by half of them: accuracy #, log loss #
>   no controls: trained with --no-controls
! qeval: f.h5: head.h5 was trained on these; --split val takes those that it has not seen

$ qeval head.h5 f.h5 --noise depolarizing=0.01 --trajectories 10 --json -o j.h5 | jq -r 'keys[]' | grep -c traj
+ h5dump -a /trajectories j.h5 | grep '(0)'
> 6
>    (0): 10
! qeval: f.h5: head.h5 was trained on these; --split val takes those that it has not seen

# the seed and the number are in the key of a report that depends on them, and in no other
$ for o in "" "--seed 1" "--trajectories 7"; do qeval head.h5 f.h5 --noise bit-flip=0.01 $o --key -o x.h5; done | sort -u | wc -l
+ for o in "" "--seed 1"; do qeval head.h5 f.h5 $o --key -o x.h5; done | sort -u | wc -l
> 3
> 1
! qeval: --seed changes nothing: without --shots and trajectories nothing is drawn

# threads do not matter; shots are drawn from the mean of all realisations
$ for t in 1 3; do qeval -q head.h5 f.h5 --noise amplitude-damping=0.02,readout=0.02 --trajectories 6 --shots 50 --threads $t \
+     --no-provenance -o t$t.h5; done; cmp t1.h5 t3.h5 && echo same
> same

# on few qubits the mean is that of the density matrix: within 4.5 standard errors, log loss by many realisations
$ qtrain -q f.h5 --layers 1 --epochs 2 --no-controls -o small.h5; N=depolarizing=0.03,amplitude-damping=0.02,readout-1=0.05
+ qeval small.h5 f.h5 --noise $N --json -o a.h5 > a; qeval small.h5 f.h5 --noise $N --trajectories 4000 --json -o b.h5 > b
+ jq -n --slurpfile a a --slurpfile b b '($a[0].log_loss - $b[0].log_loss | fabs) < 4.5 * $b[0].trajectories_log_loss_error'
> true
! qeval: f.h5: small.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: small.h5 was trained on these; --split val takes those that it has not seen

$ qeval head.h5 f.h5 --trajectories 10 -o x.h5
! qeval: --trajectories: head.h5 has no noise to draw realisations of; give --noise
? 2

$ qeval head.h5 f.h5 --noise bit-flip=0.1 --trajectories 1 -o x.h5
! qeval: --trajectories: found '1', expected a whole number from 2 to 1000000
? 2

# accuracy scatters over seeds as its standard error says: of a hundred heads that were not trained, within some 10 %
$ qtrain -q f.h5 --qubits 2 --reduction none --classifier none --optimizer sgd --lr 1e-9 --epochs 1 --init uniform --val-fraction 0 --no-controls --replicas 100 -o many.h5
+ for s in 1 2 3 4 5 6 7 8; do qeval many.h5 f.h5 --noise depolarizing=0.05 --trajectories 20 --seed $s --json -f -o m.h5 2> log | jq -r '"told \(.trajectories_accuracy_error)"'
+ h5dump -y -w 0 -d replicas/accuracy m.h5 | sed -n 's/,/ /g; s/^ *\([01][ .].*\)/\1/p'; done |
+ awk '/told/ { told += $2 * 10 / 8; next } { for (i = 1; i <= NF; i++) { s[i] += $i; q[i] += $i * $i } }
+ END { for (i in s) v += (q[i] - s[i] * s[i] / 8) / 7 / 100; r = told / sqrt(v); print length(s), (r > 0.9 && r < 1.12 ? "as told" : r) }'
> 100 as told
