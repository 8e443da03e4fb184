# A folder of PNG files equals the IDX records of the same images; damaged ones are an error or
# are left out.
% need $SHARED/data/mnist-png
$ extract-features $SHARED/data/mnist-png -o png.h5
> png.h5: 200 x 512 float32, # s (# images/s)

$ mkdir -p set/one set/two; cp $SHARED/data/mnist-png/1/600{02,05}.png set/one
+ cp $SHARED/data/mnist-png/2/60001.png set/two
+ head -c 100 $SHARED/data/mnist-png/2/60035.png > set/two/60035.png

$ extract-features set -o set.h5
! extract-features: set/two/60035.png: damaged PNG: truncated; --skip-bad leaves it out
? 65

$ extract-features set --skip-bad -o set.h5
> set.h5: 3 x 512 float32, # s (# images/s); classes 0 one, 1 two
! extract-features: set/two/60035.png: damaged PNG: truncated; left out
! extract-features: 1 file left out, which cannot be read

$ h5dump -d class_names -d index set.h5 | grep '(.)'
>    (0): "one\000", "two\000"
>    (0): 0, 1, 2

$ mkdir flat; cp set/one/60002.png flat; extract-features flat -o set.h5
! extract-features: flat: 1 image file, but in no sub-folder, and each class is a sub-folder; give the folder above if this is a class, or --labels none to do without classes
? 65

# A class of which nothing is left is named, as an empty one is; one that was damaged in part is not.
$ for c in a m z; do mkdir -p lost/$c; cp set/two/60035.png lost/$c; done; cp set/two/60035.png lost/z/2.png
+ cp -r set/one lost/b; cp set/two/60001.png lost/m; extract-features lost --skip-bad --progress none -o lost.h5
> lost.h5: 3 x 512 float32, # s (# images/s); classes 0 a, 1 b, 2 m, 3 z
! extract-features: lost/a/60035.png: damaged PNG: truncated; left out
! extract-features: lost/a: a class without an undamaged image file
! extract-features: lost/m/60035.png: damaged PNG: truncated; left out
! extract-features: lost/z/2.png: damaged PNG: truncated; left out
! extract-features: lost/z/60035.png: damaged PNG: truncated; left out
! extract-features: lost/z: a class without an undamaged image file
! extract-features: 4 files left out, which cannot be read
