# IDX in, features out; up to date; keys; options that are wrong.
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -o test.h5
> test.h5: 360 x 512 float32, # s (# images/s)

$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -o test.h5
> test.h5: up to date: 360 x 512 float32, # s (# images/s)

$ extract-features $DATA/digits/test-images-idx3-ubyte --resize=28 --threads 1 --mean 0.4850,.456,0.406 --dry-run -o test.h5 |
+ head -1
> hit: the target has this key

$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --dtype f16 --dry-run -o test.h5 |
+ sed '2d; s/at most/about/'
> miss: the target has another key
>   options.dtype: "f32" -> "f16"
> the run that wrote the target took # s
> here it would take about # s, by its first moments

$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 70 --dtype f16 --tap layer3 --json -o layer3.h5 |
+ tr ',' '\n' | grep -v key
> {"output":"layer3.h5"
> "status":"computed"
> "content":"HEX64"
> "images":70
> "skipped":0
> "features":1024
> "dtype":"f16"
> "seconds": #
> "rate": #
> "cautions":[]}

$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --key -o x.h5
> HEX64

$ ls
> layer3.h5
> test.h5

$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28
! extract-features: no output; give -o FEATURES.h5
? 2

$ extract-features -o x.h5
! extract-features: 0 inputs, expected INPUT...; see --help
? 2

$ extract-features $DATA/digits/test-images-idx3-ubyte --mean 1,2 -o x.h5
! extract-features: --mean: found '1,2', expected three numbers up to 1 (of pixel/255), as in 0.5,0.5,0.5
? 2

$ extract-features $DATA/digits/test-images-idx3-ubyte --mean 123,116,103 -o x.h5
! extract-features: --mean: found '123,116,103', expected three numbers up to 1 (of pixel/255), as in 0.5,0.5,0.5
? 2

$ extract-features $DATA/digits/test-images-idx3-ubyte --std 1,0,1 -o x.h5
! extract-features: --std: found '1,0,1', expected three positive numbers up to 1 (of pixel/255), as in 0.5,0.5,0.5
? 2

$ extract-features $DATA/digits/test-images-idx3-ubyte --shard 4/4 -o x.h5
! extract-features: --shard: found '4/4', expected I/N with I from 0 to N-1
? 2

$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --shard 0/7 -o x.h5
! extract-features: 7 shards of 360 images: at most 6, each of at least one block of 64
? 2

$ extract-features nowhere -o x.h5
! extract-features: nowhere: cannot be opened: No such file or directory
? 66

$ extract-features $DATA/digits/test-images-idx3-ubyte -w nowhere.pth -o x.h5
! extract-features: nowhere.pth: cannot be opened: No such file or directory
? 66

$ ls
> layer3.h5
> test.h5
