# Shards merged are the bytes of the whole, also from gzip, which each shard reads from its start.
% need cache
$ gzip -c $DATA/digits/test-images-idx3-ubyte > test-images-idx3-ubyte.gz
+ cp $DATA/digits/test-labels-idx1-ubyte .

$ for i in 0 1 2 3
+ do extract-features test-images-idx3-ubyte.gz --resize 28 --shard $i/4 --no-provenance -o part$i.h5
+ done
> part0.h5: 128 x 512 float32, # s (# images/s)
> part1.h5: 128 x 512 float32, # s (# images/s)
> part2.h5: 64 x 512 float32, # s (# images/s)
> part3.h5: 40 x 512 float32, # s (# images/s)

$ SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=4 extract-features test-images-idx3-ubyte.gz --resize 28 --shard auto --no-provenance -o part2.h5
> part2.h5: up to date

$ cache merge part3.h5 part1.h5 part0.h5 part2.h5 --no-provenance -o merged.h5 > log
+ extract-features test-images-idx3-ubyte.gz --resize 28 --no-provenance -q -o whole.h5
+ cmp merged.h5 whole.h5
