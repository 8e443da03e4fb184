# Shards merged are the unsharded run, byte for byte.
$ for i in 0 1 2
+ do extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --shard $i/3 -q --no-provenance -o s$i.h5
+ done
+ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -q --no-provenance -o whole.h5

$ cache merge s2.h5 s0.h5 s1.h5 --no-provenance -o merged.h5 && cmp merged.h5 whole.h5
> merged.h5: merged from 3 shards

$ cache merge s2.h5 s0.h5 s1.h5 -o merged.h5; cache merge s0.h5 s1.h5 s2.h5 -o merged.h5 --force
> merged.h5: up to date
> merged.h5: merged from 3 shards

$ cache merge s0.h5 s1.h5 s2.h5 -o merged.h5 --dry-run
! cache: --dry-run: no such option; --help lists them
? 2

$ cache merge s0.h5 s2.h5 -o merged2.h5 2>&1 | head -1
> cache: s0.h5: is one of 3 shards, 2 were given

# Its command as a shell would take it again.
$ cache merge s0.h5 s1.h5 s2.h5 -q -o 'the whole.h5'; cache log 'the whole.h5' | sed -n 2p; rm 'the whole.h5'
>   cache merge s0.h5 s1.h5 s2.h5 -o 'the whole.h5'

$ ls
> merged.h5
> s0.h5
> s1.h5
> s2.h5
> whole.h5
