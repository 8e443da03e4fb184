# Stopped by a signal: finished heads and checkpoints of the others are kept, the same command goes on,
# and the bytes are those of an undisturbed sweep.
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -q -o f.h5
$ echo 'exec qsweep f.h5 --grid "epochs=20,1200,3" --no-provenance --threads 1 --progress none "$@"' >sweep
+ bash sweep -q -o whole.h5

# Once the first point is finished, the second has the processor for as long as all before it had: that is some epochs of many.
$ cat >stop <<'END'
+ ticks() { cut -d ' ' -f 14 /proc/$1/stat; }
+ until [ -e $2/epochs=20.h5 ]; do sleep 0.01; done
+ enough=$((2 * $(ticks $1) + 2))
+ while kill -0 $1 && [ $(ticks $1) -lt $enough ]; do sleep 0.01; done
+ kill -INT $1
+ END
$ bash sweep -o s.h5 2>err & bash stop $! s-heads
+ wait $! 2>log; echo $?; cat err; ls -A s-heads; ls s.h5 2>log
> 130
> qsweep: stopped with 1 of 3 points finished and 1 half-way, all kept in s-heads; the same command goes on from there
> .epochs=1200.h5.checkpoint
> epochs=20.h5
? 2
$ sleep 0.1; touch then; bash sweep -o s.h5 | tail -n 2
+ find s-heads -newer then -name '*.h5' | sort; ls -A s-heads; cmp s.h5 whole.h5
+ for head in whole-heads/*; do cmp "$head" "s-heads/${head#whole-heads/}"; done
> the best of 3 is flattered by the choice: judge it with qeval on other samples
> the best again, with its controls: qtrain f.h5 --epochs 1200 -o s-best.h5
> s-heads/epochs=1200.h5
> s-heads/epochs=3.h5
> epochs=1200.h5
> epochs=20.h5
> epochs=3.h5

# Halving has to begin anew, and leaves nothing in the middle.
$ qsweep f.h5 --grid "lr=1e-3,2e-3,3e-3" --epochs 100000 --halving -o h.h5 2>err & until [ -d h-heads ]; do sleep 0.01; done; sleep 0.2
+ kill -TERM $!; wait $! 2>log; echo $?; cat err; ls -A h-heads
> 143
> qsweep: stopped; points of --halving are trained side by side, so the same command begins anew

# A checkpoint of other options, or a damaged one, is not taken up.
$ bash sweep -q -o d.h5 2>err & bash stop $! d-heads
+ wait $! 2>log; echo $?
+ printf damaged! | dd of=d-heads/.epochs=1200.h5.checkpoint bs=1 seek=100000 conv=notrunc status=none
+ bash sweep -q -o d.h5; cmp d.h5 whole.h5; ls -A d-heads
> 130
> epochs=1200.h5
> epochs=20.h5
> epochs=3.h5
