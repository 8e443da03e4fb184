# Where a figure may go: no input is written over, and nothing but pictures without --force.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 --limit 100 -q -o test.h5
+ qtrain test.h5 --epochs 2 --reduction 8 --no-controls -q -o head.h5; qeval head.h5 test.h5 -q -o report.h5
+ cp $D/test-images-idx3-ubyte images; circuit qasm head.h5 >c.qasm; echo notes >notes; sha256sum head.h5 report.h5 test.h5 images c.qasm notes >before

$ ln -s head.h5 head.png; figures head.h5 --figure curves -o head.png
! figures: head.png: is an input; give another name
? 2
$ figures head.h5 --figure curves -o head.png --force
! figures: head.png: is an input; give another name
? 2
$ ln -s images i.svg; figures report.h5 --figure samples --images images -o i.svg --force
! figures: i.svg: is an input; give another name
? 2
$ echo 'replica: 0' >c.svg; figures report.h5 --figure confusion --config c.svg -o c.svg --force; cat c.svg
> replica: 0
! figures: c.svg: is an input; give another name
$ mkdir folder; ln -s ../head.h5 folder/curves.png; figures head.h5 report.h5 -o folder --force; ls folder
> curves.png
! figures: folder/curves.png: is an input; give another name

# a folder of images, which would read the figures as more of them
$ mkdir -p pngs/a; figures report.h5 --images pngs -o pngs
! figures: pngs: is an input; give another name
? 2

$ cp notes n.png; cp notes n.svg; cp head.h5 other.png
+ for f in n.png n.svg other.png; do figures head.h5 --figure curves -o $f; done
! figures: n.png: was not written by ketline; give another name, or --force to replace it
! figures: n.svg: was not written by ketline; give another name, or --force to replace it
! figures: other.png: was not written by ketline; give another name, or --force to replace it
? 2
$ mkdir two; cp notes two/confusion.svg; figures report.h5 -o two; ls two
> confusion.svg
! figures: two/confusion.svg: was not written by ketline; give another name, or --force to replace it
$ figures head.h5 --figure curves -o n.png --force; head -c 4 n.png | tail -c 3; echo; figures report.h5 -o two --force
> n.png: 1 figure in 1 file, 1 written
> PNG
> two: 2 figures in 4 files, 4 written

# pictures of any origin are replaced, empty files too
$ printf '<svg xmlns="http://www.w3.org/2000/svg"/>' >mine.svg; : >empty.png; figures head.h5 --figure curves -o mine.svg; figures head.h5 --figure curves -o empty.png
> mine.svg: 1 figure in 1 file, 1 written
> empty.png: 1 figure in 1 file, 1 written

$ circuit draw head.h5 -o head.png --force
! circuit: head.png: is an input; give another name
? 2
$ ln -s c.qasm q.svg; circuit draw --circuit-file c.qasm -o q.svg --force
! circuit: q.svg: is an input; give another name
? 2
$ cp notes n.svg; circuit draw -o n.svg
! circuit: n.svg: was not written by ketline; give another name, or --force to replace it
? 2
$ circuit draw -o n.svg --force
> n.svg: written
$ circuit show --force
! circuit: show: replaces nothing; --force belongs to draw
? 2
$ sha256sum --quiet -c before

# two files of a kind: each figure with the file's name; in one file there is one
$ cp head.h5 again.h5; figures head.h5 again.h5 --format all -o both; ls both; figures head.h5 again.h5 --figure curves -o one.png; figures head.h5 head.h5 -o twice
> both: 4 figures in 12 files, 12 written
> circuit-again.pdf
> circuit-again.png
> circuit-again.svg
> circuit-head.pdf
> circuit-head.png
> circuit-head.svg
> curves-again.pdf
> curves-again.png
> curves-again.svg
> curves-head.pdf
> curves-head.png
> curves-head.svg
! figures: one.png: both head.h5 and again.h5 give this figure; give a folder
! figures: twice/curves-head.png: both head.h5 and head.h5 give this figure; name the file once
? 2
$ mkdir a b; cp head.h5 a/h.h5; cp head.h5 b/h.h5; figures a/h.h5 b/h.h5 test.h5 --format pdf -o folders -q; ls folders
> circuit-a-h.pdf
> circuit-b-h.pdf
> curves-a-h.pdf
> curves-b-h.pdf
> pca.pdf
