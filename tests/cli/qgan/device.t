# --device: what is said without a GPU; and with the kernels of a GPU on the CPU in its place (tests/cuda/emulated).
$ awk 'BEGIN { x = 5; for (d = 1; d <= 4; d++) for (r = 0; r < 40; r++) { s = ""; for (j = 0; j < 64; j++) { x = x * 16807 % 2147483647; s = s (x / 2147483647 < 0.45 + 0.05 * d) } print s, d } }' >rows.txt
$ KETLINE_CUDA=/none.so qgan rows.txt --reference -o g.h5 --device cuda
! qgan: --device cuda: /none.so: cannot open shared object file: No such file or directory; 'make cuda' builds libketline-cuda.so beside the tools, KETLINE_CUDA names another place, --device cpu needs neither
? 75
$ qgan rows.txt -o g.h5 --device gpu
! qgan: --device: found 'gpu', expected auto, cpu, cuda or cuda:0
? 2

% need $BUILD/tests/cuda/libketline-cuda.so
$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so qgan rows.txt -o g.h5 --device cuda
! qgan: generators without --reference: not on a GPU, nor need they be: one takes less than a second of a core; give --device cpu
? 2
$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so qgan rows.txt --reference -g quantum --shots 10 -o g.h5 --device cuda
! qgan: --shots: not on a GPU; with 1000, a generator takes 2 to # s of a core; give --device cpu
? 2

# The same key on either device; the record says which.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--reference -g quantum --epochs 6"
+ qgan -q rows.txt $o -o cpu.h5; qgan -q rows.txt $o --device cuda -o gpu.h5
+ [ "$(qgan rows.txt $o --device cuda --key)" = "$(qgan rows.txt $o --key)" ] && echo one key
+ h5dump -d provenance gpu.h5 | grep -o '"device":"cuda: [^"]*"'
+ for d in history angles law target discriminator scores; do h5diff -d 1e-7 cpu.h5 gpu.h5 $d || echo $d; done
> one key
> "device":"cuda: emulated"

# A GPU that is lost, at whichever call: one line, 75; then the same bytes.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; o="--reference -g quantum --repetitions 1 --epochs 6 --no-provenance -q"; qgan rows.txt $o --device cuda -o whole.h5
+ for k in $(seq 1 2 49) 60 80; do KETLINE_EMULATED_FAIL=$k qgan rows.txt $o --device cuda -o lost.h5 2>err; [ $? = 75 ] || echo "call $k: status"; [ "$(wc -l <err)" = 1 ] || cat err; done
+ KETLINE_EMULATED_FAIL=13,m qgan rows.txt $o --device cuda -o lost.h5; ls lost.h5
+ qgan rows.txt $o --device cuda -o lost.h5; cmp lost.h5 whole.h5 && echo same
> same
! qgan: GANs: the GPU's memory is full; fewer of them, or --device cpu
! ls: cannot access 'lost.h5': No such file or directory
