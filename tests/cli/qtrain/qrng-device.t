# --qrng --device: what is said without a GPU; and with the kernels of a GPU on the CPU in its place (tests/cuda/emulated).
$ awk 'BEGIN { x = 7; for (r = 0; r < 60; r++) { s = ""; for (j = 0; j < 10; j++) { x = x * 16807 % 2147483647; s = s (x / 2147483647 < (r % 2 ? 0.7 : 0.4)) } print s, 1 + r % 2 } }' >rows.txt
$ KETLINE_CUDA=/none.so qtrain --qrng rows.txt -o c.h5 --device cuda
! qtrain: --device cuda: /none.so: cannot open shared object file: No such file or directory; 'make cuda' builds libketline-cuda.so beside the tools, KETLINE_CUDA names another place, --device cpu needs neither
? 75
$ qtrain --qrng rows.txt -o c.h5 --device gpu
! qtrain: --device: found 'gpu', expected auto, cpu, cuda or cuda:0
? 2

% need $BUILD/tests/cuda/libketline-cuda.so
$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so qtrain --qrng rows.txt --model pairs -o c.h5 --device cuda
! qtrain: --model pairs: not on a GPU; give --device cpu
? 2
$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so qtrain --qrng rows.txt --hidden 4096,100 -o c.h5 --device cuda
! qtrain: the network takes 2105596 bytes, a block of this GPU has 232448; give --device cpu
? 2

# The same key on either device; the record says which; all that the runs share with those of the CPU is equal, byte for byte.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--epochs 3 --seeds 5 --null 2 --hidden 6"
+ qtrain -q --qrng rows.txt $o -o cpu.h5; qtrain -q --qrng rows.txt $o --device cuda -o gpu.h5
+ [ "$(qtrain --qrng rows.txt $o --device cuda --key)" = "$(qtrain --qrng rows.txt $o --key)" ] && echo one key
+ h5dump -d provenance gpu.h5 | grep -o '"device":"cuda: [^"]*"'
+ for d in splits epochs history/learning_rate rules/pairs; do h5diff cpu.h5 gpu.h5 $d || echo $d; done; h5diff -d 1e-5 cpu.h5 gpu.h5 network/0.weight
+ qeval -q --qrng gpu.h5 rows.txt -o report.h5 && echo judged
> one key
> "device":"cuda: emulated"
> judged

# A GPU that is lost, at any call: one line, 75; what was finished stays, and the same command goes on to the same bytes.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--epochs 3 --seeds 5 --hidden 6 --no-provenance -q"; qtrain --qrng rows.txt $o --device cuda -o whole.h5
+ for k in $(seq 1 47) 60 70 80; do KETLINE_EMULATED_FAIL=$k qtrain --qrng rows.txt $o --device cuda -o lost.h5 2>err; [ $? = 75 ] || echo "call $k: status"; [ "$(wc -l <err)" = 1 ] || cat err; done
+ KETLINE_EMULATED_FAIL=13,m qtrain --qrng rows.txt $o --device cuda -o lost.h5; ls lost.h5
+ qtrain --qrng rows.txt $o --device cuda -o lost.h5; cmp lost.h5 whole.h5 && echo same
> same
! qtrain: rows and networks: the GPU's memory is full; fewer of them, or --device cpu
! ls: cannot access 'lost.h5': No such file or directory
