# Labels of IDX files; gzip; several inputs; damage, after which the old output stays.
$ cp $DATA/digits/test-images-idx3-ubyte a-images-idx3-ubyte
+ extract-features a-images-idx3-ubyte --resize 28 -o a.h5
! extract-features: a-images-idx3-ubyte: no file of labels beside it (train-labels-idx1-ubyte for train-images-idx3-ubyte); give --labels FILE, or --labels none
? 66

$ extract-features a-images-idx3-ubyte --labels none --resize 28 --limit 64 -q -o none.h5 &&
+ cp $DATA/digits/test-labels-idx1-ubyte a-labels-idx1-ubyte

$ extract-features a-images-idx3-ubyte --resize 28 --no-provenance -q -o a.h5 &&
+ gzip -k a-images-idx3-ubyte

$ extract-features a-images-idx3-ubyte.gz --resize 28 --no-provenance -q -o b.h5

$ h5diff a.h5 b.h5 /features; h5diff a.h5 b.h5 /labels; h5diff a.h5 b.h5 /index

$ extract-features a-images-idx3-ubyte a-images-idx3-ubyte --resize 28 --limit 400 -o two.h5
> two.h5: 400 x 512 float32, # s (# images/s)
! extract-features: 80 of 400 images occur more than once (first: images 0 and 360): where copies train and judge, accuracies are too high

# sorted by class, as many a file is
$ printf '\0\0\10\1\0\0\1\150' > sorted; head -c 180 /dev/zero >> sorted; head -c 180 /dev/zero | tr '\0' '\1' >> sorted
+ extract-features a-images-idx3-ubyte --labels sorted --resize 28 --limit 60 -o few.h5
+ extract-features a-images-idx3-ubyte --labels sorted --resize 28 --limit 181 -q -o few.h5
> few.h5: 60 x 512 float32, # s (# images/s)
! extract-features: --limit 60 leaves 1 of 2 classes without an image (first: '1'); --limit 181 gives each of these one
# or in no order: what is missing comes at 300 and at 200
$ printf '\0\0\10\1\0\0\1\150' > mixed; { head -c 199 /dev/zero; printf '\2'; head -c 99 /dev/zero; printf '\1'; head -c 60 /dev/zero; } >> mixed
+ extract-features a-images-idx3-ubyte --labels mixed --resize 28 --limit 60 -o few.h5 | wc -l
> 1
! extract-features: --limit 60 leaves 2 of 3 classes without an image (first: '1'); --limit 300 gives each of these one
! extract-features: 60 of 60 images as before, from few.h5 (key HEX12)

$ head -c 20000 a-images-idx3-ubyte > cut-images-idx3-ubyte
+ extract-features cut-images-idx3-ubyte --labels a-labels-idx1-ubyte --resize 28 -o a.h5
! extract-features: cut-images-idx3-ubyte: 19984 bytes after the header, expected 23040 (360 items of 64); cut short: copy or download it again
? 65

$ head -c 5000 a-images-idx3-ubyte.gz > cut-images-idx3-ubyte.gz
+ extract-features cut-images-idx3-ubyte.gz --labels a-labels-idx1-ubyte --resize 28 -o a.h5 2>&1 |
+ sed 's/ends.*early/ends early/'
> extract-features: cut-images-idx3-ubyte.gz: truncated: the file ends early

$ extract-features a-labels-idx1-ubyte --labels none -o a.h5
! extract-features: a-labels-idx1-ubyte: IDX of unsigned bytes in 1 dimension, expected unsigned bytes in 3 or 4; these are labels, not images
? 65

$ extract-features a-images-idx3-ubyte --labels a-images-idx3-ubyte -o a.h5
! extract-features: a-images-idx3-ubyte: IDX of unsigned bytes in 3 dimensions, expected whole numbers in 1 or 2; these are images, not labels
? 65

$ printf '\0\0\10\2\0\0\0\2\0\0\0\2abcd' > table-idx2-ubyte; extract-features table-idx2-ubyte -o a.h5
! extract-features: table-idx2-ubyte: IDX of unsigned bytes in 2 dimensions, expected unsigned bytes in 3 or 4
? 65

$ echo hello > text; extract-features text -o a.h5
! extract-features: text: not an IDX file, a folder of PNG or JPEG files or an HDF5 file; a table or array of numbers takes --label COLUMN
? 65

$ extract-features a-images-idx3-ubyte --resize 28 --no-provenance -o a.h5
> a.h5: up to date
