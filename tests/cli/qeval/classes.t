# Classes of a test folder by their names: one that lacks a class of the head numbers the others anew.
$ for f in train/dot train/square train/stripe test/dot test/stripe; do mkdir -p $f; for i in 1 2 3 4 5 6; do cp $ROOT/tests/fuzz/png/grey $f/$i.png; done; done
+ for f in train test; do extract-features $f --resize 28 -q -o $f.h5; done; qtrain train.h5 --epochs 1 --no-controls -q -o h.h5
$ qeval h.h5 test.h5 -q -o r.h5
! qeval: h.h5: class 1 is 'square', in the features it is 'stripe'; if images come from folders, an empty folder 'square' keeps the numbering
? 65
$ mkdir test/square; extract-features test --resize 28 -q -o test.h5 && qeval h.h5 test.h5 -q -o r.h5
$ mv test/square test/stroke; extract-features test --resize 28 -q -o test.h5; qeval h.h5 test.h5 -q -o x.h5
! qeval: h.h5: class 1 is 'square', in the features it is 'stripe'
? 65
