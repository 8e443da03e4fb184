# --device: what is said without a GPU; and with the kernels of a GPU on the CPU in its place (tests/cuda/emulated).
~ /^qcontrol: (system|jump|H|control|modulus|pulse|target|spread|       )  ?/d
$ KETLINE_CUDA=/none.so qcontrol optimize --device cuda -o x.h5; ls x.h5
! qcontrol: --device cuda: /none.so: cannot open shared object file: No such file or directory; 'make cuda' builds libketline-cuda.so beside the tools, KETLINE_CUDA names another place, --device cpu needs neither
! ls: cannot access 'x.h5': No such file or directory
? 2
$ KETLINE_CUDA=/none.so qcontrol optimize --device cuda -o x.h5 2>/dev/null
? 75
$ qcontrol optimize --device gpu -o x.h5
! qcontrol: --device: found 'gpu', expected auto, cpu, cuda or cuda:0
? 2

% need $BUILD/tests/cuda/libketline-cuda.so
# What is on the CPU alone.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; for o in "-m krotov" "-m newton --ensemble cvar --spread detuning=0.1 --members 2" --check-gradients; do qcontrol optimize $o --device cuda -o x.h5 2>&1 | tail -1; done; ls x.h5
> qcontrol: --method krotov: not on a GPU; give another, or --device cpu
> qcontrol: Newton's method needs Hessian products, which there are for one qubit whose jumps are Z, |0><1|, |1><0|, and a mean; use lbfgs
> qcontrol: --check-gradients: those of the CPU alone; give --device cpu
! ls: cannot access 'x.h5': No such file or directory
? 2

# The same key on either device; the record says which; the searches end alike.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--system two-qubits --segments 3 --starts 4"
+ qcontrol optimize -q $o -o cpu.h5; qcontrol optimize -q $o --device cuda -o gpu.h5
+ [ "$(qcontrol optimize $o --device cuda --key)" = "$(qcontrol optimize $o --key)" ] && echo one key
+ h5dump -d provenance gpu.h5 | grep -o '"device":"cuda: [^"]*"'
+ for d in controls starts/loss starts/stop members/loss; do h5diff -d 1e-5 cpu.h5 gpu.h5 $d || echo $d; done
+ for m in 300000 50000; do KETLINE_EMULATED_MEMORY=$m qcontrol optimize -q --system two-qubits --segments 3 --starts 4 --no-provenance --device cuda -f -o less-$m.h5; done; cmp less-300000.h5 less-50000.h5 && echo the memory changes no bit
+ o="--segments 4 --starts 4 --until 0.05 --functions fourier --count 2 -m lbfgs"; for d in cpu cuda; do qcontrol optimize $o --device $d --json -o $d.h5 2>/dev/null | jq -c '[.stop, .loss < 0.05]'; done
> one key
> "device":"cuda: emulated"
> the memory changes no bit
> ["reached the loss that was asked for",true]
> ["reached the loss that was asked for",true]

$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; qcontrol train -q --detuning-range=-0.5,0.5 --n-segments 2 --hidden-dim 8 --iterations 2 -o policy.h5; o="policy.h5 --tasks 3 --starts 1 --scales 0 --gradients 60 -q"
+ qcontrol regret $o -o cpu-regret.h5; qcontrol regret $o --device cuda -o gpu-regret.h5; h5diff -d 1e-9 cpu-regret.h5 gpu-regret.h5 losses/optimum
+ qcontrol train -q --system transmon --range detuning=-0.1:0.1 --n-segments 3 --hidden-dim 8 --iterations 2 -o t.h5; o="t.h5 --tasks 3 --starts 1 --scales 0 -q"
+ qcontrol regret $o -o cpu-t.h5 2>/dev/null; qcontrol regret $o --device cuda -o gpu-t.h5 2>/dev/null; h5diff -d 1e-5 cpu-t.h5 gpu-t.h5 losses/optimum; h5dump -d provenance gpu-regret.h5 | grep -o '"device":"cuda: [^"]*"'
> "device":"cuda: emulated"

# Policies: twenty steps with second order, of both precisions, are the CPU's; so are those of two qubits, and of any system, of a limited modulus too.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; small="--detuning-range=-0.5,0.5 --method maml --hidden-dim 8 --n-segments 3 -k 1 -b 4 -i 20 --val-interval 10 --val-tasks 4"; two="--num-qubits 2 --target-gate cz --n-controls 6 --hidden-dim 8 --n-segments 2 -k 1 -b 4 -i 2 --val-tasks 4 --precision double"
+ [ "$(qcontrol train $small --device cuda --key)" = "$(qcontrol train $small --key)" ] && echo one key
+ alike() { for d in cpu cuda; do qcontrol train -q "$@" --device $d -o $d-policy.h5; done; for d in history params last optimizer/m; do h5diff -d $bound cpu-policy.h5 cuda-policy.h5 $d >/dev/null || echo $d; done; }
+ bound=1e-11; alike $small --precision double; alike $two; any="--model pair.yaml --range J=1:1.5MHz --hidden-dim 8 -S 3 -k 1 -b 20 -i 2 --val-tasks 4 --precision double"
+ sed 's/^controls:.*/controls:/; s/, limit: 100 MHz//; s/^targets:/modulus:\n  - {of: x + i y, limit: 80 MHz}\ntargets:/' $ROOT/examples/control/transmon.yaml >disc.yaml; cp $ROOT/examples/control/pair.yaml .
+ alike $any; alike $any --ensemble worst; alike --model disc.yaml --range detuning=-0.1:0.1 --hidden-dim 8 -S 3 -k 2 -b 20 -i 4 --val-tasks 4 --precision double; bound=1e-4; alike $small; h5dump -d provenance cuda-policy.h5 | grep -o '"device":"cuda: [^"]*"'
> one key
> "device":"cuda: emulated"

# A signal stops it between two steps; the same command goes on to the same bytes, whatever the threads.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; train() { qcontrol train --device cuda -k 1 -b 40 --hidden-dim 8 --n-segments 2 -i 16 --val-interval 2 --val-tasks 4 --no-provenance --progress none "$@"; }
+ train -o all.h5 >/dev/null 2>&1; train --checkpoint-every 1 -j 2 -o part.h5 >/dev/null 2>&1 & pid=$!
+ until [ -e .part.h5.checkpoint ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
+ pkill -TERM -P $pid; wait $pid; echo $?
+ train -j 2 -o part.h5 2>&1 | grep -c 'found .*checkpoint'; cmp all.h5 part.h5 && echo same
> 143
> 1
> same

$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="-k 1 -b 4 --hidden-dim 4 --n-segments 1 -i 2 --val-interval 1 --val-tasks 4 -j 1 --no-provenance -q"; qcontrol train $o --device cuda -o kept.h5
+ for k in $(seq 1 7 300); do KETLINE_EMULATED_FAIL=$k qcontrol train $o --device cuda -o gone.h5 2>err && { [ $k -gt 90 ] || echo "call $k passed"; break; }; [ $? = 75 ] || echo "call $k: status"; [ "$(wc -l <err)" = 1 ] || cat err; done
+ qcontrol train $o --device cuda -o gone.h5; cmp gone.h5 kept.h5 && echo same
> same

# A race of the starts: the same ones go on.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="-m lbfgs -S 4 -s 3 --finalists 1 -i 24 --limit 10"
+ for d in cpu cuda; do qcontrol optimize -q $o --device $d -o $d.h5; h5dump -d starts/stop $d.h5 | grep '(0)'; done; h5diff -d 1e-5 cpu.h5 cuda.h5 starts/loss
>    (0): 7, 7, 5
>    (0): 7, 7, 5

# A GPU that is lost, at whichever call: one line, 75; then the same bytes.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="-m lbfgs --segments 2 --iterations 2 --starts 2 --no-provenance -q"; qcontrol optimize $o --device cuda -o whole.h5
+ for k in $(seq 1 3 100); do KETLINE_EMULATED_FAIL=$k qcontrol optimize $o --device cuda -o lost.h5 2>err && { [ $k -gt 60 ] || echo "call $k passed"; break; }; [ $? = 75 ] || echo "call $k: status"; [ "$(wc -l <err)" = 1 ] || cat err; done
+ rm lost.h5; KETLINE_EMULATED_FAIL=40,m qcontrol optimize $o --device cuda -o lost.h5; ls lost.h5
+ qcontrol optimize $o --device cuda -o lost.h5; cmp lost.h5 whole.h5 && echo same
> same
! qcontrol: pulses: the GPU's memory is full; fewer of them, or --device cpu
! ls: cannot access 'lost.h5': No such file or directory
