# What is refused, and how.
$ qtrain
! qtrain: 0 inputs, expected FEATURES.h5; see --help
? 2
$ qtrain my train.h5 -o head.h5
! qtrain: 2 inputs, expected FEATURES.h5; 'train.h5' is too many; see --help
? 2
$ for t in qeval qsweep qconvert; do $t a b c -o x.h5; done
! qeval: -o: a report is of one head; without -o there is a table of all heads
! qsweep: 3 inputs, expected FEATURES.h5; 'b' is too many; see --help
! qconvert: 3 inputs, expected HEAD.h5; 'b' is too many; see --help
? 2

$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 60 -o f.h5 > log
$ qtrain f.h5
! qtrain: no output; give -o HEAD.h5
? 2

$ qtrain none.h5 -o head.h5
! qtrain: none.h5: cannot be opened: No such file or directory
? 66

$ qtrain $DATA/digits/README.md -o head.h5
! qtrain: ROOT/data/digits/README.md: not an HDF5 file (its first eight bytes are others); expected 'features', which comes from extract-features
? 65

$ qtrain f.h5 -o head.h5 --qubits 21
! qtrain: --qubits: found 21, expected a whole number from 1 to 20
? 2

$ qtrain f.h5 -o head.h5 --reduction 128,x
! qtrain: --reduction: '128,x' is no list of widths from 1 to 65536; write it as 128,32
? 2

$ qtrain f.h5 -o head.h5 --epoch 3
! qtrain: --epoch: no such option; did you mean --epochs? (--help lists them)
? 2

# a head is no feature cache
$ qtrain -q f.h5 -o head.h5 --epochs 1 > log; qtrain head.h5 -o again.h5
! qtrain: head.h5: holds 'head', expected 'features', which comes from extract-features
? 65

$ qtrain f.h5 -o no/such/folder/head.h5 --epochs 1 > log
! qtrain: no/such/folder/head.h5: its folder does not exist; make it first
? 74

# a history replaces older ones only, and what it cannot be is said before the training
$ cp f.h5 in.h5; echo mine > own.txt; printf 'epochs: 1\n' > run.yaml
$ for h in in.h5 ./new.h5 own.txt run.yaml f.h5 no/h.jsonl
+ do qtrain in.h5 -e 1 --no-controls -c run.yaml -o new.h5 --history $h 2>&1 || echo $?; done; cmp in.h5 f.h5; ls new.h5
> qtrain: in.h5: is an input; give another name
> 2
> qtrain: --history: found the file ./new.h5, which -o writes; give another name
> 2
> qtrain: own.txt: was not written by ketline; give another name, or --force to replace it
> 2
> qtrain: run.yaml: is an input; give another name
> 2
> qtrain: f.h5: was not written by ketline; give another name, or --force to replace it
> 2
> qtrain: no/h.jsonl: its folder does not exist; make it first
> 74
! ls: cannot access 'new.h5': No such file or directory
? 2
$ qtrain f.h5 -e 1 --no-controls -o new.h5 --mlflow ./new.h5
! qtrain: --mlflow: found the file ./new.h5, which -o writes; give a folder
? 2
$ qtrain f.h5 -e 1 --no-controls -o new.h5 --mlflow own.txt
! qtrain: --mlflow: found the file own.txt, expected a folder
? 2
$ qtrain -q f.h5 -e 1 --no-controls -o new.h5 --history h.jsonl; qtrain -q f.h5 -e 2 --no-controls -o new.h5 --history h.jsonl; wc -l < h.jsonl
> 2

# a circuit in which nothing could be trained
$ qtrain f.h5 --layers 0 -o zero.h5
! qtrain: the circuit has no weights that could be trained; give --layers 1 or more, or another --circuit-file
? 2

# Words behind one dash, words cut short, bounds as one types them.
$ qtrain f.h5 -lr 0.1 -o new.h5
! qtrain: -lr: one dash is for letters; did you mean --lr?
? 2
$ qtrain f.h5 -output new.h5; ls utput
! qtrain: -output: one dash is for letters; did you mean --output?
! ls: cannot access 'utput': No such file or directory
? 2
$ qtrain f.h5 --check -o new.h5
! qtrain: --check: no such option; --help lists them
? 2
$ qtrain f.h5 --check-g -o new.h5
! qtrain: --check-g: no such option; did you mean --check-gradients? (--help lists them)
? 2
$ qtrain f.h5 --schedule cos -o new.h5
! qtrain: --schedule: found 'cos', expected one of constant|step|cosine|plateau; did you mean cosine?
? 2
$ qtrain f.h5 --optimizer ad -o new.h5
! qtrain: --optimizer: found 'ad', expected one of sgd|adam|adamw|qng|rotosolve|spsa
? 2
$ qtrain f.h5 --seed -1 -o new.h5
! qtrain: --seed: found -1, expected a whole number from 0 to 9007199254740992
? 2

# What changes nothing is said; so is a part of the samples in place of all.
$ qtrain f.h5 -e 1 --no-controls --momentum 0.9 --beta1 0.8 --period 3 -o new.h5 >log
! qtrain: --momentum: changes nothing without --optimizer sgd|spsa
! qtrain: --period: changes nothing without --schedule step
! qtrain: only 6 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 128 --shard 1/2 -o part.h5
+ qtrain part.h5 -e 1 --no-controls -o new.h5 >log
! qtrain: part.h5: is part 1 of 2, numbered from 0; cache merge makes one file of all
! qtrain: only 6 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
$ true | qtrain - -o new.h5
! qtrain: standard input: is empty; what writes to it has failed
? 65
$ qtrain . -o new.h5
! qtrain: .: is a folder, expected a file
? 66
# The folder is there: the reason is another.
$ qtrain f.h5 -e 1 -o /proc/new.h5 2>&1 | sed 's/: [A-Z][a-z ]*$//'
> qtrain: /proc/new.h5: cannot create a file in its folder
$ qtrain f.h5 -e 1 -o own.txt/new.h5
! qtrain: own.txt: is no folder, new.h5 cannot lie in it
? 74

# What a core leaves idle, and rates that never come.
$ run() { qtrain f.h5 -e 1 --val-fraction 0.5 --no-controls -f -o new.h5 "$@" 2>&1 >log | grep -v 'tell all classes'; }
+ run --core none --qubits 8 --ansatz qcnn; run --warmup 1; run --warmup 0; run --lr 0; run --lr 0 --schedule cosine --min-lr 1e-3
+ run --lr 0 --optimizer qng; run --weight-scale 5 --init uniform; run --weight-scale 5; true
> qtrain: --qubits: changes nothing without --core circuit|twin|frozen
> qtrain: --ansatz: changes nothing without --core circuit|twin|frozen
> qtrain: --warmup 1: the 1 epoch is part of it, and the learning rate never becomes --lr 0.001
> qtrain: --lr 0: the head stays as it was drawn
> qtrain: --lr 0: all but the circuit stays as it was drawn
> qtrain: --weight-scale: changes nothing without --init normal
$ for core in twin frozen none; do qtrain f.h5 -e 1 --val-fraction 0.5 --core $core -f -o new.h5 2>&1 >log | grep nothing; done
? 1

$ qtrain a.h5 --seeds 5 -o n.h5
! qtrain: --seeds: belongs to qtrain --qrng (qtrain --qrng --help); here it is --replicas
? 2
