# Heads of a grid: each has the bytes that qtrain gives it alone; shards merge; halving; a loss that is no number.
~ s/(again.*: qtrain f.h5) .* -o/\1 # -o/
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -q -o f.h5

$ qsweep f.h5 --grid "lr=1e-3,3e-3 n_layers=1,2 reduction=16|none" --epochs 3 --replicas 2 --no-provenance -o s.h5 |
+ sed -E 's/0\.[0-9]+/#/g' | sort
> lr=1e-3 layers=1 reduction=16         3        8530  # (# to #)
> lr=1e-3 layers=1 reduction=none       3        2306  # (# to #)
> lr=1e-3 layers=2 reduction=16         3        8534  # (# to #)
> lr=1e-3 layers=2 reduction=none       3        2310  # (# to #)
> lr=3e-3 layers=1 reduction=16         3        8530  # (# to #)
> lr=3e-3 layers=1 reduction=none       3        2306  # (# to #)
> lr=3e-3 layers=2 reduction=16         3        8534  # (# to #)
> lr=3e-3 layers=2 reduction=none       3        2310  # (# to #)
> point                            epochs  parameters  val accuracy
> s.h5: 8 points of 2 heads, # s; heads in s-heads
> the best again, with its controls: qtrain f.h5 # -o s-best.h5
> the best of 8 is flattered by the choice: judge it with qeval on other samples
$ ls s-heads
> lr=1e-3_layers=1_reduction=16.h5
> lr=1e-3_layers=1_reduction=none.h5
> lr=1e-3_layers=2_reduction=16.h5
> lr=1e-3_layers=2_reduction=none.h5
> lr=3e-3_layers=1_reduction=16.h5
> lr=3e-3_layers=1_reduction=none.h5
> lr=3e-3_layers=2_reduction=16.h5
> lr=3e-3_layers=2_reduction=none.h5
$ qtrain f.h5 --lr 3e-3 --layers 2 --reduction 16 --epochs 3 --replicas 2 --no-provenance --no-controls -q -o one.h5
+ cmp one.h5 s-heads/lr=3e-3_layers=2_reduction=16.h5

# The same with one thread; nothing to do; only what is missing is trained.
$ qsweep f.h5 --grid "lr=1e-3,3e-3 n_layers=1,2 reduction=16|none" --epochs 3 --replicas 2 --no-provenance --threads 1 -q -o t.h5
+ cmp s.h5 t.h5; for head in s-heads/*; do cmp "$head" "t-heads/${head#s-heads/}"; done
$ qsweep f.h5 --grid "lr=1e-3,3e-3 n_layers=1,2 reduction=16|none" --epochs 3 --replicas 2 -o s.h5 | tail -n 3
> s.h5: up to date; 8 points of 2 heads
> the best of 8 is flattered by the choice: judge it with qeval on other samples
> the best again, with its controls: qtrain f.h5 # -o s-best.h5
$ stat -c '%n %y' s-heads/* >before; qsweep f.h5 --grid "lr=1e-3,3e-3,9e-3 n_layers=1,2 reduction=16|none" --epochs 3 --replicas 2 -q -o s.h5
+ stat -c '%n %y' s-heads/* | comm -13 - before; ls s-heads | wc -l
> 12

# cache show has the table as well: best first, mean and range over the heads.
$ cache show t.h5 | sed '1,/val_loss/d' >shown
+ qsweep f.h5 --grid "lr=1e-3,3e-3 n_layers=1,2 reduction=16|none" --epochs 3 --replicas 2 -o u.h5 | head -n 9 | diff - <(tail -n +2 shown) && sed -E 's/0\.[0-9]+/#/g; /^lr=/!d' shown | sort | head -n 2
> lr=1e-3 layers=1 reduction=16         3        8530  # (# to #)
> lr=1e-3 layers=1 reduction=none       3        2306  # (# to #)
$ qsweep f.h5 --grid "lr=1,2,3,4,5,6,7,8,9,10,11,12 layers=1,2" --reduction none --epochs 1 -q -o many.h5 2>log; cache show many.h5 | tail -n 1
> ... and 4 more

# Shards, joined, are the whole.
$ for i in 0 1 2; do qsweep f.h5 --grid "lr=1e-3,3e-3 n_layers=1,2 reduction=16|none" --epochs 3 --replicas 2 --no-provenance --shard $i/3 --heads m-heads -q -o $i.h5; done
+ cache merge 2.h5 0.h5 1.h5 --no-provenance -o m.h5; cmp m.h5 t.h5
> m.h5: merged from 3 shards

# Halving: a survivor is the head that was trained for all epochs.
$ qsweep f.h5 --grid "lr=1e-3,3e-3 n_layers=1,2 reduction=16|none" --epochs 12 --halving --no-provenance --json -o h.h5 |
+ jq -r '.points, .replicas, .status'
> 8
> 1
> computed
$ name=$(ls h-heads); set -- $(echo "${name%.h5}" | tr '_=' '  ')
+ qtrain f.h5 --$1 $2 --$3 $4 --$5 $6 --epochs 12 --no-provenance --no-controls -q -o alone.h5 && cmp alone.h5 h-heads/$name
$ cache show h.h5 | grep -c parameters
> 2

# Its figure names the epochs, which differ: it is wider than that of the whole sweep by these.
$ for f in t h; do figures $f.h5 -q -o figures-$f; grep -o 'width="[0-9]*' figures-$f/sweep.svg | head -n 1 | tr -dc '0-9\n'; done | paste -sd' ' | awk '{ print ($2 > $1 + 30 ? "wider" : $0) }'
> wider

# Epochs of the grid may be more than those outside it.
$ qsweep f.h5 --grid "epochs=1,3" --epochs 2 -o e.h5 | sed -E 's/[0-9]+\.[0-9]+/#/g' | sort; ls e-heads
> e.h5: 2 points of 1 head, # s; heads in e-heads
> epochs=1       1       70186  #          #
> epochs=3       3       70186  #          #
> point     epochs  parameters  val accuracy  val loss
> the best again, with its controls: qtrain f.h5 # -o e-best.h5
> the best of 2 is flattered by the choice: judge it with qeval on other samples
> epochs=1.h5
> epochs=3.h5

# The last line trains the best point again: the same head, but with its controls.
$ qsweep f.h5 --grid "lr=1e-3,3e-3 reduction=16|16,8" --core twin --epochs 3 --seed 3 --no-provenance -o "it's c.h5" | tail -n 1 >line
+ cat line
+ bash -c "$(sed 's/.*: //' line) --no-provenance -q"; for head in *c-heads/*; do cmp -s "$head" *c-best.h5 && echo same; done
> the best again: qtrain f.h5 # -o 'it'\''s c-best.h5'
> same
$ qsweep f.h5 --grid "lr=1e-3" --epochs 3 --noise 'bit-flip=0.01' --qubits 2 --json -o j.h5 | jq -r .best_command
> qtrain f.h5 --qubits 2 --noise bit-flip=0.01 --epochs 3 -o j-best.h5
$ $(qsweep f.h5 --grid "lr=1e-3" --epochs 1 --json -f -o j.h5 | jq -r .best_command) --json | jq .controls
> true

# A rate that is too high is a result, not an end.
$ qsweep f.h5 --grid "weight-decay=0,1000" --optimizer adamw --lr 1 --epochs 5 -o d.h5 2>err | sed -E 's/[0-9]+\.[0-9]+/#/g'
+ sed -E 's/epoch [0-9]+/epoch #/' err; ls d-heads
> point              epochs  parameters  val accuracy  val loss
> weight-decay=0          5       70186  #          #
> weight-decay=1000       0       70186  diverged
> d.h5: 2 points of 1 head, # s; heads in d-heads
> the best of 2 is flattered by the choice: judge it with qeval on other samples
> the best again, with its controls: qtrain f.h5 # -o d-best.h5
> qsweep: weight-decay=1000: replica 0, epoch #: the loss is no longer finite; try a lower --lr or --clip 1
> weight-decay=0.h5

# Where all are, there is no best.
$ qsweep f.h5 --grid "weight-decay=1000,999" --optimizer adamw --lr 1 --epochs 5 -o n.h5 2>err | tail -n 1
+ qsweep f.h5 --grid "weight-decay=1000,999" --optimizer adamw --lr 1 --epochs 5 --force --json -o n.h5 2>err | jq -c 'keys'
+ grep -c 'no longer finite' err; ls n-heads
> no point has an accuracy on validation samples
> ["cautions","key","output","points","replicas","seconds","status"]
> 2

# What is trained and what is not: the frozen circuit's weights, the places that a twin leaves empty.
$ qsweep f.h5 --grid "core=circuit,twin,frozen,none" --halving --epochs 2 -o c.h5 | awk '/^core/ { print $1, $3 }' | sort
> core=circuit 70186
> core=frozen 70174
> core=none 5130
> core=twin 70186

# Refused.
$ qsweep f.h5 -o x.h5
! qsweep: no --grid; expected 'NAME=VALUE,VALUE... NAME=...'
? 2
$ qsweep f.h5 --grid "lr=fast" -o x.h5
! qsweep: --grid: lr: found 'fast', expected a number
? 2
$ qsweep f.h5 --grid "learning_rates=1,2" -o x.h5
! qsweep: --grid: learning_rates: no such option; did you mean lr?
? 2
$ qsweep f.h5 --grid "threads=1,2" -o x.h5
! qsweep: --grid: threads does not change a result; give it outside the grid
? 2
$ qsweep f.h5 --grid "seed=1,2" -o x.h5
! qsweep: --grid: seed: points are compared by their means over seeds; give --replicas N outside the grid
? 2
$ qsweep f.h5 --grid "replica=1,2" -o x.h5
! qsweep: --grid: replica: points are compared by their means over seeds; give --replicas N outside the grid
? 2
$ qsweep f.h5 --grid "replicas=1,2" -o x.h5
! qsweep: --grid: replicas: every point has as many heads; give --replicas N outside the grid
? 2
$ qsweep f.h5 --grid "no-controls=false,true" -o x.h5
! qsweep: --grid: no-controls: heads of a sweep have no controls; repeat the best point with qtrain, which adds them
? 2
$ qsweep f.h5 --grid "lr=1" --no-controls -o x.h5
! qsweep: --no-controls: no such option; --help lists them
? 2
$ echo "no-controls: false" >c.yaml; qsweep f.h5 --grid "lr=1" --config c.yaml -o x.h5
! qsweep: c.yaml:1: no-controls: no such option
? 2
$ qsweep f.h5 --grid "val-fraction=0,0.2" -o x.h5
! qsweep: --grid: val-fraction: points are compared on the same validation samples; give it outside the grid
? 2
$ qsweep f.h5 --grid "epochs=2,4" --halving -o x.h5
! qsweep: --grid: epochs: --halving gives each point its epochs; give --epochs outside the grid
? 2
$ qsweep f.h5 --grid "momentum=0,0.9" -o x.h5
! qsweep: --grid: momentum: changes nothing without --optimizer sgd|spsa
? 2
$ qsweep f.h5 --grid "momentum=0,0.9 optimizer=adam,adamw" -o x.h5
! qsweep: --grid: momentum: changes nothing without --optimizer sgd|spsa
? 2
$ qsweep f.h5 --grid "min-lr=0,1e-4" --schedule step -o x.h5
! qsweep: --grid: min-lr: changes nothing without --schedule cosine|plateau
? 2
$ qsweep f.h5 --grid "qubits=2,4" --core none -o x.h5
! qsweep: --grid: qubits: changes nothing without --core circuit|twin|frozen
? 2
$ qsweep f.h5 --grid "dropout=0,0.1" --core none -o x.h5
! qsweep: --grid: dropout: changes nothing without --core circuit|twin|frozen
? 2
$ qsweep f.h5 --grid "qng-lambda=0.1,0.2" --optimizer qng --core twin -o x.h5
! qsweep: --grid: qng-lambda: changes nothing without --core circuit
? 2
# What it leaves to some points as it was is said, and trained.
$ qsweep f.h5 --grid "momentum=0,0.9 optimizer=sgd,adam,adamw" --epochs 1 --progress none -o ok.h5 >log && ls ok-heads | wc -l
> 6
! qsweep: --grid: momentum changes nothing of points with optimizer=adam,adamw: each is trained again for each of its values; two sweeps would save that
$ qsweep f.h5 --grid "core=none,circuit layers=1,2" --epochs 1 --progress none -o core.h5 >log && qsweep f.h5 --grid "momentum=0,0.9 optimizer=sgd,spsa" --epochs 1 --progress none -o all.h5 >log
! qsweep: --grid: layers changes nothing of points with core=none: each is trained again for each of its values; two sweeps would save that
$ qsweep f.h5 --grid "qubits=4,400" -o x.h5
! qsweep: --grid: qubits: found 400, expected a whole number from 1 to 20
? 2
$ qsweep f.h5 --grid "lr=1" -o -
! qsweep: no output; give -o SWEEP.h5, beside which the heads go
? 2
$ qsweep f.h5 --grid "lr=1" --val-fraction 0 -o x.h5
! qsweep: --val-fraction 0: points are compared on validation samples
? 2
$ qsweep f.h5 --grid "lr=1,2" --halving --shard 0/2 -o x.h5
! qsweep: --halving compares all points; it cannot be given with --shard
? 2
$ qsweep f.h5 --grid "lr=1,2" --epochs 1 -o absent/x.h5
! qsweep: absent/x.h5: its folder does not exist; make it first
? 74
$ qsweep f.h5 --grid "lr=1,2" --epochs 1 -o f.h5
! qsweep: f.h5: is an input; give another name
? 2
$ ls -d x* 2>/dev/null
? 2

# Equal values, however they are written.
$ qsweep f.h5 --grid "lr=1e-3,1.0e-3" -o x.h5; qsweep f.h5 --grid "layers=1,01" -o x.h5
! qsweep: --grid: lr: '1.0e-3' is there twice, also as 1e-3
! qsweep: --grid: layers: '01' is there twice, also as 1
? 2
