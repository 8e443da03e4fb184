# What labels may be: names of folders, whole numbers of any size in IDX, numbers, texts, columns and one-hot rows in HDF5.
~ /nearly black|occur more than once|more than one label|2 x 3 pixels|of 4 x 3 pixels|shipped weights|not used: /d; s/ float32, # s .# images.s.//
% need h5dump
$ cat > show <<'EOF'
+ for set in labels class_names; do h5dump -d $set "$1" | sed -n 's/^ *([0-9]*): //p' | tr -d '\n' | sed 's/\\000//g; s/, */ /g; s/,"/ "/g; s/\\37777777/\\/g; s/$/\n/'; done
+ EOF
+ chmod +x show

# Folders of numbers mean their numbers, 10 behind 9; the classes are printed, and so is what may be another order than was meant.
$ for c in 0 1 2 3 4 5 6 7 8 9 10 11; do mkdir -p n/$c; cp $CORPUS/png/grey n/$c/1.png; done; extract-features n --resize 28 -o n.h5; ./show n.h5
> n.h5: 12 x 512
> 0 1 2 3 4 5 6 7 8 9 10 11
> "0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11"
$ for c in 2 10 1; do mkdir -p m/$c; cp $CORPUS/png/grey m/$c/1.png; done; extract-features m --resize 28 -o m.h5; ./show m.h5
> m.h5: 3 x 512; classes 0 1, 1 2, 2 10
> 0 1 2
> "1" "2" "10"
! extract-features: classes are numbered from 0 in the order of their folders' numbers: '1' is class 0
$ for c in w10 w0 w2 w1 __MACOSX; do mkdir -p w/$c; cp $CORPUS/png/grey w/$c/1.png; done; extract-features w --resize 28 -o w.h5; ./show w.h5
> w.h5: 4 x 512; classes 0 w0, 1 w1, 2 w10, 3 w2
> 0 1 2 3
> "w0" "w1" "w10" "w2"
! extract-features: w: left out 1 folder that lies beside a class's (__MACOSX, @eaDir)
! extract-features: classes are in the order of their names' bytes: 'w10' is class 2, before 'w2'; with as many digits in each they are in that of their numbers
# Letters that macOS took apart are those of everybody else: features of both are of one class for a head.
$ mkdir -p nfc/Zebra nfc/$(printf 'Z\303\250bre') nfd/Zebra nfd/$(printf 'Ze\314\200bre'); for d in nfc/* nfd/*; do for i in 1 2 3 4 5 6; do cp $CORPUS/png/grey $d/$i.png; done; done
+ for f in nfc nfd; do extract-features $f --resize 28 -o $f.h5; done; qtrain nfc.h5 --epochs 1 --no-controls -q -o h.h5 2>/dev/null; qeval h.h5 nfd.h5 -q -o r.h5 2>/dev/null && echo judged
> nfc.h5: 12 x 512; classes 0 Zebra, 1 Zèbre
> nfd.h5: 12 x 512; classes 0 Zebra, 1 Zèbre
> judged

# IDX: whole numbers of 32 bits, eight a label as of QMNIST, found beside the images.
$ printf '\0\0\10\3\0\0\0\3\0\0\0\1\0\0\0\2abcdef' > q-images-idx3-ubyte; printf '\0\0\14\2\0\0\0\3\0\0\0\2\0\0\0\1\0\0\0\7\0\0\0\2\0\0\0\7\0\0\0\0\0\0\0\7' > q-labels-idx2-int; extract-features q-images-idx3-ubyte --resize 28 -o q.h5; ./show q.h5
> q.h5: 3 x 512
> 1 2 0
> "0" "1" "2"
! extract-features: q-labels-idx2-int: 2 numbers a label: the first is taken for the class, as of QMNIST
$ printf '\0\0\14\1\0\0\0\3\0\0\0\1\0\0\0\2\377\377\377\377' > bad-idx1-int; extract-features q-images-idx3-ubyte --labels bad-idx1-int --resize 28 -o x.h5
! extract-features: q-images-idx3-ubyte: label -1 of image 2, expected 0 to 65535
? 65
$ printf '\0\0\15\1\0\0\0\1\0\0\0\0' > f-idx1-float; extract-features q-images-idx3-ubyte --labels f-idx1-float --resize 28 -o x.h5; extract-features f-idx1-float --labels none --resize 28 -o x.h5
! extract-features: f-idx1-float: IDX of floats of 32 bits in 1 dimension, expected whole numbers in 1 or 2
! extract-features: f-idx1-float: IDX of floats of 32 bits in 1 dimension, expected unsigned bytes in 3 or 4; write pixels from 0 to 255 as bytes
? 65

# HDF5 behind a user block, as MATLAB's is; texts name their classes.
$ cp $ROOT/tests/golden/arrays/pictures.h5 .; for g in text bytes; do extract-features pictures.h5:$g/images --resize 28 -f -o p.h5; ./show p.h5; done
> p.h5: 6 x 512; images text/images, labels text/labels; classes 0 cat, 1 dog, 2 emu, 3 éland
> 1 0 2 0 1 3
> "cat" "dog" "emu" "\703\651land"
> p.h5: 6 x 512; images bytes/images, labels bytes/labels; classes 0 cat, 1 dog, 2 emu, 3 éland
> 1 0 2 0 1 3
> "cat" "dog" "emu" "\703\651land"
$ for g in column bool float hot; do extract-features pictures.h5:$g/images --resize 28 -f -o p.h5; ./show p.h5; done
> p.h5: 6 x 512; images column/images, labels column/labels
> 1 0 2 0 1 3
> "0" "1" "2" "3"
> p.h5: 6 x 512; images bool/images, labels bool/labels
> 1 0 0 0 1 0
> "0" "1"
> p.h5: 6 x 512; images float/images, labels float/labels
> 1 0 2 0 1 3
> "0" "1" "2" "3"
> p.h5: 6 x 512; images hot/images, labels hot/labels
> 1 0 2 0 1 3
> "0" "1" "2" "3"
$ extract-features pictures.h5:empty/images --resize 28 -o x.h5
! extract-features: pictures.h5: dataset empty/labels: an empty text is no class; --labels none leaves the labels out
? 65
# Through a soft link to the labels, or to the images, and packed by lzf.
$ extract-features pictures.h5:lzf/images --resize 28 -f -o p.h5; ./show p.h5
> p.h5: 6 x 512; images lzf/images, labels lzf/labels
> 1 0 2 0 1 3
> "0" "1" "2" "3"
$ extract-features pictures.h5:alias --resize 28 -f -o p.h5; ./show p.h5
> p.h5: 6 x 512; images text/images, labels text/labels; classes 0 cat, 1 dog, 2 emu, 3 éland
> 1 0 2 0 1 3
> "cat" "dog" "emu" "\703\651land"
# Labels of another file.
$ extract-features pictures.h5:column/images --labels pictures.h5:bytes/labels --resize 28 -f -o p.h5; ./show p.h5
> p.h5: 6 x 512; images column/images, labels pictures.h5:bytes/labels; classes 0 cat, 1 dog, 2 emu, 3 éland
> 1 0 2 0 1 3
> "cat" "dog" "emu" "\703\651land"
