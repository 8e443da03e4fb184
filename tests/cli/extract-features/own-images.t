# A newcomer's folder of images: other sizes than the shipped weights', other formats, no classes, single files.
~ /nearly black|occur more than once|more than one label/d
$ mkdir -p set/one set/two; for i in 1 2 3; do cp $CORPUS/png/grey set/one/$i.png; cp $CORPUS/png/grey set/two/$i.png; done
+ extract-features set -o s.h5
> s.h5: 6 x 512 float32, # s (# images/s); classes 0 one, 1 two
! extract-features: images of 2 x 3 pixels: the shipped weights were trained at 28 x 28, at other sizes their features are worse; give --resize 28, or --weights FILE of a network for this size

# not at their size, not with other weights, not where nothing is computed
$ extract-features set --resize 28 -q -f -o s.h5; extract-features set --resize 28 -f -o s.h5
+ extract-features set -w $DATA/backbone/resnet18-gray28-f16.safetensors -o own.h5
+ extract-features set --resize 224 -o s.h5; extract-features set --resize 224 -o s.h5; extract-features set --resize 32 -q -o s.h5
> s.h5: 6 x 512 float32, # s (# images/s); classes 0 one, 1 two
> own.h5: 6 x 512 float32, # s (# images/s); classes 0 one, 1 two
> s.h5: 6 x 512 float32, # s (# images/s); classes 0 one, 1 two
> s.h5: up to date: 6 x 512 float32, # s (# images/s); classes 0 one, 1 two
! extract-features: images of 224 x 224 pixels: the shipped weights were trained at 28 x 28, at other sizes their features are worse; give --resize 28, or --weights FILE of a network for this size
! extract-features: images of 224 x 224 pixels: the shipped weights were trained at 28 x 28, at other sizes their features are worse; give --resize 28, or --weights FILE of a network for this size

# images of other formats: one line, and none for what is no image
$ for i in 1 2; do echo x > set/two/$i.GIF; echo x > set/one/$i.tiff; done; echo x > set/one/Thumbs.db; echo x > set/two/.hidden.gif
+ echo x > set/two/README.txt; mkdir set/two/folder.gif
+ extract-features set --resize 28 -o s.h5
> s.h5: 6 x 512 float32, # s (# images/s); classes 0 one, 1 two
! extract-features: left out 4 image files in 2 folders (first: set/one/1.tiff): images must be PNG or JPEG
$ rm -r set/two/?.png set/two/folder.gif set/two/2.GIF; rm set/one/*.tiff
+ extract-features set --resize 28 -o s.h5
> s.h5: 3 x 512 float32, # s (# images/s); classes 0 one, 1 two
! extract-features: set/two: a class without PNG or JPEG files
! extract-features: left out 1 image file in 1 folder (first: set/two/1.GIF): images must be PNG or JPEG
! extract-features: 3 of 3 images as before, from s.h5 (key HEX12)
$ rm set/one/*.png; extract-features set --resize 28 -o s.h5
! extract-features: set/one: a class without PNG or JPEG files
! extract-features: set/two: a class without PNG or JPEG files
! extract-features: left out 1 image file in 1 folder (first: set/two/1.GIF): images must be PNG or JPEG
! extract-features: set: no PNG or JPEG files in its 2 sub-folders; each class is a sub-folder
? 65

# single files; all that a shell finds
$ cp $CORPUS/png/grey set/one/1.png; extract-features set/one/1.png --resize 28 -o x.h5
! extract-features: set/one/1.png: a single image file; give the folder above its class's, in which each class is a sub-folder, or its own folder with --labels none
? 65
$ for i in $(seq 2 65); do cp set/one/1.png set/one/$i.png; done; extract-features set/one/*.png --resize 28 -o x.h5
! extract-features: 65 inputs, expected 1 to 64; of single images give the folder above their class's, in which each class is a sub-folder
? 2

# a folder without classes, which --labels none reads
$ extract-features set/one --resize 28 -o x.h5
! extract-features: set/one: 65 image files, but in no sub-folder, and each class is a sub-folder; give the folder above if this is a class, or --labels none to do without classes
? 65
$ extract-features set/one --resize 28 --labels none -o x.h5; h5dump -d labels -d class_names x.h5 2>&1 | grep '(0)\|unable'
+ mkdir set/one/empty; echo x > set/one/a.tiff; extract-features set/one --resize 28 --labels none -o y.h5; h5diff x.h5 y.h5 /features
> x.h5: 65 x 512 float32, # s (# images/s)
>    (0): -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
> }h5dump error: unable to get link info from "class_names"
> y.h5: 65 x 512 float32, # s (# images/s)
! extract-features: set/one/empty: a class without PNG or JPEG files
! extract-features: left out 1 image file in 1 folder (first: set/one/a.tiff): images must be PNG or JPEG
$ mkdir gifs; echo x > gifs/1.gif; extract-features gifs --resize 28 -o x.h5; extract-features gifs --labels none --resize 28 -o x.h5
! extract-features: left out 1 image file in 1 folder (first: gifs/1.gif): images must be PNG or JPEG
! extract-features: gifs: no PNG or JPEG files in its 0 sub-folders; each class is a sub-folder
! extract-features: left out 1 image file in 1 folder (first: gifs/1.gif): images must be PNG or JPEG
! extract-features: gifs: no PNG or JPEG files in its 0 sub-folders; each class is a sub-folder
? 65

# colour, of which the shipped weights have seen none; unless it is asked for
$ mkdir -p tint/{a,b}; for c in a b; do cp $CORPUS/png/rgb tint/$c/1.png; done
+ extract-features tint --resize 28 -o z.h5; for c in rgb grey; do extract-features tint --resize 28 --channels $c -f -o z.h5; done; rm z.h5
> z.h5: 2 x 512 float32, # s (# images/s); classes 0 a, 1 b
> z.h5: 2 x 512 float32, # s (# images/s); classes 0 a, 1 b
> z.h5: 2 x 512 float32, # s (# images/s); classes 0 a, 1 b
! extract-features: images in colour: the shipped weights were trained on grey ones; compare with --channels grey, or give --weights FILE of a network for colour

# classes are read as before, with labels or without: what lies beside them is not
$ mkdir both both/a; cp set/one/1.png both/a; cp set/one/2.png both; extract-features both --resize 28 --labels none -o z.h5
> z.h5: 1 x 512 float32, # s (# images/s)
! extract-features: left out 1 image file beside the classes' sub-folders (first: both/2.png)

# one level too high: the classes are those of a folder in it
$ mkdir -p photos/test/{cat,dog} photos/train/cat; cp set/one/1.png photos/test/cat; extract-features photos --resize 28 -o x.h5
! extract-features: photos/test: a class without PNG or JPEG files
! extract-features: photos/train: a class without PNG or JPEG files
! extract-features: photos: no PNG or JPEG files in its 2 sub-folders; each class is a sub-folder; photos/test holds folders: give that, or one beside it
? 65
$ rm -r photos/train; extract-features photos --resize 28 -o x.h5
! extract-features: photos/test: a class without PNG or JPEG files
! extract-features: photos: no PNG or JPEG files in its 1 sub-folder; each class is a sub-folder; photos/test holds folders: give that
? 65
$ rm -r photos/test/*; mkdir photos/none; extract-features photos --resize 28 -o x.h5
! extract-features: photos/none: a class without PNG or JPEG files
! extract-features: photos/test: a class without PNG or JPEG files
! extract-features: photos: no PNG or JPEG files in its 2 sub-folders; each class is a sub-folder
? 65

# the first images are of the first classes: of those that a limit leaves without any there is a word
$ mkdir -p many/{a,b,c}; for c in a b c; do cp set/one/{1,2,3}.png many/$c; done
+ for n in 2 6 7; do extract-features many --resize 28 --limit $n -o z.h5; done
> z.h5: 2 x 512 float32, # s (# images/s); classes 0 a, 1 b, 2 c
> z.h5: 6 x 512 float32, # s (# images/s); classes 0 a, 1 b, 2 c
> z.h5: 7 x 512 float32, # s (# images/s); classes 0 a, 1 b, 2 c
! extract-features: --limit 2 leaves 2 of 3 classes without an image (first: 'b'); --limit 7 gives each of these one
! extract-features: 2 of 2 images as before, from z.h5 (key HEX12)
! extract-features: --limit 6 leaves 1 of 3 classes without an image (first: 'c'); --limit 7 gives each of these one
! extract-features: 6 of 6 images as before, from z.h5 (key HEX12)
! extract-features: 7 of 7 images as before, from z.h5 (key HEX12)
