# All folds in one command: each is the model that its fold alone gives, and their report is that of eval.
~ s/[0-9.]+ s$/T/
~ s/loss [0-9.]+/loss L/
~ /tell all classes apart/d
$ qseq generate people -q --people 4 --channels 8 --trials 8 -o people && qseq windows -q people/*.edf --rate 40 -o w.h5
$ qseq train w.h5 -m means --epochs 2 --split loso --fold all --no-provenance -j 3 -o m.h5 | sort | sed -E 's/ \(best epoch .*|accuracy .*//'
> m.h5.folds/0.h5: 2 epochs, val loss L
> m.h5.folds/1.h5: 2 epochs, val loss L
> m.h5.folds/2.h5: 2 epochs, val loss L
> m.h5.folds/3.h5: 2 epochs, val loss L
> m.h5: means,
$ for f in 0 1 2 3; do qseq train w.h5 -q -m means --epochs 2 --split loso --fold $f --no-provenance -o $f.h5; cmp $f.h5 m.h5.folds/$f.h5 && echo same; done
+ qseq eval [0-3].h5 w.h5 -q --no-provenance -o by-hand.h5; cmp by-hand.h5 m.h5 && echo same
> same
> same
> same
> same
> same
$ qseq fit w.h5 -m mdm --split kfold --folds 3 --fold all -o f.h5 --json | jq -rs 'map(.output) | sort[]'; cache show f.h5.folds/2.h5 | grep ' fit '
> f.h5
> f.h5.folds/0.h5
> f.h5.folds/1.h5
> f.h5.folds/2.h5
> by         qseq fit w.h5 -m mdm --split kfold --folds 3 --fold 2 -o f.h5.folds/2.h5 --json

# --dry-run tries the first fold for a moment, says how long all take, in node-hours too, and leaves nothing.
$ long() { qseq train w.h5 -m means --epochs 1000000 --replicas 20 --patience 0 --split loso --fold "$@" -j 1 --dry-run -o long.h5; }; long all | grep -v ^key | sed -E 's/about .*, by/about T, by/; s/is [0-9.e+]+ node/is N node/'; ls -d long* 2>/dev/null
+ for f in all 0; do long $f --json; done | jq -es '.[0].estimated_seconds / .[1].estimated_seconds | . > 1.3 and . < 12' >log || cat log
> miss: the target does not exist
> here all 4 runs like this one would take about T, by its first moments; that is N node-hours of this machine

# What is there stays; a fold that was lost is made again, and so is the report that has gone.
$ before=$(stat -c %Y.%i m.h5.folds/0.h5); rm m.h5 m.h5.folds/2.h5; qseq train w.h5 -q -m means --epochs 2 --split loso --fold all --no-provenance -o m.h5
+ cmp by-hand.h5 m.h5 && [ "$before" = "$(stat -c %Y.%i m.h5.folds/0.h5)" ] && echo same
> same

# Stopped: the folds stop with it, and goes on to the same bytes.
$ long() { qseq train w.h5 -m hydra --qubits 2 --layers 1 --epochs 40 --patience 0 --split loso --fold all --no-provenance --progress none -j 2 "$@"; }
+ long -q -o whole.h5; long --checkpoint-every 1 -o part.h5 >out 2>said & pid=$!
+ until [ -e part.h5.folds/.1.h5.checkpoint ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
+ p=$(pgrep -P $pid); kill -TERM ${p:-$pid}; wait $pid; echo $?; cat out; sed '/Terminated/d; s/[0-3] of 4/N of 4/' said
+ long -q -o part.h5; cmp whole.h5 part.h5 && echo same; ls -A part.h5.folds
> 143
> qseq: stopped; N of 4 folds are in part.h5.folds, and the same command goes on
> same
> 0.h5
> 1.h5
> 2.h5
> 3.h5

# What fails leaves no report, and says so once.
$ mkdir -p bad.h5.folds/2.h5; qseq train w.h5 -q -m means --epochs 2 --split loso -j 1 --fold all -o bad.h5; ls bad.h5.folds; ls bad.h5
> 0.h5
> 1.h5
> 2.h5
! qseq: bad.h5.folds/2.h5: is a folder; name a file in it (2 of 4 folds are in bad.h5.folds)
! ls: cannot access 'bad.h5': No such file or directory
? 2
$ qseq train w.h5 -q -m means --epochs 2 --split loso --val-fraction 0.9 --fold all -o none.h5; ls -d none*
! qseq: --val-fraction 0.9: of the 3 people beside the test all would validate, and nobody train; expected less, or 0: without validation
! ls: cannot access 'none*': No such file or directory
? 2
$ qseq train w.h5 -m means --fold all -o x.h5
! qseq: --fold: --split subject has no folds; loso, kfold and loro have
? 2
$ qseq fit w.h5 --fold all -o x.h5
! qseq: --fold all: this --split has no folds; loso, kfold and loro have
? 2
$ qseq train w.h5 -m means --split loso --fold all -o -
! qseq: --fold all: -o: expected the name of a file, beside which the models lie
? 2
$ qseq fit w.h5 -m mdm --split loso --fold all --dry-run -o x.h5
! qseq: --dry-run: is of one fold, not of --fold all
? 2
$ qseq train w.h5 -m means --split loso --fold all --history h.json -o x.h5
! qseq: --history: is of one fold, not of --fold all
? 2
$ qseq train w.h5 -m means --split loso --fold every -o x.h5
! qseq: --fold: found 'every', expected a whole number or all
? 2
$ qseq train w.h5 -m means --split loso --fold all --print-config | grep fold: ; echo 'fold: all' >c.yaml; qseq train w.h5 -q -m means --epochs 2 --split loso --config c.yaml --no-provenance -o m.h5 && cmp by-hand.h5 m.h5
> fold: all
$ qseq fit w.h5 --split loso --fold all -o w.h5; qseq fit w.h5 --split loso --fold all -o m.h5.folds/0.h5; qseq fit w.h5 --split loso --fold all -o x.csv; ls -d *.csv*
! qseq: w.h5: is an input; give another name
! qseq: m.h5.folds/0.h5: holds a file of kind 'sequence-model', which one of kind 'sequence-report' would replace; give another name, or --force to replace it
! qseq: x.csv: -o writes HDF5, which no .csv is; name it x.h5, or give --force
! ls: cannot access '*.csv*': No such file or directory
? 2
