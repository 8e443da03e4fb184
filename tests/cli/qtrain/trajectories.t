# Noise by trajectories: above 7 qubits, or where --trajectories says so; part of the key.
$ D=$DATA/digits; extract-features -q $D/train-images-idx3-ubyte --resize 28 --limit 100 -o f.h5 > log
+ N="--noise depolarizing=0.01,amplitude-damping=0.01" K="qtrain f.h5 --epochs 1 -o x.h5 --key"
+ for o in "" "--trajectories 2" "--trajectories 3"; do $K $N $o; done | sort -u | wc -l
> 3

# threads, replicas beside it and a stop in between change nothing
$ N="--noise depolarizing=0.01,amplitude-damping=0.01 --qubits 8 --layers 1 --trajectories 2 --no-controls --no-provenance -q"
+ qtrain f.h5 $N --epochs 2 --threads 1 -o a.h5; qtrain f.h5 $N --epochs 2 --threads 3 -o b.h5; cmp a.h5 b.h5 && echo same
+ qtrain f.h5 $N --epochs 2 --replicas 2 -o r.h5; qtrain f.h5 $N --epochs 2 --replica 1 -o one.h5
> same

$ V="h5dump -y -w 0 -d history/val_loss -c 1,2"; $V -s 1,0 r.h5 | grep '\.[0-9]*, ' > r; $V -s 0,0 one.h5 | grep '\.[0-9]*, ' > one
+ cmp r one && wc -l < r
> 1

# the adjoint, the shift rules and central differences of the same realisations
$ for n in depolarizing=0.05 amplitude-damping=0.05 t1=50e-6,t2=70e-6,gate-time=35e-7,excited=0.1 $DATA/noise/example.json
+ do qtrain f.h5 --noise $n --trajectories 3 --batch-size 8 --check-gradients | grep -c bound; done | uniq -c | xargs
> 4 5

# chosen without having been asked for, they are told
$ qtrain f.h5 --noise bit-flip=0.01 --qubits 8 --layers 1 --epochs 1 --no-controls -o t.h5 > log
! qtrain: noise by 8 trajectories a sample and step
! qtrain: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction

$ qtrain f.h5 --trajectories 3 -o x.h5
! qtrain: --trajectories: there is no noise to draw realisations of; give --noise
? 2

$ qtrain f.h5 --trajectories 0 --noise bit-flip=0.1 -o x.h5
! qtrain: --trajectories: found '0', expected a whole number from 1 to 1000000
? 2

$ qtrain f.h5 --trajectories many --noise bit-flip=0.1 -o x.h5
! qtrain: --trajectories: found 'many', expected a whole number from 1 to 1000000
? 2

$ qtrain f.h5 --qubits 8 --noise amplitude-damping=0.95 -o x.h5
! qtrain: noise: a gate relaxes a qubit by 0.95, trajectories bear at most 0.9; stronger damping needs the density matrix of at most 7 qubits
? 2

# measured outputs of a noisy circuit: threads do not matter, steps draw anew
$ N="--noise depolarizing=0.02 --qubits 8 --layers 1 --trajectories 4 --shots 20 --diff-method spsa --no-controls --no-provenance -q"
+ for t in 1 3; do qtrain f.h5 $N --epochs 1 --threads $t -o s$t.h5; done; cmp s1.h5 s3.h5 && echo same
> same
