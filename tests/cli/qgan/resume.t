# Stopped by a signal, the same command goes on; with a damaged checkpoint it begins anew, which is said.
# The signal comes later and later until a generator is trained.
$ awk 'BEGIN { srand(1); for (d = 1; d <= 6; d++) for (r = 0; r < 200; r++) { s = "";
+   for (j = 0; j < 40; j++) s = s (rand() < 0.4 + d / 50); print s, d } }' >bits.txt
+ qgan bits.txt --epochs 3000 -j 1 --no-provenance -q -o whole.h5

~ s/[0-9]+ of 6/N of 6/
$ for t in 0.1 0.2 0.4 0.8 1.6 3.2 6.4 12.8 25.6 51.2
+ do qgan bits.txt --epochs 3000 -j 1 --no-provenance --progress none -o g.h5 >log 2>err & sleep $t; kill -TERM $!; wait $! 2>log; echo $? >status
+ grep -q 'with [1-6]' err && break; done; cat err status; cp .g.h5.checkpoint was
> qgan: stopped with N of 6 generators trained; the same command goes on from there
> 143

# Of other options, it stays until a generator is trained, which the first takes too long for here.
$ qgan bits.txt --epochs 1000000 -j 1 --progress none -o g.h5 >log 2>told &
+ until [ -s told ]; do sleep 0.01; done; kill -TERM $!; wait $! 2>log; echo $?; cat told; cmp was .g.h5.checkpoint
> 143
> qgan: .g.h5.checkpoint is of a stopped run with other options or inputs, and is deleted after this one's first generator; to keep it, stop now and give another -o
> qgan: stopped with N of 6 generators trained; .g.h5.checkpoint stays as it was

$ cp was .g.h5.checkpoint; printf damaged | dd of=.g.h5.checkpoint bs=1 seek=3000 conv=notrunc status=none
+ qgan bits.txt --epochs 3000 -j 1 --no-provenance --progress none -o g.h5 2>said >log & until [ -s said ]; do sleep 0.01; done; kill -TERM $!; wait $! 2>log
+ sed -n '1s/dataset.* is damaged/DATASET is damaged/p' said
> qgan: .g.h5.checkpoint: DATASET is damaged: other digest than when it was published; make it again; this run begins anew

$ cp was .g.h5.checkpoint; qgan bits.txt --epochs 3000 -j 1 --no-provenance --progress none -o g.h5 >log
+ cmp whole.h5 g.h5; ls -A | grep g.h5
> g.h5
! qgan: found .g.h5.checkpoint: N of 6 generators
