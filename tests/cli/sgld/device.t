# sample --device: what is said without a GPU; and with the kernels of a GPU on the CPU in its place (tests/cuda/emulated).
$ KETLINE_CUDA=/none.so sgld sample --test-mode -o c.h5 --device cuda
! sgld: --device cuda: /none.so: cannot open shared object file: No such file or directory; 'make cuda' builds libketline-cuda.so beside the tools, KETLINE_CUDA names another place, --device cpu needs neither
? 75
$ sgld sample --test-mode -o c.h5 --device gpu
! sgld: --device: found 'gpu', expected auto, cpu, cuda or cuda:0
? 2

% need $BUILD/tests/cuda/libketline-cuda.so
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; for o in "--sampler sgld --control-variate" "-b 9 --sampler sgld --batches independent" --work "--sampler sgld --prior flat --width 513"; do sgld sample --test-mode -o c.h5 --device cuda $o; echo $?; done; ls c.h5
> 2
> 2
> 2
> 2
! sgld: --control-variate: not on a GPU; give --device cpu
! sgld: --batches independent: not on a GPU; give --device cpu
! sgld: --work: not on a GPU; give --device cpu
! sgld: net 'fcn1:513': fused steps on a GPU are of 512 hidden units at most; give --device cpu
! ls: cannot access 'c.h5': No such file or directory
? 2

# auto stays with the CPU, and says so where a GPU may be.
$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so sgld sample --test-mode -B 0,1 --warmup 0 --no-tune -e 2 -o auto.h5
> auto.h5: fcn1 on synth, 2 chains of 193 parameters; mean training loss 0.8133 +- 0.1 at beta 0, 0.7234 +- none at beta 1; # s
! sgld: --device auto: the CPU; this has not been measured on a GPU (docs/cuda.md)
! sgld: no proposal was accepted at beta 1, in 2 of 2 chains: they never moved; take a smaller step, or a warm-up in which it is tuned
! sgld: nothing is known of beta 0: fewer than four draws, or one that is no number

# One key; the record says which device; the same laws of short chains to the last digits, half a step's too, and their companion's to the bit.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="-q --test-mode -B 0,1,30 --warmup 6 -e 16 --keep 4 --sampler sgld -b 9 --half-step --companion"
+ sgld sample $o -o cpu.h5; sgld sample $o --device cuda -o gpu.h5
+ [ "$(sgld sample $o --device cuda --key)" = "$(sgld sample $o --key)" ] && echo one key
+ h5dump -d provenance gpu.h5 | grep -o '"device":"cuda: [^"]*"'
+ for d in posterior/train_loss posterior/norm sample_stats/test_loss sample_stats/virial state/w kept/weights half_step/w; do h5diff -q -d 1e-5 cpu.h5 gpu.h5 $d || echo $d; done; h5diff -q cpu.h5 gpu.h5 companion/w
> one key
> "device":"cuda: emulated"

# More epochs, chains and temperatures on what either device has left; a checkpoint at each turn, and on from one.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="-q --test-mode --warmup 6 --no-tune --keep 3 --no-provenance -B"; l="0,1,30 -e 24 -C 3"
+ for d in cpu cuda; do sgld sample $o 0,30 -e 12 -C 2 --device $d -o short-$d.h5; done; sgld sample $o $l -o whole-cpu.h5; sgld sample $o $l --device cuda -o whole.h5
+ sgld sample $o $l --extend short-cuda.h5 --device cuda -o longer.h5; cmp whole.h5 longer.h5 && echo same
+ sgld sample $o $l --extend short-cpu.h5 --device cuda -o a.h5; sgld sample $o $l --extend short-cuda.h5 -o b.h5; for f in a b; do for d in posterior/train_loss state/w; do h5diff -q -d 1e-4 whole-cpu.h5 $f.h5 $d || echo $f $d; done; done
+ sgld sample $o $l --device cuda --checkpoint-every 1 -o often.h5; cmp whole.h5 often.h5 && echo same
+ KETLINE_EMULATED_FAIL=60 sgld sample $o $l --device cuda --checkpoint-every 1 -o again.h5; echo $?; ls -A | grep checkpoint; sgld sample $o $l --device cuda -o again.h5; cmp whole.h5 again.h5 && echo same
> same
> same
> 75
> .again.h5.checkpoint
> same
! sgld: sampling: CUDA says: emulated failure

# A GPU that is lost, at any call: one line, 75; then the same bytes. Networks of one hidden layer, and others.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="-q --test-mode -B 0,3 --warmup 3 --anneal 1 -e 4 --sampler sghmc --no-provenance --device cuda"; sgld sample $o -o all.h5
+ l="-q --test-mode -B 0,3 --warmup 1 --anneal 1 -e 1 --train-size 9 --test-size 9 -b 5 --sampler sgld --model linear --loss bce --no-provenance --device cuda"; sgld sample $l -o layers.h5
+ for k in $(seq 1 45); do KETLINE_EMULATED_FAIL=$k sgld sample $o -o lost.h5 2>err; [ $? = 75 ] || echo "call $k: status"; [ "$(wc -l <err)" = 1 ] || cat err; done
+ for k in $(seq 1 2 70); do KETLINE_EMULATED_FAIL=$k sgld sample $l -o lost.h5 2>err; [ $? = 75 ] || echo "call $k: status"; [ "$(wc -l <err)" = 1 ] || cat err; done
+ KETLINE_EMULATED_MEMORY=90000 sgld sample $o -o lost.h5; ls lost.h5
+ sgld sample $o -o lost.h5; cmp lost.h5 all.h5 && echo same; sgld sample $l -f -o lost.h5; cmp lost.h5 layers.h5 && echo same
> same
> same
! sgld: chains: the GPU's memory is full; fewer of them, or --device cpu
! ls: cannot access 'lost.h5': No such file or directory

# Chains of a head: the same losses and weights on either device, one key, the record; a run goes on; a GPU that is lost is one line, 75.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; extract-features $DATA/digits/train-images-idx3-ubyte -q --resize 28 --limit 30 -o f.h5; qtrain f.h5 -q --epochs 2 --reduction 16 --no-controls -o head.h5 2>log; o="head f.h5 --head head.h5 --rungs 2 --warmup 0 --keep 2 --chains 1 --leapfrogs 2 -q --no-provenance"
+ for p in all tail; do for d in cpu cuda; do sgld $o --parameters $p --draws 4 --device $d -o $d-$p.h5 2>log || cat log; done; for d in posterior/train_loss sample_stats/test_loss state/w; do h5diff -q -d 1e-4 cpu-$p.h5 cuda-$p.h5 $d || echo $p $d; done; done
+ [ "$(sgld $o --draws 4 --device cuda --key)" = "$(sgld $o --draws 4 --key)" ] && echo one key; sgld ${o% --no*} --parameters head --draws 4 --device cuda -o with.h5 2>log; h5dump -d provenance with.h5 | grep -o '"device":"cuda: [^"]*"'
+ sgld $o --parameters tail --draws 6 --device cuda -o whole.h5 2>log; sgld $o --parameters tail --draws 6 --device cuda --extend cuda-tail.h5 -o longer.h5 2>log; cmp whole.h5 longer.h5 && echo same
+ for k in 1 9 30 60 120; do KETLINE_EMULATED_FAIL=$k sgld $o --parameters head --draws 4 -j 1 --device cuda -o gone.h5 2>err && echo "call $k passed"; [ $? = 75 ] || echo "call $k: status"; [ "$(grep -vc 'drawn\|kept' err)" = 1 ] || cat err; done; ls gone.h5
> one key
> "device":"cuda: emulated"
> same
! ls: cannot access 'gone.h5': No such file or directory
? 2
