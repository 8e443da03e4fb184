# Stopped by a signal, the same command goes on: the bytes of an undisturbed run.
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 600 -o f.h5 > log
$ qtrain -q f.h5 --epochs 400 --replicas 2 --no-controls --schedule cosine --no-provenance -o whole.h5 > log

~ s/(epoch |: )[0-9]+/\1N/; s/ and [0-9]+ of [0-9]+ steps of the next//; s/[0-9]+ left/N left/
$ qtrain f.h5 --epochs 400 --replicas 2 --no-controls --schedule cosine --no-provenance --progress none --checkpoint-every 1 -o head.h5 2>err &
+ until [ -e .head.h5.checkpoint ]; do sleep 0.01; done; kill -TERM $!; wait $! 2> log; echo $?; ls -A | grep head; sed 's/after/in/' err
> 143
> .head.h5.checkpoint
> qtrain: stopped in epoch N; the same command goes on from there

$ o="--replicas 2 --no-controls --schedule cosine -o head.h5 --dry-run"; said() { grep -v ^key | sed 's/at most/about/'; }; qtrain f.h5 --epochs 399 $o | said
+ qtrain f.h5 --epochs 400 $o | said; qtrain f.h5 --epochs 400 $o --json | jq -r .checkpoint
> miss: the target does not exist
> .head.h5.checkpoint is of a stopped run that this one does not go on from, and deletes
> here it would take about # s, by its first moments
> miss: the target does not exist
> .head.h5.checkpoint is of a stopped run; this one goes on from it
> here it would take about # s, by its first moments
> .head.h5.checkpoint

$ qtrain f.h5 --epochs 400 --replicas 2 --no-controls --schedule cosine --no-provenance --progress none -o head.h5 > log
+ cmp whole.h5 head.h5; ls -A | grep head
> head.h5
! qtrain: found .head.h5.checkpoint: N of 400 epochs of the head; N left

# A checkpoint of other options is not forgotten in silence: it stays until this run has ended an epoch, which the first is too
# long for here.
$ qtrain -q f.h5 --epochs 100000 --no-controls --no-provenance --checkpoint-every 1 -o g.h5 > log &
+ until [ -e .g.h5.checkpoint ]; do sleep 0.01; done; kill -TERM $!; wait $! 2> log; cp .g.h5.checkpoint was
+ qtrain f.h5 --epochs 2 --qubits 18 --layers 30 --batch-size 540 --no-controls --progress none -o g.h5 2>told >log &
+ until [ -s told ]; do sleep 0.01; done; kill -TERM $!; wait $! 2> log; cat told; cmp was .g.h5.checkpoint
> qtrain: .g.h5.checkpoint is of a stopped run with other options or inputs, and is deleted after this one's first epoch; to keep it, stop now and give another -o
> qtrain: stopped in epoch N; .g.h5.checkpoint stays as it was
$ qtrain f.h5 --epochs 2 --no-controls -o g.h5 --dry-run | grep checkpoint; qtrain f.h5 --epochs 100000 --no-controls -f -o g.h5 --dry-run | grep checkpoint
+ qtrain f.h5 --epochs 2 --no-controls --no-provenance --progress none -q -o g.h5 > log; ls -A | grep g.h5
> .g.h5.checkpoint is of a stopped run that this one does not go on from, and deletes
> .g.h5.checkpoint is of a stopped run that this one does not go on from, and deletes
> g.h5

# A run that was killed just behind its publishing leaves the checkpoint of this very key: the next
# one takes it away. One of another key stays until a run has finished.
$ qtrain -q f.h5 --epochs 100000 --checkpoint-every 1 -o c.h5 > log &
+ until [ -e .c.h5.checkpoint ]; do sleep 0.01; done; kill -TERM $!; wait $! 2> log
+ qtrain -q f.h5 --epochs 3 --no-provenance -o other.h5 > log; cp .c.h5.checkpoint .other.h5.checkpoint
+ qtrain f.h5 --epochs 3 -o other.h5; ls -A | grep other
> other.h5: up to date
> .other.h5.checkpoint
> other.h5
$ rm .other.h5.checkpoint; qtrain -q f.h5 --epochs 300 --checkpoint-every 1 --no-provenance -o own.h5 > log &
+ until [ -e .own.h5.checkpoint ]; do sleep 0.01; done; kill -STOP $!; cp .own.h5.checkpoint kept; kill -CONT $!
+ wait $!; cp kept .own.h5.checkpoint; : > ..own.h5.checkpoint.ffffffff-1-1.00000000.ketline-tmp
+ touch -d '3 days ago' ..own*tmp; qtrain f.h5 --epochs 300 -o own.h5; ls -A | grep own
> own.h5: up to date
> own.h5

# A name so long that only a shortened one fits beside it.
$ n=$(printf 'n%.0s' {1..240}).h5; qtrain -q f.h5 --epochs 100000 --checkpoint-every 1 -o $n > log &
+ until ls -A | grep -q 'nnn.*checkpoint$'; do sleep 0.01; done; kill -TERM $!
+ wait $! 2> log; ls -A | grep -c 'nnn.*checkpoint$'
> 1

# one replica alone = the same among others
$ qtrain -q f.h5 --epochs 3 --replicas 3 -o three.h5 > log
+ qtrain -q f.h5 --epochs 3 --replica 2 -o alone.h5 > log; for n in params last optimizer/v
+ do for f in three alone; do h5dump -d /$n/reduce.1.weight -s $([ $f = three ] && echo 2 ||
+ echo 0),0,0 -c 1,32,128 -w 1 $f.h5 | grep -E '^ +\([0-9]' | sed 's/.*: //' | sha256sum; done |
+ uniq | wc -l; done
> 1
> 1
> 1
