# --device: points train side by side on a GPU (tests/cuda/emulated), with the bytes that qtrain gives each there.
% need $BUILD/tests/cuda/libketline-cuda.so
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 70 -o f.h5 > log
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--epochs 2 --reduction 8 --classifier none --replicas 2 --no-provenance"
+ qsweep f.h5 --grid "lr=1e-3,3e-3 layers=1,2" $o --device cuda --threads 3 -o s.h5 | tail -1 | grep -o ' --device.*'
+ qtrain -q f.h5 $o --device cuda --no-controls --lr 3e-3 --layers 2 -o alone.h5; cmp alone.h5 s-heads/lr=3e-3_layers=2.h5; ls s-heads
+ KETLINE_EMULATED_DEVICES=2 qsweep -q f.h5 --grid "lr=1e-3,3e-3 layers=1,2" $o --device cuda:1 --threads 2 -o t.h5 > log; cmp s-heads/lr=3e-3_layers=2.h5 t-heads/lr=3e-3_layers=2.h5; rm -r t.h5 t-heads
>  --device cuda
> lr=1e-3_layers=1.h5
> lr=1e-3_layers=2.h5
> lr=3e-3_layers=1.h5
> lr=3e-3_layers=2.h5
! qsweep: only 7 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction

# What a GPU cannot do is refused before any point is trained; a lost GPU leaves what is finished.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; qsweep f.h5 --grid "shots=10,20" --epochs 1 --device cuda -o x.h5; s=$?; ls x* 2> log; (exit $s)
! qsweep: --shots: not on a GPU; give --device cpu
? 2
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--epochs 2 --reduction 8 --classifier none --replicas 2 --no-provenance"
+ KETLINE_EMULATED_FAIL=200 qsweep f.h5 --grid "lr=1e-3,2e-3,3e-3" $o --device cuda --threads 1 -o l.h5 2> err; echo $?; sed 's/: .*: CUDA/: CUDA/' err; ls l-heads
+ qsweep -q f.h5 --grid "lr=1e-3,2e-3,3e-3" $o --device cuda -o l.h5 && ls l.h5
> 75
> qsweep: only 7 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
> qsweep: CUDA says: emulated failure
> lr=1e-3.h5
> l.h5
