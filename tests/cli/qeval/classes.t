# Classes of a test folder by their names: one that lacks a class of the head numbers the others anew.
$ for f in train/dot train/square train/stripe test/dot test/stripe; do mkdir -p $f; for i in 1 2 3 4 5 6; do cp $CORPUS/png/grey $f/$i.png; done; done
+ for f in train test; do extract-features $f --resize 28 -q -o $f.h5; done; qtrain train.h5 --epochs 1 --no-controls -q -o h.h5
$ qeval h.h5 test.h5 -q -o r.h5
! qeval: h.h5: class 1 is 'square', in the features it is 'stripe'; if images come from folders, an empty folder 'square' keeps the numbering
? 65
$ mkdir test/square; extract-features test --resize 28 -q -o test.h5 && qeval h.h5 test.h5 -q -o r.h5
$ mv test/square test/stroke; extract-features test --resize 28 -q -o test.h5; qeval h.h5 test.h5 -q -o x.h5
! qeval: h.h5: class 1 is 'square', in the features it is 'stripe'
? 65

# Out to other programs and in again the head keeps its classes: other features do not become its own.
$ for w in w.npz w.safetensors; do qconvert h.h5 -q -o $w; qconvert $w --features test.h5 -o i.h5; qconvert $w --features train.h5 -o i.h5; done; ls i.h5
> i.h5: head for 512 features and 3 classes, from w.npz
> i.h5: head for 512 features and 3 classes, from w.safetensors
> i.h5
! qconvert: w.npz: class 1 is 'square', in the features it is 'stripe'
! qconvert: w.safetensors: class 1 is 'square', in the features it is 'stripe'
# Of any alphabet, too.
$ mv train/dot "train/Öl 油 🜆"; extract-features train --resize 28 -q -o train.h5; qtrain train.h5 --epochs 1 --no-controls -q -o h.h5
+ for w in w.npz w.safetensors; do qconvert h.h5 -q -o $w -f; qconvert $w --features train.h5 -o i.h5; qconvert $w --features test.h5 -o x.h5; done
> i.h5: head for 512 features and 3 classes, from w.npz
> i.h5: head for 512 features and 3 classes, from w.safetensors
! qconvert: w.npz: class 0 is 'square', in the features it is 'dot'
! qconvert: w.safetensors: class 0 is 'square', in the features it is 'dot'
? 65
# A name may be of any bytes; the weights have them as Latin-1.
$ mv train/square train/$'\xd6l'; extract-features train --resize 28 -q -o train.h5; qtrain train.h5 --epochs 1 --no-controls -q -o h.h5 -f
+ for w in w.npz w.safetensors; do qconvert h.h5 -q -o $w -f; qconvert $w --features train.h5 -o i.h5 -f; done
> i.h5: head for 512 features and 3 classes, from w.npz
> i.h5: head for 512 features and 3 classes, from w.safetensors
