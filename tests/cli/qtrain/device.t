# --device: what is said without a GPU; and with the kernels of a GPU on the CPU in its place (tests/cuda/emulated).
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 70 -o f.h5 > log
$ qtrain f.h5 -o head.h5 --device gpu
! qtrain: --device: found 'gpu', expected auto, cpu, cuda or cuda:0
? 2

$ printf 'lr: 0.1\ndevice: gpu\n' > c.yaml; qtrain -c c.yaml f.h5 -o head.h5
! qtrain: c.yaml:2: device: found 'gpu', expected auto, cpu, cuda or cuda:0
? 2

$ KETLINE_CUDA=/none.so qtrain f.h5 -o head.h5 --device cuda
! qtrain: --device cuda: /none.so: cannot open shared object file: No such file or directory; 'make cuda' builds libketline-cuda.so beside the tools, KETLINE_CUDA names another place, --device cpu needs neither
? 75

# A library that was built from other headers: its functions are not called.
$ printf 'static const unsigned table[64] = { 1 };\nconst void *kl_cuda_table(void) { return table; }\n' > old.c
+ gcc -shared -fPIC -o old.so old.c && KETLINE_CUDA=$PWD/old.so qtrain f.h5 -o head.h5 --device cuda
! qtrain: --device cuda: libketline-cuda.so is of another version of ketline; build it anew: make cuda
? 75

# The record says which kernels: every processor has those for any.
$ KETLINE_ISA=base qtrain -q f.h5 -o base.h5 --epochs 1 --no-controls && cache show base.h5 | sed -n 's/^made .* s on \(cpu: [a-z0-9]*\).*/\1/p'
> cpu: base

% need $BUILD/tests/cuda/libketline-cuda.so
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; KETLINE_EMULATED_DEVICES=0 qtrain f.h5 -o head.h5 --device cuda
! qtrain: --device cuda: no GPU was found; --device cpu needs none
? 75

$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so qtrain f.h5 -o head.h5 --device cuda:3
! qtrain: --device cuda:3: there is no such GPU; the first one is cuda:0; --device cpu needs none
? 75

$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so qtrain f.h5 -o head.h5 --device cuda --shots 100
! qtrain: --shots: not on a GPU; give --device cpu
? 2

# The same key on either device; the record says which. A run that was stopped goes on to the same bytes.
~ s/(epoch |: )[0-9]+/\1N/; s/ and [0-9]+ of [0-9]+ steps of the next//; s/[0-9]+ left/N left/
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--epochs 4 --reduction 8 --classifier none --replicas 2"
+ qtrain -q f.h5 $o --device cuda --no-provenance -o whole.h5 > log; qtrain -q f.h5 $o --device cuda -o said.h5 > log
+ [ "$(qtrain f.h5 $o --device cuda --key)" = "$(qtrain f.h5 $o --key)" ] && echo one key
+ h5dump -d provenance said.h5 | grep -o '"device":"cuda: [^"]*"'
+ for k in 120 130 140 150 160 170 180; do KETLINE_EMULATED_FAIL=$k qtrain -q f.h5 $o --device cuda --checkpoint-every 1 --no-provenance -o head.h5 2> err
+   [ $? = 75 ] || echo "call $k: status"; ls head.h5 2> log; done; sed 's/: .*: CUDA/: CUDA/' err; ls -A | grep head
+ cp .head.h5.checkpoint .cpu.h5.checkpoint; qtrain -q f.h5 $o --device cpu -o cpu.h5 && ls cpu.h5
+ qtrain f.h5 $o --device cuda --no-provenance --progress none -o head.h5 > log; cmp whole.h5 head.h5; ls -A | grep head
> one key
> "device":"cuda: emulated"
> qtrain: CUDA says: emulated failure
> .head.h5.checkpoint
> cpu.h5
> head.h5
! qtrain: only 7 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: found .head.h5.checkpoint: N of 4 epochs of the head; N left, then 3 controls

# Too little memory on the GPU: said in one line, with the same bytes; none for the heads: one line.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--epochs 2 --reduction 8 --classifier none --batch-size 8 --no-controls --progress none"
+ qtrain -q f.h5 $o --device cuda --no-provenance -o roomy.h5 > log; KETLINE_EMULATED_MEMORY=200000 qtrain f.h5 $o --device cuda --no-provenance -o small.h5 > log
+ cmp roomy.h5 small.h5; KETLINE_EMULATED_MEMORY=50000 qtrain f.h5 $o --device cuda -o none.h5
! qtrain: only 7 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: the GPU's memory is full: features are streamed; the results are the same
! qtrain: only 7 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: heads: the GPU's memory is full; fewer of them, or --device cpu
? 75

# Amplitudes, probabilities and fidelities too; a report by a GPU says what one by the CPU does.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--epochs 2 --reduction 8 --classifier none --qubits 3 --no-controls --progress none"
+ say() { qtrain -q f.h5 $o "$@" --device cuda -o some.h5 > log && for d in cuda cpu; do qeval -q some.h5 f.h5 --device $d -o by-$d.h5; done
+   h5dump -d provenance by-cuda.h5 | grep -o '"device":"cuda: [^"]*"' # of the head, and of the report
+   h5diff -d 1e-5 by-cuda.h5 by-cpu.h5 probabilities && echo the same; rm some.h5 by-cuda.h5 by-cpu.h5; }
+ say --embedding amplitude --observables probs; say --observables 'fidelity(ghz),fidelity(+01),z'
> "device":"cuda: emulated"
> "device":"cuda: emulated"
> the same
> "device":"cuda: emulated"
> "device":"cuda: emulated"
> the same

# the record says the most memory that the process, and what was taken of the card, came to
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; for d in cpu cuda; do qtrain f.h5 --no-controls --epochs 1 --device $d -f -q -o m.h5; cache log --json m.h5 | jq -c '.[-1] | [.peak_memory > 5e6, .device_peak_memory > 5e5, .device_peak_memory < 5e7]'; done
> [true,false,true]
> [true,true,true]
