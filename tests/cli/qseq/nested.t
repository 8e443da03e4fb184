# A sweep of all folds: each fold's validation chooses its point, the chosen models are one report, and nothing of it has seen who is tested.
~ s/-?[0-9]+\.[0-9]+/N/g
~ /tell all classes apart/d
$ qseq generate people -q --people 3 --channels 8 --trials 8 -o people && qseq windows -q people/*.edf --rate 40 -o w.h5
+ echo 'qseq sweep "$@" -m means --epochs 3 -g lr=1e-3,1e-1 --split loso --no-provenance' >nested
$ sh nested w.h5 --fold all -j 2 -o n.h5; sh nested w.h5 --fold all -o n.h5; ls -1p n.h5.folds; ls n.h5.folds/1-*
> n.h5: means, accuracy N (standard error N over 3 people, N by 72 windows alone), AUC N, kappa N
>   chosen by validation in 1 of 3 folds: lr=1e-1
>   chosen by validation in 2 of 3 folds: lr=1e-3
> n.h5: up to date
> 0-sequence-models/
> 0.h5
> 1-sequence-models/
> 1.h5
> 2-sequence-models/
> 2.h5
> lr=1e-1.h5
> lr=1e-3.h5
$ for f in 0 1 2; do sh nested w.h5 -q --fold $f -o $f.h5; cmp $f.h5 n.h5.folds/$f.h5; h5dump -y -d val_loss $f.h5 | grep -oE '[0-9]+\.[0-9]+' | awk '!NF { next } NR == 1 || $1 < n { n = $1; p = NR } END { print p == 1 ? "lr=1e-3" : "lr=1e-1" }'; done >least
+ paste -d/ - least <<<$'0-sequence-models\n1-sequence-models\n2-sequence-models' | sed 's/$/.h5/' >models
+ qseq eval -q [0-2].h5 $(cat models) w.h5 --no-provenance -o by-hand.h5; cmp by-hand.h5 n.h5 && echo same
+ sh nested w.h5 --fold all --force --json -o j.h5 | jq -r 'select(.chosen).chosen[].point' | cmp - least && cmp j.h5 n.h5 && echo same; cache show n.h5 | grep -A 3 '^point'
> same
> same
> point    fold  val loss
> lr=1e-1     0    N
> lr=1e-3     1    N
> lr=1e-3     2    N

# Another person in the last one's place, whom fold 2 tests: its points have the losses that they had, those of other folds have not.
$ qseq generate people -q --people 3 --channels 8 --trials 8 --seed 1 -o others && cp others/S003*.edf people && qseq windows -q people/*.edf --rate 40 -o other.h5
+ sh nested other.h5 -q --fold all -o o.h5; for f in 0 1 2; do h5diff n.h5.folds/$f.h5 o.h5.folds/$f.h5 val_loss >/dev/null && echo fold $f: same losses || echo fold $f: others; done
+ cmp -s n.h5 o.h5 || echo another report
> fold 0: others
> fold 1: others
> fold 2: same losses
> another report

# What is there stays, what was lost is made again; a model that was lost is told of.
$ before=$(stat -c %Y.%i n.h5.folds/0.h5); rm n.h5 n.h5.folds/1.h5; sh nested w.h5 -q --fold all -o n.h5; cmp by-hand.h5 n.h5 && [ "$before" = "$(stat -c %Y.%i n.h5.folds/0.h5)" ] && echo same
> same
$ rm n.h5.folds/2-*/*; sh nested w.h5 -q --fold all -o n.h5
! qseq: n.h5.folds/2-sequence-models/lr=1e-3.h5: is not there as n.h5.folds/2.h5 has it; remove n.h5.folds/2.h5, and the same command trains it again
? 66
$ rm n.h5.folds/2.h5 n.h5; sh nested w.h5 -q --fold all -o n.h5; cmp by-hand.h5 n.h5 && echo same
> same

# Stopped: the folds stop with it, and the same command goes on to the same bytes.
$ long() { qseq sweep w.h5 -m hydra --qubits 2 --layers 1 --epochs 30 --patience 0 -g lr=1e-3,1e-2 --split kfold --folds 3 --fold all --no-provenance --progress none -j 2 "$@"; }
+ long -q -o whole.h5; long -o part.h5 >out 2>said & pid=$!
+ until [ -e part.h5.folds/0-sequence-models/lr=1e-3.h5 ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
+ p=$(pgrep -P $pid); kill -TERM ${p:-$pid}; wait $pid; echo $?; cat out; sed '/Terminated/d; s/[0-2] of 3/M of 3/' said
+ long -q -o part.h5; cmp whole.h5 part.h5 && echo same
> 143
> qseq: stopped; M of 3 folds are in part.h5.folds, and the same command goes on
> same

# Points may be different nets, and what is left of a halved sweep.
$ qseq sweep w.h5 -g "model=means,classical-mamba lr=1e-3,1e-2" --epochs 2 --halving --split kfold --folds 3 --fold all --json -o nets.h5 | jq -c 'select(.chosen) | [.model, (.chosen | length)]'
> ["means|classical-mamba",3]

# qseq eval believes no table: a model is the best of one of them, and they are of one grid.
$ qseq eval [01].h5 $(cat models) w.h5 -o x.h5; qseq eval [0-2].h5 [0-2]-*/lr=1e-3.h5 w.h5 -o x.h5; qseq sweep -q w.h5 -m means --epochs 3 -g lr=1e-3,2e-1 --split loso --fold 2 -o other-2.h5; qseq eval [01].h5 other-2.h5 $(cat models) w.h5 -o x.h5 2>&1 | sed 's/.*: no fold of the sweep in .*: \(options.grid\):.*/\1/'
> options.grid
! qseq: found 3 models and the tables of 2 sweeps, expected the best of each
! qseq: 0.h5: its best point, 'lr=1e-1', is none of the models given; give its file
$ qseq eval $(cat models) w.h5 -o x.h5 2>&1 | sed 's/^qseq: [0-2].*: no fold of the model in [0-2].*: \(options.lr\):.*/\1/'
> options.lr
$ qseq predict [0-2].h5 $(cat models) other.h5 -o p.h5 | sed 's/agree.*/agree/'
> p.h5: 72 windows by means, the mean of 3, which agree
! qseq: 72 of 72 windows, or others of their recording or person, trained the model or chose its epoch: what it says of these tells nothing of new ones

$ for o in "--models m" "--shard 0/2" "--val-fraction 0.9"; do sh nested w.h5 $o --fold all -o x.h5; done; qseq sweep w.h5 -g lr=1e-3,1e-1 --fold all -o x.h5; sh nested w.h5 --momentum 0.9 --fold all -o x.h5; sh nested w.h5 -g fold=0,1 --fold all -o x.h5; ls -d x.h5*
! qseq: --models: is of one fold, not of --fold all
! qseq: --shard: is of one fold, not of --fold all
! qseq: --val-fraction N: of the 2 people beside the test all would validate, and nobody train; expected less, or 0: without validation
! qseq: --fold all: this --split has no folds; loso, kfold and loro have
! qseq: --momentum: changes nothing without --optimizer sgd (0 of 3 folds are in x.h5.folds)
! qseq: --grid: fold: points are compared on the same validation samples; give it outside the grid (0 of 3 folds are in x.h5.folds)
! ls: cannot access 'x.h5*': No such file or directory
? 2
