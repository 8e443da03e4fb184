# Every figure, twice the same bytes; what cannot be drawn is said.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 3 --replicas 2 -q -o head.h5 >/dev/null
+ qeval head.h5 test.h5 -q -o report.h5

$ figures head.h5 report.h5 test.h5 --images $DATA/digits/test-images-idx3-ubyte -o one
> one: 6 figures in 12 files, 12 written

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

# its resolution: 300 dots an inch are 11811 a metre, with the chunk's check
$ head -c 54 one/pca.png | tail -c 21 | od -An -v -tx1 | tr -d '\n'; echo; echo $((0x2e23))
>  00 00 00 09 70 48 59 73 00 00 2e 23 00 00 2e 23 01 78 a5 3f 76
> 11811

# in a file, by itself, the same bytes as in a folder among others
$ I=$DATA/digits/test-images-idx3-ubyte; figures head.h5 --figure curves -o curves.svg
+ cmp curves.svg one/curves.svg; figures head.h5 --figure curves -o Curves.PNG -q
+ cmp Curves.PNG one/curves.png; figures report.h5 --figure samples --images $I -o s.svg -q
+ cmp s.svg one/samples.svg
> curves.svg: 1 figure in 1 file, 1 written

$ figures head.h5 -o curves.png
! figures: curves.png: one file takes one figure; say which with --figure, or name a folder (--format both, png, svg, pdf or all)
? 2

$ figures head.h5 --figure confusion -o c.png
! figures: head.h5: holds 'head'; its figures: curves, circuit
! figures: nothing was drawn
? 2

# what a picture is of stands in it: figure, kind, key and command; a PDF is the same twice, and does not say when it was made
$ grep -o '<desc>.*' one/curves.svg | sed 's/key [0-9a-f]*/key #/'; figures head.h5 --figure curves -q -o c.pdf; figures head.h5 --figure curves -o d.PDF; cmp c.pdf d.PDF; figures head.h5 --figure curves -o c.pdf
+ grep -a -o 'Subject .*' c.pdf | sed 's/key [0-9a-f]*/key #/'; grep -c -a CreationDate c.pdf; grep -a -o 'Description.*-o head.h5' one/curves.png | tr '\0' ' ' | sed 's/key [0-9a-f]*/key #/'
> <desc>curves of head, key #: qtrain test.h5 --epochs 3 --replicas 2 -q -o head.h5</desc>
> d.PDF: 1 figure in 1 file, 1 written
> c.pdf: up to date
> Subject (curves of head, key #: qtrain test.h5 --epochs 3 --replicas 2 -q -o head.h5)
> 0
> Description     curves of head, key #: qtrain test.h5 --epochs 3 --replicas 2 -q -o head.h5
$ [ "$(grep -o 'key [0-9a-f]*' one/curves.svg)" = "key $(cache show head.h5 --json | jq -r .key)" ] && echo its key
> its key

# a name that ends as another picture's is no folder, unless it is one already
$ figures head.h5 -o a.ps
! figures: a.ps: figures are PNG, SVG or PDF, not ps; end the name in .png, .svg or .pdf, or name a folder (--format both, png, svg, pdf or all)
? 2
$ figures head.h5 --figure curves -o new/a.JPG; ls a.ps new 2>&1 | wc -l
> 2
! figures: new/a.JPG: figures are PNG, SVG or PDF, not jpg; end the name in .png, .svg or .pdf, or name a folder (--format both, png, svg, pdf or all)
$ echo mine > notes.txt; figures head.h5 -o notes.txt; rm notes.txt
! figures: notes.txt: is a file, and no figure by its name; end the name in .png, .svg or .pdf, or name a folder (--format both, png, svg, pdf or all)
$ mkdir old.eps && figures head.h5 --format svg -o old.eps
> old.eps: 2 figures in 2 files, 2 written

$ figures report.h5 --replica 2 -o one
! figures: --replica 2: report.h5 has 2 heads, numbered from 0
? 2

$ figures absent.h5 -o one
! figures: absent.h5: cannot be opened: No such file or directory
? 66

$ figures head.h5 -o head.h5/x
! figures: head.h5/x: the folder cannot be made: Not a directory
? 74

# A head without a circuit has no drawing of one.
$ for c in none twin; do qtrain test.h5 --core $c --epochs 2 --reduction 8 --no-controls -q -o $c.h5; figures $c.h5 --format svg -o $c.figures; ls $c.figures; done
> none.figures: 1 figure in 1 file, 1 written
> curves.svg
> twin.figures: 1 figure in 1 file, 1 written
> curves.svg
$ figures none.h5 --figure circuit -o none.svg
! figures: none.h5 holds no circuit, its core is none
? 65
$ circuit draw twin.h5 -o twin.svg; ls none.svg twin.svg 2>&1 | wc -l
> 2
! circuit: twin.h5: holds no circuit, its core is twin

# What lies there of an older run and was not drawn anew is named, and why.
$ cp -r one old; figures head.h5 report.h5 -o old
> old: up to date
! figures: old/samples.png, samples.svg: older, not drawn this time: needs --images
$ rm old/samples.png; figures none.h5 report.h5 --format png -o old
> old: 3 figures in 3 files, 1 written
! figures: report.h5 is of the head head.h5, none.h5 is another: these are of two runs
! figures: old/circuit.png, circuit.svg: older, not drawn this time: none.h5 holds no circuit, its core is none
! figures: old/samples.svg: older, not drawn this time: needs --images
$ figures head.h5 report.h5 -o old -q; figures report.h5 --figure confusion -o old; figures head.h5 --format svg -o old
> old: up to date
> old: up to date
$ rm old/samples.svg; figures head.h5 report.h5 -o old
> old: up to date

# Heads that stop early: the axis ends where the last one does, whatever --epochs was.
$ for e in 60 90; do qtrain test.h5 --epochs $e --patience 3 --replicas 3 --reduction 8 --batch-size 32 --no-controls -q -o early.h5
+ h5dump -d history/train_loss early.h5 | grep -qi nan && echo early; figures early.h5 --figure curves -q -o early$e.svg; done; cmp <(sed /^.desc/d early60.svg) <(sed /^.desc/d early90.svg)
> early
> early
