# What was left out of a folder, and what the pixels tell, is said and kept with the features.
$ P=$CORPUS/png; mkdir -p set/a/more set/A set/b; cp $P/grey set/a/1.png; cp $P/grey set/a/more/2.png; cp $P/grey set/a/more/3.png; cp $P/grey-16-bit set/A/1.png
+ cp $P/rgba set/b/1.png; cp $P/interlaced set/b/2.png; cp $P/grey set/b/3.png
$ extract-features set --resize 28 -o f.h5; cache show f.h5 | grep ^caution | wc -l
> f.h5: 5 x 512 float32, # s (# images/s); classes 0 A, 1 a, 2 b
> 7
! extract-features: set/a: left out 2 image files in sub-folders of this class (first: set/a/more/2.png); move them up
! extract-features: classes 'A' and 'a' are two, and differ in case or blanks alone
! extract-features: 1 of 5 image files have a channel of transparency (first: set/b/1.png): it is dropped, and what it hides is seen, as Pillow's convert('RGB') does
! extract-features: images in colour: the shipped weights were trained on grey ones; compare with --channels grey, or give --weights FILE of a network for colour
! extract-features: 5 of 5 images are nearly black, with no pixel above 63 of 255: if fewer bits are used, as 12 of 16, or 0 and 1, scale the pixels first
! extract-features: 2 of 5 images occur more than once (first: images 1 and 4): where copies train and judge, accuracies are too high
! extract-features: 2 images occur with more than one label (first: images 1 and 4): no classifier is right about all of them
$ extract-features set --resize 28 --json -q -f -o f.h5 | jq -r '.cautions[3]'
> images in colour: the shipped weights were trained on grey ones; compare with --channels grey, or give --weights FILE of a network for colour

# Black, and the same: pixels of 0, of at most 63 of 255, of at most 64.
$ idx() { printf '\0\0\10\3\0\0\0\2\0\0\0\34\0\0\0\34'; head -c 784 /dev/zero | tr '\0' "$1"; head -c 784 /dev/zero | tr '\0' "$2"; }
+ for i in '\0 \0' '\76 \77' '\76 \100'; do idx $i >x-idx3-ubyte; extract-features x-idx3-ubyte --labels none --resize 28 -q -f -o f.h5; cache show f.h5 | grep ^caution; done
> caution    2 of 2 images are nearly black, with no pixel above 63 of 255: if fewer bits are used, as 12 of 16, or 0 and 1, scale the pixels first
> caution    2 of 2 images occur more than once (first: images 0 and 1): where copies train and judge, accuracies are too high
> caution    2 of 2 images are nearly black, with no pixel above 63 of 255: if fewer bits are used, as 12 of 16, or 0 and 1, scale the pixels first
? 1

# A list that is damaged; without it nothing is known.
$ mkdir -p data/backbone; cp $DATA/backbone/*.safetensors data/backbone; idx() { printf '\0\0\10\3\0\0\0\1\0\0\0\34\0\0\0\34'; head -c 784 /dev/zero | tr '\0' '\277'; }; idx >y-idx3-ubyte
+ KETLINE_DATA=$PWD/data extract-features y-idx3-ubyte --labels none -q -o g.h5; { head -n 1 $DATA/backbone/resnet18-gray28-f16.seen; echo 12345; } >data/backbone/resnet18-gray28-f16.seen; KETLINE_DATA=$PWD/data extract-features y-idx3-ubyte --labels none -q -f -o g.h5
! extract-features: WORK/data/backbone/resnet18-gray28-f16.seen: found '12345', expected a digest of 16 digits
? 65
