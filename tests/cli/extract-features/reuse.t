# Images that were there before are known by their pixels: new ones alone are computed, and the bytes are those of a whole extraction.
$ I=$DATA/digits/train-images-idx3-ubyte; idx() { printf "\\0\\0\\10\\3\\0\\0\\0\\$(printf %o $2)\\0\\0\\0\\10\\0\\0\\0\\10"
+ tail -c +$((17 + 64 * $1)) $I | head -c $((64 * $2)); }
+ idx 0 70 >a.idx; idx 90 10 >b.idx; echo 'extract-features --labels none --resize 28 --no-provenance "$@"' >e; chmod +x e

$ ./e a.idx -o f.h5; ./e b.idx a.idx -o f.h5; ./e b.idx a.idx -q -o whole.h5; cmp f.h5 whole.h5 && ./e a.idx b.idx -o f.h5
> f.h5: 70 x 512 float32, # s (# images/s)
> f.h5: 80 x 512 float32, # s (# images/s)
> f.h5: 80 x 512 float32, # s (# images/s)
! extract-features: 70 of 80 images as before, from f.h5 (key HEX12)
! extract-features: 80 of 80 images as before, from f.h5 (key HEX12)
$ ./e b.idx a.idx --force -o f.h5; cmp f.h5 whole.h5
> f.h5: 80 x 512 float32, # s (# images/s)

# float16, a part of the images; bytes again.
$ ./e a.idx --dtype f16 -q -o half.h5; ./e b.idx a.idx --dtype f16 --limit 50 -o half.h5; ./e b.idx a.idx --dtype f16 --limit 50 -q -o whole.h5; cmp half.h5 whole.h5
> half.h5: 50 x 512 float16, # s (# images/s)
! extract-features: 40 of 50 images as before, from half.h5 (key HEX12)

# Of another layer, other preprocessing or other storage nothing is taken, nor of rows that are damaged or a file without digests.
$ for o in '--tap layer4' '--mean 0,0,0' '--dtype f16' '--resize 27'; do cp f.h5 g.h5; ./e a.idx -o g.h5 $o 2>&1 | grep -c before; done
> 0
> 0
> 0
> 0
? 1
$ cp f.h5 g.h5; chmod u+w g.h5; printf X | dd of=g.h5 bs=1 seek=30000 conv=notrunc status=none; ./e a.idx -o g.h5; ./e a.idx -q -o whole.h5; cmp g.h5 whole.h5
> g.h5: 70 x 512 float32, # s (# images/s)
$ extract-features --labels none --resize 28 a.idx b.idx --shard 1/2 -q -o s1.h5 --no-provenance; ./e a.idx b.idx --shard 0/2 -q -o s0.h5; cache merge s0.h5 s1.h5 -o m.h5 --no-provenance >/dev/null; cmp m.h5 <(./e a.idx b.idx -o -) && echo merged
> merged
! -: 80 x 512 float32, # s (# images/s)
$ cp $ROOT/tests/written/features.h5 old.h5; extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 61 -o old.h5
> old.h5: 61 x 512 float32, # s (# images/s)
