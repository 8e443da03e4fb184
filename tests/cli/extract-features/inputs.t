# What a key must tell apart: datasets of HDF5 files, empty classes, labels; and names that are
# not UTF-8.
% need h5import
$ for i in 1 2 3; do printf '%64s' "$i" | tr ' ' '0' > raw
+ printf 'RANK 3\nDIMENSION-SIZES 1 8 8\nINPUT-CLASS UIN\nINPUT-SIZE 8\nPATH d%s\n' $i > conf
+ h5import raw -c conf -o part$i.h5 >/dev/null; done; h5import raw -c conf -o both.h5 >/dev/null
+ sed -i s/d3/d1/ conf; h5import raw -c conf -o both.h5 >/dev/null

$ key() { extract-features "$@" --resize 28 --key; }
+ [ "$(key part1.h5:d1 both.h5:d3)" != "$(key part1.h5:d1 both.h5:d1)" ] &&
+ [ "$(key both.h5:d1 part1.h5:d1)" != "$(key both.h5:d3 part1.h5:d1)" ] && echo all differ
> all differ

$ extract-features part1.h5:d1 --labels $DATA/digits/test-labels-idx1-ubyte --resize 28 -o x.h5
! extract-features: part1.h5:d1: --labels ROOT/data/digits/test-labels-idx1-ubyte: a file; labels of images in HDF5 are --labels DATASET or --labels FILE.h5:DATASET
? 2

$ cp part1.h5 $'im\xe4ge.h5'; extract-features $'im\xe4ge.h5' --labels none --resize 28 -o $'f\xe4.h5' --json |
+ jq -r .output; cache show $'f\xe4.h5' --json | jq -r '.path, .provenance[0].inputs.images.path'
+ cache log $'f\xe4.h5' | sed -n 2p
> fä.h5
> fä.h5
> imäge.h5
>   extract-features imäge.h5 --labels none --resize 28 -o fä.h5 --json
! extract-features: 1 of 1 image is nearly black, with no pixel above 63 of 255: if fewer bits are used, as 12 of 16, or 0 and 1, scale the pixels first

# Images have a name.
$ extract-features - -o x.h5 </dev/null
! extract-features: -: standard input is not taken here; give a file's name
? 2

# A file of another stage, a folder that holds the file that is meant.
$ extract-features -q $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 4 -o made.h5; extract-features made.h5 -o x.h5
! extract-features: made.h5: holds 'features', expected 'images'
? 65
$ mkdir mnist; cp $DATA/digits/test-images-idx3-ubyte mnist; extract-features mnist -o x.h5
! extract-features: mnist: no PNG or JPEG files in its 0 sub-folders; each class is a sub-folder; or name an IDX file in it, such as test-images-idx3-ubyte
? 65
