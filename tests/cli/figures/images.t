# The samples' images come in every form that extract-features reads, with the same picture.
$ D=$DATA/digits; mkdir z; for f in test-images-idx3-ubyte test-labels-idx1-ubyte; do gzip -c $D/$f > z/$f.gz; done
+ extract-features z/test-images-idx3-ubyte.gz --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 1 --reduction 8 -q -o head.h5 && qeval head.h5 test.h5 -q -o report.h5

$ figures report.h5 --figure samples --images $DATA/digits/test-images-idx3-ubyte -o plain.svg
+ figures report.h5 --figure samples --images z/test-images-idx3-ubyte.gz -o z.svg -q; cmp plain.svg z.svg
> plain.svg: 1 figure, 1 written

# 24 samples, each a picture
$ grep -c '<image' z.svg
> 24

# several inputs, with commas between
$ D=$DATA/digits; extract-features $D/train-images-idx3-ubyte z/test-images-idx3-ubyte.gz --resize 28 -q -o two.h5
+ qeval head.h5 two.h5 -q -o two-report.h5
+ figures two-report.h5 --figure samples --images $D/train-images-idx3-ubyte,z/test-images-idx3-ubyte.gz -o two.png
> two.png: 1 figure, 1 written

~ s/number [0-9]+/number N/
$ figures two-report.h5 --figure samples --images z/test-images-idx3-ubyte.gz -o other.png; ls other.png 2>&1 | wc -l
> 1
! figures: --images: z/test-images-idx3-ubyte.gz holds 360 images, the report speaks of one with number N; give all that the features were made from

$ truncate -s 3000 z/test-images-idx3-ubyte.gz
+ figures report.h5 --figure samples --images z/test-images-idx3-ubyte.gz -o other.png
! figures: z/test-images-idx3-ubyte.gz: truncated: the file ends 23 bytes early
? 65

$ figures report.h5 --figure samples --images absent -o other.png
! figures: absent: cannot open: No such file or directory
? 66

$ figures report.h5 --figure samples -o other.png
! figures: figure samples needs --images
? 2
