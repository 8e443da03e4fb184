# Stopped by a signal: what is done is kept, and the same command goes on. The signal comes later and
# later until something is done; a pipe keeps nothing. The weights are named
# so that their size is no word among those.
~ s/[0-9]+ of 1437/N of 1437/; s/; [0-9]+ are left/; N are left/
$ in=$DATA/digits/train-images-idx3-ubyte; for t in 0.2 0.4 0.8 1.6 3.2 6.4 12.8 25.6 51.2
+ do extract-features $in --resize 128 -w $DATA/backbone/resnet18-gray28-f16.safetensors --progress none -o out.h5 >log 2>err & sleep $t; kill -TERM $!; wait $! 2>log; echo $? >status
+ grep -q 'after [1-9]' err && break; done; grep -v found err; cat status
> extract-features: stopped after N of 1437 images; what is done is kept, and the same command goes on from there
> 143

# The rate is that of the images that were left.
$ extract-features $DATA/digits/train-images-idx3-ubyte --resize 128 -w $DATA/backbone/resnet18-gray28-f16.safetensors --progress none -o out.h5 --json 2>err >line
+ left=$(sed 's/.*; \([0-9]*\) are left/\1/' err); cat err
+ jq -c --argjson left $left '[.images, (.rate * .seconds | round) == $left]' line
> extract-features: found N of 1437 images done by a run that was stopped; N are left
> [1437,true]

$ in=$DATA/digits/train-images-idx3-ubyte; for t in 0.2 0.4 0.8 1.6 3.2 6.4 12.8 25.6 51.2
+ do extract-features $in --resize 128 -w $DATA/backbone/resnet18-gray28-f16.safetensors --progress none -o - >log 2>err & sleep $t; kill -TERM $!; wait $! 2>log; echo $? >status
+ grep -q 'after [1-9]' err && break; done; cat err status
> extract-features: stopped after N of 1437 images; nothing is kept
> 143

# What a run of other options left is told of, and goes with the first images.
$ touch .o.h5.0123456789abcdef.free.00000000.ketline-partial
+ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 20 --progress none -o o.h5 | cut -d , -f 1; ls -A | grep o.h5
> o.h5: 20 x 512 float32
> o.h5
! extract-features: .o.h5.0123456789abcdef.free.00000000.ketline-partial is of a stopped run with other options or inputs, and is deleted after this one's first images; to keep it, stop now and give another -o
