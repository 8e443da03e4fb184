# Every figure, twice the same bytes; what cannot be drawn is said.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 3 --replicas 2 -q -o head.h5 >/dev/null
+ qeval head.h5 test.h5 -q -o report.h5

$ figures head.h5 report.h5 test.h5 --images $DATA/digits/test-images-idx3-ubyte -o one
> one: 12 figures, 12 written

$ figures head.h5 report.h5 test.h5 --images $DATA/digits/test-images-idx3-ubyte -o one
> one: up to date

$ figures head.h5 report.h5 test.h5 --images $DATA/digits/test-images-idx3-ubyte -o two -q
+ diff -r one two && ls one
> calibration.png
> calibration.svg
> circuit.png
> circuit.svg
> confusion.png
> confusion.svg
> curves.png
> curves.svg
> pca.png
> pca.svg
> samples.png
> samples.svg

$ head -c 8 one/pca.png | od -An -c | tr -d ' '; head -c 5 one/pca.svg; echo
> 211PNG\r\n032\n
> <?xml

$ figures head.h5 --figure curves -o curves.svg && cmp curves.svg one/curves.svg
> curves.svg: 1 figures, 1 written

$ figures head.h5 -o curves.png
! figures: curves.png: one file takes one figure of one input; say which with --figure, or give a folder
? 2

$ figures head.h5 --figure confusion -o c.png
! figures: head.h5: no figure of a file of kind head was asked for
! figures: nothing was drawn
? 2

$ figures absent.h5 -o one
! figures: absent.h5: cannot be opened: No such file or directory
? 66

$ figures head.h5 -o head.h5/x
! figures: head.h5/x: the folder cannot be made: Not a directory
? 74
