# Images that change while they are read: what comes out is not what the key says, so nothing is kept, neither at the end nor of a run that is stopped.
$ mkdir -p set/a; for i in $(seq 60); do cp $CORPUS/jpeg/grey set/a/$i.jpg; done; cp $CORPUS/jpeg/progressive-grey other.jpg; cp other.jpg set/a/0.jpg
+ cat > begin <<'END'
+ extract-features set --resize 224 -q -j 1 -o f.h5 "$@" & until ls -A | grep -q partial; do sleep 0.02; done
+ END
+ . ./begin; cp other.jpg set/a/9.jpg; wait $!; echo $?; ls -A
> 65
> begin
> other.jpg
> set
! extract-features: set: changed while it was read; nothing is kept, run this again
$ . ./begin; cp $CORPUS/jpeg/grey set/a/9.jpg; sleep 0.3; kill -INT $!; wait $!; echo $?; ls -A
> 130
> begin
> other.jpg
> set

# Weights as well.
$ cp $DATA/backbone/resnet18-gray28-f16.safetensors w.safetensors; . ./begin -w w.safetensors; printf x >> w.safetensors; wait $!; echo $?; ls -A
> 65
> begin
> other.jpg
> set
> w.safetensors
! extract-features: set: changed while it was read; nothing is kept, run this again

# Bits of devices: a file that grows while it is read.
$ head -c 30000000 /dev/zero > bits.bin; extract-features --qrng bits.bin --packed --bits 100 -q -o b.h5 & sleep 1.5; printf x >> bits.bin; wait $!; echo $?; ls -A | grep h5
> 65
! extract-features: bits.bin: changed while it was read; nothing is kept, run this again
? 1
