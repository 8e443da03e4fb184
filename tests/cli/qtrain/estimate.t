# --dry-run says how long the run would take, by its first moments: within ten times of what it takes, and nothing is left of them.
~ /not tell all classes apart/d
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 -o f.h5 > log
+ within() { jq -es '.[0].estimated_seconds / .[1].seconds | . > 0.1 and . < 10' dry ran > log || cat dry ran; }
+ extract-features $DATA/digits/train-images-idx3-ubyte --resize 84 --limit 300 --dry-run --json -o g.h5 > dry; ls -A | tr '\n' ' '
+ extract-features $DATA/digits/train-images-idx3-ubyte -q --resize 84 --limit 300 --json -o g.h5 > ran; within
+ run() { qtrain f.h5 --epochs 60 --no-controls --json -o h.h5 "$@" 2>/dev/null; }; run --dry-run > dry; ls -A | tr '\n' ' '; run > ran; within
+ one=$(jq .estimated_seconds dry); run --replicas 16 --dry-run | jq --argjson one $one '.estimated_seconds > 2 * $one'
> dry f.h5 log dry f.h5 g.h5 log ran true

# With controls it is more; of what is there already nothing is said.
$ run() { qtrain f.h5 --epochs 60 --json "$@"; }; run --dry-run -o i.h5 > all; run --no-controls --dry-run -o i.h5 > alone
+ jq -s '.[0].estimated_seconds > 1.5 * .[1].estimated_seconds' all alone; run --no-controls --dry-run -o h.h5 | jq .estimated_seconds
> true
> null

# Where training may end sooner it is told as what it takes at most; a circuit that grows is tried with all layers.
$ run() { qtrain f.h5 --epochs 3000 --no-controls --json --dry-run -o i.h5 "$@" | jq -c '[.estimated_seconds > 1, .estimate_at_most]'; }
+ run; run --grow 1500 --layers 2; qtrain f.h5 --epochs 40 --qubits 12 --layers 40 --no-controls --json --dry-run -o i.h5 > all
+ qtrain f.h5 --epochs 40 --qubits 12 --layers 40 --grow 1 --no-controls --json --dry-run -o i.h5 > grows
+ jq -s '.[0].estimated_seconds / .[1].estimated_seconds | . > 0.25 and . < 4' all grows
> [true,false]
> [true,true]
> true

# A step that takes longer than five seconds is given up.
$ qtrain f.h5 --qubits 20 --layers 40 --ansatz strongly-entangling --batch-size 1000 --no-controls --dry-run -o i.h5 | grep -v ^key
> miss: the target does not exist
> how long it would take: a step takes longer than # s

# Where it cannot be tried the rest of the answer stands.
$ KETLINE_CUDA=/none.so qtrain f.h5 --device cuda --dry-run -o i.h5 | grep -v ^key; ls -A | grep i.h5
> miss: the target does not exist
> how long it would take: --device cuda: /none.so: cannot open shared object file: No such file or directory; 'make cuda' builds libketline-cuda.so beside the tools, KETLINE_CUDA names another place, --device cpu needs neither
? 1

# Sweeps: more points more, those that halving drops less, those that are there nothing, and no head is left of it.
$ run() { qsweep f.h5 --grid "lr=1e-3,2e-3,3e-3,4e-3,5e-3,6e-3,7e-3,8e-3,9e-3,1e-2,2e-2,3e-2" --epochs 40 --json -o s.h5 "$@"; }; run --dry-run > dry; ls -A | grep s-heads
+ run --halving --dry-run > half; run > ran; jq -es '.[0].estimated_seconds / .[1].seconds | . > 0.1 and . < 10' dry ran
+ jq -s '.[0].estimated_seconds > 1.2 * .[1].estimated_seconds' dry half
+ rm s.h5; run --dry-run > there; jq -s '.[0].estimated_seconds > 5 * .[1].estimated_seconds' dry there
> true
> true
> true

# A point that diverges takes no time.
$ qsweep f.h5 --grid "lr=1e-3,1000" --optimizer sgd --momentum 0.99 --weight-decay 10 --epochs 100 --json --dry-run -o d.h5 | jq '.estimated_seconds > 0'
> true

# Generators.
$ tournament --synthetic 6 --variant full --only-bits --json -o bits.h5 > log
+ qgan bits.h5 --reference --epochs 50 --json --dry-run -o gan.h5 > dry; ls -A | grep gan; qgan bits.h5 --reference --epochs 50 --json -o gan.h5 > ran
+ jq -es '.[0].estimated_seconds / .[1].seconds | . > 0.1 and . < 10' dry ran
> true
