# --device of qseq train, sweep and bench: what is said without a GPU; and with the kernels of a GPU on the CPU in its place (tests/cuda/emulated).
$ qseq generate people -q --people 5 --channels 8 --trials 4 -o people && qseq windows -q people/*R04.edf --rate 10 -o w.h5
$ KETLINE_CUDA=/none.so qseq train w.h5 -o m.h5 --device cuda
! qseq: --device cuda: /none.so: cannot open shared object file: No such file or directory; 'make cuda' builds libketline-cuda.so beside the tools, KETLINE_CUDA names another place, --device cpu needs neither
? 75
$ qseq train w.h5 -o m.h5 --device gpu
! qseq: --device: found 'gpu', expected auto, cpu, cuda or cuda:0
? 2

% need $BUILD/tests/cuda/libketline-cuda.so
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; for m in eegnet means; do qseq train w.h5 -m $m -o m.h5 --device cuda; done; qseq train w.h5 --bare -o m.h5 --device cuda; qseq sweep w.h5 -g model=hydra,means -o s.h5 --device cuda
! qseq: --model eegnet: not on a GPU; give --device cpu
! qseq: --model means: not on a GPU; give --device cpu
! qseq: --bare: not on a GPU; give --device cpu
! qseq: --model means: not on a GPU; give --device cpu
? 2
$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so qseq train -q w.h5 --qubits 2 --epochs 1 --no-provenance -o m.h5 --device auto
$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so KETLINE_EMULATED_SHARED=20000 qseq train -q w.h5 --qubits 10 --epochs 1 -o x.h5 --device cuda
! qseq: circuits of 10 qubits on 8 channels do not fit a block of this GPU, of 20000 bytes; give --device cpu
? 2

# The same key on either device; the record says which; numbers to rounding.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; small() { qseq train -q w.h5 --qubits 2 --layers 1 --epochs 3 --batch-size 6 --no-provenance "$@"; }
+ for m in hydra hydra-hybrid mamba mamba-hybrid mamba-lite mamba-hybrid-lite twin; do small -m $m --replicas 2 -o cpu.h5; small -m $m --replicas 2 --device cuda -o $m.h5
+   for d in history params; do h5diff -d 1e-5 cpu.h5 $m.h5 $d || echo $m $d; done; done
+ [ "$(small --device cuda --key)" = "$(small --key)" ] && echo one key
+ qseq train -q w.h5 --qubits 2 --layers 1 --epochs 1 --device cuda -o said.h5; h5dump -d provenance said.h5 | grep -o '"device":"cuda: [^"]*"'
> one key
> "device":"cuda: emulated"

# Of the classical nets the GPU has all but the head. Neither threads nor replicas nor how many windows its memory has room for change a bit.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; small() { qseq train -q w.h5 --width 8 --state 3 --epochs 2 --batch-size 6 --no-provenance "$@"; }
+ for m in classical-mamba classical-hydra; do small -m $m --replicas 2 -o cpu.h5; small -m $m --replicas 2 --device cuda -o $m.h5
+   for d in history params; do h5diff -d 1e-5 cpu.h5 $m.h5 $d || echo $m $d; done; [ "$(small -m $m --device cuda --key)" = "$(small -m $m --key)" ] || echo another key
+   small -m $m --replicas 2 --threads 1 --device cuda -o one.h5; cmp one.h5 $m.h5 && echo same
+   KETLINE_EMULATED_MEMORY=560000 qseq train w.h5 -m $m --width 8 --state 3 --epochs 2 --batch-size 6 --no-provenance --replicas 2 --device cuda -o few.h5 2>&1 | grep -o 'the GPU.*'; cmp few.h5 $m.h5 && echo same
+   KETLINE_EMULATED_MEMORY=50000 small -m $m --device cuda -o none.h5; KETLINE_EMULATED_FAIL=250 small -m $m --replicas 2 --checkpoint-every 1 --device cuda -o lost.h5; ls -A | grep lost; small -m $m --replicas 2 --device cuda -o lost.h5; cmp lost.h5 $m.h5 && echo same; rm lost.h5; done
+ qseq sweep -q w.h5 -g "model=classical-mamba,classical-hydra" --width 8 --state 3 --epochs 2 --batch-size 6 --no-provenance --device cuda -o nets.h5; for m in classical-mamba classical-hydra; do small -m $m --device cuda -o single.h5 -f; cmp single.h5 nets-sequence-models/model=$m.h5 && echo as alone; done
+ qseq bench w.h5 -g model=classical-mamba,classical-hydra -b 3 --seconds 0.01 --progress none --device cuda --json | jq -c '(.rows[] | [.model, .device, .seconds > 0]), .cautions'
> same
> the GPU's memory has no room for 6 windows of a step at once: 3 at a time; the results are the same
> same
> .lost.h5.checkpoint
> same
> same
> the GPU's memory has no room for 6 windows of a step at once: 3 at a time; the results are the same
> same
> .lost.h5.checkpoint
> same
> as alone
> as alone
> ["classical-mamba","cuda: emulated",true]
> ["classical-hydra","cuda: emulated",true]
> ["the GPU is emulated by this CPU: its times say nothing of a card"]
! qseq: windows: the GPU's memory is full; fewer of them, or --device cpu
! qseq: from the GPU: CUDA says: emulated failure
! qseq: windows: the GPU's memory is full; fewer of them, or --device cpu
! qseq: windows' scans: CUDA says: emulated failure
! qseq: the GPU is emulated by this CPU: its times say nothing of a card

# Neither threads nor replicas beside nor the points of a sweep change a bit.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; small() { qseq train -q w.h5 --qubits 2 --layers 1 --epochs 3 --batch-size 6 --no-provenance --device cuda "$@"; }
+ small --replicas 2 --threads 1 -o one.h5; cmp one.h5 hydra.h5 && echo same
+ small --replicas 2 -o one.h5 --history - -f | jq -c 'select(.replica == 1) | del(.replica)' >a; small --replica 1 -o second.h5 --history - | jq -c 'del(.replica)' >b; wc -l <a; cmp a b && echo alone
+ qseq sweep -q w.h5 -g "lr=1e-3,1e-2 model=hydra,hydra-hybrid" --qubits 2 --layers 1 --epochs 3 --batch-size 6 --no-provenance --device cuda -o s.h5; small --lr 1e-2 -o alone.h5; cmp alone.h5 s-sequence-models/lr=1e-2_model=hydra.h5; ls s-sequence-models
> same
> 3
> alone
> lr=1e-2_model=hydra-hybrid.h5
> lr=1e-2_model=hydra.h5
> lr=1e-3_model=hydra-hybrid.h5
> lr=1e-3_model=hydra.h5

# A GPU with less memory: fewer replicas at a time, one line, the same bytes.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="w.h5 --qubits 2 --layers 1 --epochs 2 --batch-size 6 --replicas 5 --no-provenance --device cuda -f"; qseq train -q $o -o all.h5
+ for m in 48000 40000 28000; do KETLINE_EMULATED_MEMORY=$m qseq train $o -o less.h5 | grep -c replicas; cmp all.h5 less.h5 && echo same; done
> 1
> same
> 1
> same
> 1
> same
! qseq: the GPU's memory has no room for 5 replicas at once: 3 at a time; the results are the same
! qseq: the GPU's memory has no room for 5 replicas at once: 2 at a time; the results are the same

# A GPU that is lost, at whichever call: one line, 75; the checkpoint stays, and leads to the same bytes.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; small() { qseq train -q w.h5 --qubits 2 --layers 1 --epochs 3 --batch-size 6 --replicas 2 --no-provenance --device cuda "$@"; }
+ for k in $(seq 1 3 60); do KETLINE_EMULATED_FAIL=$k small -o lost.h5 2>err; [ $? = 75 ] || echo "call $k: status"; [ "$(wc -l <err)" = 1 ] || cat err; done; ls lost.h5
+ KETLINE_EMULATED_MEMORY=20000 small -o lost.h5
+ KETLINE_EMULATED_FAIL=90 small --checkpoint-every 1 -o lost.h5; ls -A | grep lost; small -o lost.h5; cmp lost.h5 hydra.h5 && echo same
> .lost.h5.checkpoint
> same
! ls: cannot access 'lost.h5': No such file or directory
! qseq: windows: the GPU's memory is full; fewer of them, or --device cpu
! qseq: windows' circuits: CUDA says: emulated failure

# A table of steps there: a row names the GPU and has one thread; figures draw it beside the CPU's.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; table() { qseq bench w.h5 -g "model=hydra,twin batch-size=3,6" --qubits 2 --layers 1 --seconds 0.01 -j 2 "$@"; }
+ table --device cuda --json -o g.h5 | jq -c '.rows[] | [.model, .batch, .threads, .device, .speed_up, .seconds > 0]'; h5dump -d device g.h5 | grep -c "cuda: emulated"; h5dump -d provenance g.h5 | grep -o '"device":"cuda: [^"]*"'
+ table -o c.h5 --device cpu | sed -n '1s/.*, //p' | sed 's/: .*;/: its kernels;/'; h5dump -d device c.h5 | grep -o '"cpu: ' | wc -l
+ qseq bench w.h5 -m mamba --qubits 2 -b 2 --seconds 0.01 --device cuda | sed -n '1s/.*, //p'
+ qseq bench w.h5 -g batch-size=4,8 --qubits 2 --layers 1 --seconds 0.01 --device cuda --forecast 2 -q -o ranks.h5; h5dump -d forecast/batch ranks.h5 | grep '(0)'
+ figures g.h5 c.h5 --figure scaling -f -o s.svg; figures g.h5 --figure scaling -o alone.svg
> ["hydra",3,1,"cuda: emulated",1,true]
> ["hydra",6,1,"cuda: emulated",1,true]
> ["twin",3,1,"cuda: emulated",1,true]
> ["twin",6,1,"cuda: emulated",1,true]
> 4
> "device":"cuda: emulated"
> cpu: its kernels; a step:
> 8
> cuda: emulated; a step:
>    (0): 8
> s.svg: 1 figure in 1 file, 1 written
! qseq: the GPU is emulated by this CPU: its times say nothing of a card
! qseq: the GPU is emulated by this CPU: its times say nothing of a card
! figures: g.h5: of a GPU, and no table of one thread of the same nets and batches beside it; give that of qseq bench --device cpu too
? 65
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; qseq bench w.h5 -b 4 -g model=hydra,means --seconds 600 --device cuda; KETLINE_EMULATED_SHARED=20000 qseq bench w.h5 -b 4 -g qubits=2,10 --seconds 600 --device cuda
! qseq: --model means: not on a GPU; give --device cpu
! qseq: circuits of 10 qubits on 8 channels do not fit a block of this GPU, of 20000 bytes; give --device cpu
? 2
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; for k in $(seq 1 4 60); do KETLINE_EMULATED_FAIL=$k qseq bench w.h5 --qubits 2 --layers 1 -b 2 --seconds 0.01 -q -o none.h5 --device cuda 2>err; [ $? = 75 ] || echo "call $k: status"; [ "$(wc -l <err)" = 1 ] || cat err; done; ls none.h5
! ls: cannot access 'none.h5': No such file or directory
? 2
