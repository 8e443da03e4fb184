# Nets on windows of recordings. Six people of three runs each; a split over people is checked by their names.
$ qseq generate people -q --people 6 --channels 8 --trials 8 -o people && for s in 1 2 3 4 5 6; do qseq windows -q people/S00$s*.edf --rate 40 -o S$s.h5; done; ls S?.h5 | wc -l
> 6
$ qseq train S?.h5 -m means --epochs 3 -o m.h5 | sed -E 's/[0-9.]+ s$/T/; s/loss [0-9.]+/loss L/'
> m.h5: 3 epochs, val loss L (best epoch 3), T
$ qseq train S?.h5 -m means --epochs 3 -o m.h5
> m.h5: up to date: 3 epochs, val loss 0.7247 (best epoch 3), # s

# Neither the order of the files, nor threads, nor replicas beside change a bit.
$ small() { qseq train -q -m hydra --qubits 2 --layers 1 --epochs 4 --no-provenance "$@"; }
+ small S?.h5 --replicas 3 --threads 1 -o one.h5; small S4.h5 S1.h5 S6.h5 S2.h5 S5.h5 S3.h5 --replicas 3 --threads 2 -o two.h5; small S?.h5 --replicas 3 --threads 4 -o four.h5
+ cmp one.h5 two.h5 && cmp one.h5 four.h5 && echo same
+ numbers() { jq -c "select(.replica == $1) | del(.replica)"; }
+ small S?.h5 --replicas 3 -o one.h5 --history - | numbers 1 >a; small S?.h5 --replica 1 -o second.h5 --history - | numbers 0 >b; wc -l <a; cmp a b && echo alone
> same
> 4
> alone
$ qseq train S1.h5 S1.h5 -o x.h5; cp S1.h5 copy.h5; qseq train S1.h5 copy.h5 -o x.h5
! qseq: S1.h5 has the same content as S1.h5; give it once
! qseq: copy.h5 has the same content as S1.h5; give it once
? 2

# A signal stops it between two steps; goes on to the same bytes.
$ long() { qseq train S?.h5 -m hydra --qubits 2 --layers 1 --epochs 60 --patience 0 --no-provenance --progress none "$@"; }
+ long -o whole.h5 >whole; long --checkpoint-every 1 -o part.h5 >part 2>&1 & pid=$!
+ until [ -e .part.h5.checkpoint ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
+ pkill -TERM -P $pid; wait $pid; echo $?
+ long -o part.h5 2>&1 | grep -c 'found .*checkpoint'; cmp whole.h5 part.h5 && echo same
> 143
> 1
> same

# Splits: each has its folds; what leaks says so.
$ for s in subject loso kfold loro within; do qseq train S?.h5 -q -m means --epochs 1 --split $s -o $s.h5 && echo $s; done
> subject
> loso
> kfold
> loro
> within
$ qseq train S?.h5 -q -m means --epochs 1 --split leak -o leak.h5 && cache show leak.h5 | grep -c '^caution .*--split leak'
> 1
$ qseq train S?.h5 -q -m means --split loso --fold 6 -o x.h5; qseq train S?.h5 -q -m means --fold 1 -o x.h5
! qseq: --fold: found 6, expected 0 to 5
! qseq: --fold: --split subject has no folds; loso, kfold and loro have
? 2
$ qseq train S1.h5 S2.h5 -q -m means -o x.h5; qseq train S[123].h5 -q -m means -o x.h5; qseq train S[123].h5 -q -m means --epochs 1 --split loso -o of3.h5 && qseq train S1.h5 -q -m means --split loso -o x.h5
! qseq: --split: found 2 people, too few for validation and test; give more, leave validation out (--val-fraction 0), or split runs (within, loro)
! qseq: --split: found 3 people, too few for validation and test; give more, leave validation out (--val-fraction 0), test one at a time (--split loso), or split runs (within, loro)
! qseq: --split: found 1 person, too few for training and test; give more, or split runs (within, loro)
? 65
$ qseq train S?.h5 -q -m means --test-fraction 0.6 --val-fraction 0.5 -o x.h5
! qseq: --test-fraction 0.6, --val-fraction 0.5: expected a test share above 0, and both together below 1
? 2

# A recording under another person's name is seen by its windows.
$ mkdir copied && cp people/S001R0[48].edf people/S00[236]R04.edf copied && cp people/S001R04.edf copied/S005R04.edf && qseq windows -q copied/*.edf -o copied.h5
$ qseq train copied.h5 -m means --split loso --val-fraction 0 -o x.h5; qseq fit copied.h5 --filters 4 --split loso --val-fraction 0 -o x.h5
! qseq: a window of recording 'S005R04' of 'S005' at # s, in the training part, is that of recording 'S001R04' of 'S001' at # s, in the test part: a copy, and so a leak; leave one of the two out
! qseq: a window of recording 'S005R04' of 'S005' at # s, in the training part, is that of recording 'S001R04' of 'S001' at # s, in the test part: a copy, and so a leak; leave one of the two out
? 65

# A model has its own sizes alone.
$ qseq train S?.h5 -m means --qubits 4 -o x.h5; qseq train S?.h5 -m eegnet --twin-of mamba -o x.h5; qseq train S?.h5 --gate-layers 3 -o x.h5; qseq train S?.h5 -m twin --twin-of hydra --taps 8 -o x.h5; qseq train S?.h5 -m classical-mamba --filters 4 -o x.h5; qseq train S?.h5 -m eegnet --bare -o x.h5; qseq train S?.h5 -m twin --twin-of mamba-lite --bare -o x.h5
! qseq: --qubits: --model means has no such thing
! qseq: --twin-of: --model eegnet has no such thing
! qseq: --gate-layers: --model hydra has no such thing
! qseq: --taps: --model twin has no such thing
! qseq: --filters: --model classical-mamba has no such thing
! qseq: --bare: --model eegnet has no such thing
! qseq: twin: mamba-lite has no bare layer of its own; mamba has the same one
? 2

# The reference's way, its flaws said.
$ qseq train S?.h5 -q -m means --epochs 2 --profile reference -o ref.h5 && cache show ref.h5 | grep '^caution'
> caution    --profile reference: windows are not standardised (millivolts), the last weights and not the best are tested, the best epoch is by accuracy

# What is given stands, also where it is what another profile has.
$ qseq train S?.h5 -q -m means --epochs 2 --profile reference --judge loss --tested best --standardise train -o ref.h5 && cache show ref.h5 | grep '^caution'
> caution    --profile reference: windows are standardised, the best weights are tested, the best epoch is by loss

# What cannot be trained on.
$ qseq train -o x.h5; qseq train S1.h5
! qseq: 0 inputs, expected WINDOWS.h5...; see qseq train --help
! qseq: no output; give -o MODEL.h5
? 2
$ qseq windows -q people/S001*.edf --rate 80 -o other.h5; qseq train S2.h5 other.h5 -q -o x.h5 2>&1 | sed 's/^qseq: [a-zA-Z0-9]*.h5: windows of .*/another length/'
> another length
$ qseq train $ROOT/README.md -o x.h5
! qseq: ROOT/README.md: not an HDF5 file (its first eight bytes are others); expected 'windows', which comes from qseq windows
? 65

# A sweep, whose points share the files.
$ qseq sweep S?.h5 -m means --epochs 2 -g "lr=1e-3,1e-1" -o sweep.h5 -j 2 | sed -n '1p; /^the best again/{s/ --lr 0.1//;p}'
> point    epochs  parameters  val loss
> the best again: qseq train S1.h5 S2.h5 S3.h5 S4.h5 S5.h5 S6.h5 --model means --epochs 2 -o sweep-best.h5
$ qseq train S?.h5 -m means --epochs 2 --lr 0.1 --no-provenance -q -o again.h5 && [ "$(cache show --json again.h5 | jq -r .content)" = "$(cache show --json sweep-sequence-models/lr=1e-1.h5 | jq -r .content)" ] && echo same
> same

# Euclidean alignment by the training windows, whose matrix is in the file, or by each person's own, which is said.
$ for a in train subject; do qseq train S?.h5 -m means --epochs 3 --align $a -o align-$a.h5 | sed -E 's/[0-9.]+ s$/T/; s/loss [0-9.]+/loss L/'; done
> align-train.h5: 3 epochs, val loss L (best epoch 3), T
> align-subject.h5: 3 epochs, val loss L (best epoch 3), T
! qseq: --align subject: fitted on each person's own windows, test windows among them (not their labels): transductive
$ cache show align-subject.h5 | grep '^caution'; cache diff m.h5 align-subject.h5 | sed -n 1p; for a in train subject; do cache show align-$a.h5 | grep -c '^  align .*8 x 8'; done
> caution    --align subject: fitted on each person's own windows, test windows among them (not their labels): transductive
> options.align: "none" -> "subject"
> 1
> 0
? 1
$ qseq train S?.h5 -q -m means --epochs 3 --standardise subject --align subject -o own.h5 && cache show own.h5 | grep '^caution'
> caution    --align subject, --standardise subject: fitted on each person's own windows, test windows among them (not their labels): transductive
$ qseq train S?.h5 -q -m means --epochs 3 --align both -o x.h5
! qseq: --align: found 'both', expected one of none|train|subject
? 2

# Channels whose mean is the reference have one direction less.
$ for s in 1 2 3 4 5 6; do qseq windows -q people/S00$s*.edf --rate 40 --reference average -o A$s.h5; done; qseq train A?.h5 -q -m means --epochs 2 --align train -o average.h5 && cache show average.h5 | grep '^caution'
> caution    --align: 1 of 8 directions of the channels have no power, as one after an average reference: they are left out

# What would stand in the key and change nothing; in a grid too, as what would judge points by other windows.
$ for o in "--momentum 0.5" "--optimizer sgd --beta1 0.5" "--schedule step --plateau-patience 2" "--schedule constant --factor 0.1" "--period 7" "--schedule step --min-lr 1e-5" "--split loso --test-fraction 0.3" "--split loro --split-seed 3"; do qseq train S?.h5 -q -m means $o -o x.h5; done
! qseq: --momentum: changes nothing without --optimizer sgd
! qseq: --beta1: changes nothing without --optimizer adam|adamw
! qseq: --plateau-patience: changes nothing without --schedule plateau
! qseq: --factor: changes nothing without --schedule step|plateau
! qseq: --period: changes nothing without --schedule step
! qseq: --min-lr: changes nothing without --schedule cosine|plateau
! qseq: --test-fraction: changes nothing without --split subject|within|leak
! qseq: --split-seed: changes nothing without --split subject|loso|kfold|leak
? 2
$ qseq train S?.h5 -q -m means --epochs 1 --optimizer sgd --momentum 0.5 --schedule step --period 7 --split within --test-fraction 0.3 -o x.h5 && echo taken
> taken
$ for g in momentum=0.5,0.9 "split=loso fold=0,1" split-seed=1,2 fold=0,1 folds=2,3 test-fraction=0.2,0.3; do qseq sweep S?.h5 -q -m means -g "$g" -o x.h5; done
! qseq: --momentum: changes nothing without --optimizer sgd
! qseq: --grid: split: points are compared on the same validation samples; give it outside the grid
! qseq: --grid: split-seed: points are compared on the same validation samples; give it outside the grid
! qseq: --grid: fold: points are compared on the same validation samples; give it outside the grid
! qseq: --grid: folds: points are compared on the same validation samples; give it outside the grid
! qseq: --grid: test-fraction: points are compared on the same validation samples; give it outside the grid
? 2

# Parameters are counted alike everywhere, a complex number once.
$ qseq sweep S?.h5 -q -m hydra --qubits 2 --layers 1 --epochs 1 -g lr=1e-3,1e-2 -o count.h5 --models count; for l in 1e-3 1e-2; do h5dump -d parameters count.h5 | grep -c "$(cache show --json count/lr=$l.h5 | jq .attributes.parameters)"; done
> 1
> 1

# A training that learnt nothing, as its rate is too large.
$ qseq train S?.h5 -m means --epochs 3 --lr 1000 -o far.h5 --replicas 2 2>&1 | sed -E 's/[0-9.e+]+( s$|, and| to | of 2|\))/#\1/g; s/loss [0-9.e+]+/loss #/g'; cache show far.h5 | grep -c '^caution'
> qseq: the least validation loss is #, and 0.6931 is that of guessing (# of 2 replicas): nothing was learnt; try a smaller --lr than 1000
> far.h5: 3 epochs, val loss # (# to # of 2 replicas), # s
> 1

# A loss that still falls when the epochs are over is said, as by qtrain.
$ qseq train S?.h5 -m shallow --lr 3e-5 --dropout 0 --epochs 40 --patience 0 --schedule constant -o short.h5 2>&1 >log | sed 's/ [0-9]* %/ # %/'; cache show short.h5 | grep -c 'not trained to its end'
> qseq: not trained to its end: # % of what the training loss fell by came with the last tenth of the 40 epochs; give more --epochs
> 1
