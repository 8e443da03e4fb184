# Photographs: JPEG beside PNG, told apart by what they hold. Which decoder made the pixels is part of the key, where there are any.
$ mkdir -p set/{cat,dog}; cp $CORPUS/jpeg/420 set/cat/1.jpg; cp $CORPUS/jpeg/progressive set/cat/2.JPEG; cp $CORPUS/png/rgb set/dog/3.jpg
+ extract-features set --resize 28 --channels grey -o f.h5; h5dump -d labels -d index f.h5 | grep '(.)'; h5dump -a key_parts f.h5 | grep -o 'jpeg[^,}]*'
> f.h5: 3 x 512 float32, # s (# images/s); classes 0 cat, 1 dog
>    (0): 0, 0, 1
>    (0): 0, 1, 2
> jpeg":"libjpeg-turbo"
$ mkdir -p plain/dog; cp set/dog/3.jpg plain/dog/3.png; extract-features plain -q --resize 28 --channels grey -o g.h5; h5dump -a key_parts g.h5 | grep -c jpeg
> 0
? 1
$ mkdir -p names/s; for e in jpg JPEG jpe jfif; do rm -f names/s/*; cp set/cat/1.jpg names/s/x.$e; extract-features names -q --resize 28 --channels grey -f -o n.h5; h5dump -a key_parts n.h5 | grep -c jpeg; done
+ mv names/s/x.jfif names/s/x.png; for o in "" --skip-bad; do extract-features names -q --resize 28 --channels grey -f $o -o n.h5; h5dump -a key_parts n.h5 | grep -c jpeg; done
> 1
> 1
> 1
> 1
> 0
> 1
$ extract-features set --resize 28 --channels grey -o f.h5; mkdir flat; cp set/cat/1.jpg flat
+ extract-features flat --labels none -q --resize 28 --channels grey -o i.h5; h5dump -a key_parts i.h5 | grep -c jpeg
> f.h5: up to date: 3 x 512 float32, # s (# images/s); classes 0 cat, 1 dog
> 1

# What cannot be read: one line; what is left of the set, with --skip-bad.
$ cp $CORPUS/jpeg/bad-cmyk set/dog/4.jpg; extract-features set --resize 28 --channels grey -o h.h5
+ cp $CORPUS/jpeg/bad-cut set/dog/4.jpg; extract-features set --resize 28 --channels grey -o h.h5; extract-features set --resize 28 --channels grey --skip-bad -o h.h5
> h.h5: 3 x 512 float32, # s (# images/s); classes 0 cat, 1 dog
! extract-features: set/dog/4.jpg: a JPEG file of 4 components (4: CMYK), expected 1 or 3; convert it to RGB; --skip-bad leaves it out
! extract-features: set/dog/4.jpg: cannot be read as JPEG: Premature end of JPEG file; --skip-bad leaves it out
! extract-features: set/dog/4.jpg: cannot be read as JPEG: Premature end of JPEG file; left out
! extract-features: 1 file left out, which cannot be read

# Photographs that were taken upright are said to be read as they are stored.
$ rm set/dog/4.jpg; cp $CORPUS/jpeg/turned set/cat/9.jpg; extract-features set --resize 28 --channels grey -o t.h5
> t.h5: 4 x 512 float32, # s (# images/s); classes 0 cat, 1 dog
! extract-features: 1 of 4 image files are to be turned, as their Exif says (first: set/cat/9.jpg): they are read as they are stored, as torchvision does; exiftran -ai turns the files

# The middle, as torchvision's Resize and CenterCrop: part of the key where it is asked for, and of what the file says of itself.
$ rm set/cat/9.jpg; key() { extract-features set --channels grey --key "$@"; }; [ "$(key --resize 32)" = "$(key --resize 32 --crop 0)" ] && echo the same
+ printf '%s\n' "$(key --resize 32)" "$(key --resize 32 --crop 28)" "$(key --resize 32 --crop 27)" "$(key --resize 28)" | sort -u | wc -l
+ extract-features set --channels grey --resize 32 --crop 28 -o c.h5; h5dump -a /features/preprocess c.h5 | grep -o 'grey.*(bilinear'
+ qtrain f.h5 -q --epochs 1 --no-controls --val-fraction 0 -o head.h5; qeval head.h5 c.h5 -o r.h5 > log
> the same
> 4
> c.h5: 3 x 512 float32, # s (# images/s); classes 0 cat, 1 dog
> grey, 28 x 28 in the middle, the shorter side 32 (bilinear
! qeval: c.h5: preprocess is grey, 28 x 28 in the middle, the shorter side 32 (bilinear, antialias), /255, minus (0.485,0.456,0.406), divided by (0.229,0.224,0.225), but head.h5 was trained on grey, 28 x 28 (bilinear, antialias), /255, minus (0.485,0.456,0.406), divided by (0.229,0.224,0.225); unless that is meant, extract these with the same options
! qeval: c.h5: head.h5 was trained on features of the same images (set); unless these are others of them, this is not the accuracy on new ones
$ extract-features set --crop 224 -o c.h5; extract-features set --resize 28 --crop 32 -o c.h5
! extract-features: --crop 224: of what size is not said; give --resize N too, the shorter side, such as --resize 256
! extract-features: --crop 32: more than --resize 28 makes the shorter side
? 2
$ extract-features set --channels grey --resize 256 --crop 224 -o c.h5
> c.h5: 3 x 512 float32, # s (# images/s); classes 0 cat, 1 dog
! extract-features: images of 224 x 224 pixels: the shipped weights were trained at 28 x 28, at other sizes their features are worse; give --crop 28, or --weights FILE of a network for this size

# Of many that cannot be read the first ten are named.
$ mkdir -p many/a; cp set/cat/1.jpg many/a/z.jpg; for i in $(seq 12); do : > many/a/$i.jpg; done; extract-features many --resize 28 --channels grey --skip-bad -o m.h5 2>&1 | tail -n 3
+ extract-features many --resize 28 --channels grey --skip-bad -f -v -o m.h5 2>&1 | grep -c neither
> extract-features: more files cannot be read and are left out; -v names them
> extract-features: 12 files left out, which cannot be read
> m.h5: 1 x 512 float32, # s (# images/s); classes 0 a
> 12
