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

# What auto found is said; a task that is run again alone says which part it is by auto/N.
$ SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_COUNT=4 extract-features test-images-idx3-ubyte.gz --resize 28 --no-provenance --shard auto -o part2.h5
> part2.h5: up to date
! extract-features: part 2 of 4, by Slurm's array 1-4: if it is a rerun of a larger array, give --shard auto/N (a task of 0 to N-1) or I/N
$ SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=1 extract-features test-images-idx3-ubyte.gz --resize 28 --no-provenance --shard auto -o none.h5
! extract-features: --shard auto: Slurm's array is task 2 of 2 to 2, 1 in all: of how many parts, it does not say; give --shard auto/N for a task of 0 to N-1, else --shard I/N
? 2
$ SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=1 extract-features test-images-idx3-ubyte.gz --resize 28 --no-provenance --shard auto/4 -o part2.h5
> part2.h5: up to date
! extract-features: part 2 of 4, by SLURM_ARRAY_TASK_ID

# Under mpirun in a job of Slurm's the job's own task is not the rank.
$ SLURM_PROCID=0 SLURM_NTASKS=4 OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 extract-features test-images-idx3-ubyte.gz --resize 28 --no-provenance --shard auto -o part2.h5
> part2.h5: up to date
! extract-features: part 2 of 4, by OMPI_COMM_WORLD_RANK

# Tasks that write one name would leave the last one's part.
$ extract-features test-images-idx3-ubyte.gz --resize 28 --no-provenance --shard 0/4 -o part1.h5
! extract-features: part1.h5: is part 1 of the same run, and this is part 0; give each part a name of its own, or --force
? 2

# A part says on its page that it is one.
$ cache show part1.h5 | grep -E '^part |shard_'
> part       1 of 4 of a run, numbered from 0; cache merge makes one file of all

$ cache merge part3.h5 part1.h5 part0.h5 part2.h5 --no-provenance -o merged.h5 > log
+ extract-features test-images-idx3-ubyte.gz --resize 28 --no-provenance -q -o whole.h5
+ cmp merged.h5 whole.h5
