# Points of a sweep: what the key holds, what is refused before anything is trained, what their files are called.
$ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 200 -q -o f.h5
$ mkdir a b; circuit qasm --qubits 2 --layers 1 >a/c.qasm; circuit qasm --qubits 2 --layers 2 >b/c.qasm
+ cp $DATA/noise/example.json a/n.json; sed 's/0\.0/0.01/' a/n.json >b/n.json; cmp -s a/n.json b/n.json || echo differ
> differ

# Circuits of files, each the head that qtrain makes of it; the command for the best names its file.
$ qsweep f.h5 --grid "circuit-file=a/c.qasm,b/c.qasm" --reduction 4 --epochs 2 -o f-sweep.h5 | tail -n 1 |
+ sed 's/[ab]\/c.qasm/X\/c.qasm/'
> the best again, with its controls: qtrain f.h5 --circuit-file X/c.qasm --reduction 4 --epochs 2 -o f-sweep-best.h5
! qsweep: only 20 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
$ for f in a b; do qtrain f.h5 --circuit-file $f/c.qasm --reduction 4 --epochs 2 --no-controls --key -o x.h5
+ cache show f-sweep-heads/circuit-file=$f-c.qasm.h5 | sed -n 's/^key *//p'; done | sed -E 's/^.* //' | uniq -c | sed -E 's/[0-9a-f]{64}/#/'
>       2 #
>       2 #

# The key follows what is in a file, not its name; and the option.
$ key() { qsweep f.h5 --grid "lr=1e-3,2e-3" --reduction 4 --epochs 1 "$@" --key -o s.h5; }
+ key >plain; (cd a; ln -s ../f.h5; key --circuit-file c.qasm) >qasm; (cd b; ln -s ../f.h5; key --circuit-file c.qasm) >other
+ cp a/c.qasm renamed.qasm; key --circuit-file renamed.qasm | cmp - qasm
+ (cd a; key --noise n.json) >noise; (cd b; key --noise n.json) >others; cp a/n.json renamed.json
+ key --noise renamed.json | cmp - noise; key --noise none | cmp - plain; key --halving >halving
+ sort -u plain qasm other noise others halving | wc -l
> 6
$ for f in a b; do (cd $f; qsweep f.h5 --grid "noise=n.json,none" --key -o s.h5); done | sort -u | wc -l
> 2
$ cp a/c.qasm c.qasm; run() { qsweep f.h5 --grid "lr=1e-3,2e-3" --reduction 4 --epochs 1 "$@" -o q.h5 | grep ^q.h5; }
+ run --circuit-file c.qasm; run --circuit-file c.qasm; cp b/c.qasm .; run --circuit-file c.qasm; run
> q.h5: 2 points of 1 head, # s; heads in q-heads
> q.h5: up to date; 2 points of 1 head
> q.h5: 2 points of 1 head, # s; heads in q-heads
> q.h5: 2 points of 1 head, # s; heads in q-heads
! qsweep: only 20 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qsweep: only 20 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qsweep: only 20 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
$ qsweep f.h5 --grid "lr=1e-3,2e-3" --reduction 4 --epochs 2 --dry-run -o q.h5 | sed -E 's/[0-9a-f]{12}\.\.\./#.../g; s/at most/about/' | grep -v ^key
> miss: the target has another key
>   options.epochs: 1 -> 2
>   parts.heads: #... -> #...
> the run that wrote the target took # s
> here it would take about # s, by its first moments

# Refused before anything is trained: nothing is there afterwards.
$ qsweep f.h5 --grid "qubits=4,8" --noise amplitude-damping=0.95 -o x.h5
! qsweep: noise: a gate relaxes a qubit by 0.95, trajectories bear at most 0.9; stronger damping needs the density matrix of at most 7 qubits
? 2
$ qsweep f.h5 --grid "reduction=16|a" -o x.h5
! qsweep: --reduction: 'a' is no list of widths from 1 to 65536; write it as 128,32
? 2
$ printf 'qubit[2] q;\ncx q[0], q[2];\n' >bad.qasm; qsweep f.h5 --grid "lr=1e-3,2e-3" --circuit-file bad.qasm -o x.h5
! qsweep: bad.qasm: OpenQASM, line 2, column 12: found '2', expected a whole number from 0 to 1
? 65
$ cp a/n.json a-n.json; qsweep f.h5 --grid "noise=a/n.json,a-n.json" -o x.h5
! qsweep: --grid: 'noise=a/n.json' and 'noise=a-n.json' would both be x-heads/noise=a-n.json.h5
? 2
$ qsweep f.h5 --grid "lr=1e-3" --heads . -o ./lr=1e-3.h5
! qsweep: ./lr=1e-3.h5: is the file of a head; give another name with -o
? 2
$ qsweep f.h5 --grid "lr=1e-3" --heads xyz -o xyz/lr=1e-3.h5
! qsweep: xyz/lr=1e-3.h5: is the file of a head; give another name with -o
? 2
$ ln -s f.h5 lr=1e-3.h5; for more in "" --force "--force --halving"; do qsweep f.h5 --grid "lr=1e-3,2e-3" --heads . $more -o x.h5; done
! qsweep: ./lr=1e-3.h5: is an input; give another name
! qsweep: ./lr=1e-3.h5: is an input; give another name
! qsweep: ./lr=1e-3.h5: is an input; give another name
? 2
$ rm lr=1e-3.h5; mkdir h; echo mine >h/lr=1e-3.h5; qsweep f.h5 --grid "lr=1e-3,2e-3" --halving --heads h -o x.h5; cat h/*
> mine
! qsweep: h/lr=1e-3.h5: was not written by ketline; give another name, or --force to replace it
$ ls -d x*
! ls: cannot access 'x*': No such file or directory
? 2

# A name that is too long for a file is cut, and ends in the head's key.
$ n=; for p in depolarizing bit-flip phase-flip amplitude-damping phase-damping; do n=$n$p=$(printf '0.%026d1' 0),; done
+ qsweep f.h5 --reduction 4 --epochs 1 --qubits 2 --grid "noise=${n%,}|none" -q -o l.h5; ls l-heads | sed -E 's/0{20,}/0~0/g; s/~[0-9a-f]{16}\./~#./'
> noise=depolarizing=0.0~01,bit-flip=0.0~01,phase-flip=0.0~01,amplitude-damping=0.00000000000~#.h5
> noise=none.h5
$ cache verify -q l-heads/*; ls -A l-heads | awk 'length > 200' | wc -l
> 0

# Halving: replicas shared over threads in one round and not in another; as many points as there are, few files are open.
$ h() { qsweep f.h5 --grid "lr=1e-3,2e-3,3e-3,4e-3" --reduction 8 --halving --replicas 3 --epochs 8 --no-provenance "$@"; }
+ h --threads 4 -q -o h4.h5; h --threads 1 -q -o h1.h5; cmp h1.h5 h4.h5; diff -r h1-heads h4-heads
$ (ulimit -n 32; qsweep f.h5 --grid "lr=1,2,3,4,5,6,7,8,9,10 layers=1,2,3,4" --halving --reduction 8 --epochs 8 -q -o m.h5); ls m-heads | wc -l
> 5

# One head under two names is refused: the best of two would be the best of one.
$ cp c.qasm same.qasm; qsweep f.h5 --grid circuit-file=c.qasm,same.qasm --epochs 1 -o t.h5
! qsweep: --grid: 'circuit-file=c.qasm' and 'circuit-file=same.qasm' are one head: the same in other words, or files of the same content; leave one out
? 2
$ qsweep f.h5 --grid 'lr=1e-3,1e-2 observables=ZIII|0.5*ZZII|0.50*ZZII' --epochs 1 -o t.h5
! qsweep: --grid: 'lr=1e-2 observables=0.5*ZZII' and 'lr=1e-2 observables=0.50*ZZII' are one head: the same in other words, or files of the same content; leave one out
? 2
