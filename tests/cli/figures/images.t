# The samples' images come in every form that extract-features reads, with the same picture.
$ D=$DATA/digits; mkdir z; for f in test-images-idx3-ubyte test-labels-idx1-ubyte; do gzip -nc $D/$f > z/$f.gz; done
+ extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ extract-features z/test-images-idx3-ubyte.gz --resize 28 -q -o z.h5
+ qtrain test.h5 --epochs 1 --reduction 8 --no-controls -q -o head.h5
+ qeval head.h5 test.h5 -q -o report.h5; qeval head.h5 z.h5 -q -o z-report.h5

$ figures report.h5 --figure samples --images $DATA/digits/test-images-idx3-ubyte -o plain.svg
+ figures z-report.h5 --figure samples --images z/test-images-idx3-ubyte.gz -o z.svg -q; cmp <(sed /^.desc/d plain.svg) <(sed /^.desc/d z.svg)
> plain.svg: 1 figure in 1 file, 1 written

# 24 samples, each a picture
$ grep -c '<image' z.svg
> 24

# several inputs, with commas between
$ D=$DATA/digits; extract-features $D/train-images-idx3-ubyte z/test-images-idx3-ubyte.gz --resize 28 -q -o two.h5
+ qeval head.h5 two.h5 -q -o two-report.h5
+ figures two-report.h5 --figure samples --images $D/train-images-idx3-ubyte,z/test-images-idx3-ubyte.gz -o two.png
> two.png: 1 figure in 1 file, 1 written

~ s/SHA-256 [0-9a-f]+[.][.][.]/SHA-256 .../g
# Other images than those of the report are refused: by their digests, wherever they lie, in their order.
$ cp $DATA/digits/test-images-idx3-ubyte moved; figures report.h5 --figure samples --images moved -o moved.svg -q; cmp moved.svg plain.svg
$ figures report.h5 --images $DATA/digits/train-images-idx3-ubyte --figure samples -o other.png
! figures: --images: found ROOT/data/digits/train-images-idx3-ubyte with SHA-256 ..., expected that which the features of report.h5 were made from: ROOT/data/digits/test-images-idx3-ubyte with SHA-256 ...
? 65
$ figures z-report.h5 --figure samples --images moved -o other.png
! figures: --images: found moved with SHA-256 ..., expected that which the features of z-report.h5 were made from: z/test-images-idx3-ubyte.gz with SHA-256 ...
? 65
$ figures two-report.h5 --figure samples --images z/test-images-idx3-ubyte.gz -o other.png
! figures: --images: found 1 input, expected the 2 that the features of two-report.h5 were made from, the first of them ROOT/data/digits/train-images-idx3-ubyte; cache log names all
? 65
$ figures two-report.h5 --figure samples --images z/test-images-idx3-ubyte.gz,$DATA/digits/train-images-idx3-ubyte -o other.png
! figures: --images: found z/test-images-idx3-ubyte.gz with SHA-256 ..., expected that which the features of two-report.h5 were made from: ROOT/data/digits/train-images-idx3-ubyte with SHA-256 ...
? 65
$ figures report.h5 --images $DATA/digits/train-images-idx3-ubyte -o folder -q; ls other.png 2>&1 | wc -l
> 1
! figures: --images: found ROOT/data/digits/train-images-idx3-ubyte with SHA-256 ..., expected that which the features of report.h5 were made from: ROOT/data/digits/test-images-idx3-ubyte with SHA-256 ...

# A merge of shards has their record; the rows of a shard by itself count from its own first image.
$ for i in 0 1; do extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --shard $i/2 -q -o s$i.h5; done
+ cache merge s0.h5 s1.h5 -q -o merged.h5; qeval head.h5 merged.h5 -q -o merged-report.h5; qeval head.h5 s1.h5 -q -o s1-report.h5
+ figures merged-report.h5 --figure samples --images moved -o merged.svg -q; cmp <(sed /^.desc/d merged.svg) <(sed /^.desc/d plain.svg)
+ figures s1-report.h5 --figure samples --images moved -o other.png
! figures: s1-report.h5: figure samples: made from features of shard 1/2 alone, expected the whole; merge the shards (cache merge) and evaluate that
? 65

# Without a record nothing can be compared but the number of images.
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --no-provenance -q -o bare.h5; qeval head.h5 bare.h5 -q -o bare-report.h5
+ figures bare-report.h5 --figure samples --images moved -o bare.svg; cmp <(sed /^.desc/d bare.svg) <(sed /^.desc/d plain.svg)
> bare.svg: 1 figure in 1 file, 1 written
! figures: bare-report.h5: holds no record of its features; whether they were made from --images moved cannot be checked
$ figures bare-report.h5 --figure samples --images moved -o bare.svg -q
$ extract-features moved --labels $DATA/digits/test-labels-idx1-ubyte --resize 28 --limit 30 -q -o few.h5; qeval head.h5 few.h5 -q -o few-report.h5
+ figures few-report.h5 --figure samples --images moved -o few.svg
> few.svg: 1 figure in 1 file, 1 written
$ head -c 3024 moved >short; printf '\0\0\10\3\0\0\0\57' | dd of=short conv=notrunc status=none; figures bare-report.h5 --figure samples --images short -o other.png -q
! figures: --images: short holds 47 images, the report speaks of one with number 133; give all that the features were made from
? 65

$ gzip -nc moved >cut.gz; truncate -s 3000 cut.gz; figures bare-report.h5 --figure samples --images cut.gz -o other.png -q
! figures: cut.gz: truncated: the file ends 39 bytes early
? 65

$ figures report.h5 --figure samples --images absent -o other.png
! figures: absent: cannot be opened: No such file or directory
? 66

$ figures report.h5 --figure samples -o other.png
! figures: figure samples needs --images
? 2
