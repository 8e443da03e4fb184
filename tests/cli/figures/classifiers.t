# Classifiers of devices: learning curves of their runs, and what they are worth.
$ tournament --synthetic 3 --rows 40 --bits 20 --only-bits -q -o bits.h5
+ qtrain --qrng bits.h5 --seeds 2 --epochs 4 --null 2 -q -o c.h5; qeval --qrng c.h5 bits.h5 -q -o r.h5
$ figures c.h5 r.h5 -o out; ls out; figures c.h5 r.h5 -o out
> out: 3 figures in 6 files, 6 written
> classifiers.png
> classifiers.svg
> configurations.png
> configurations.svg
> learning.png
> learning.svg
> out: up to date
# The same runs on one thread: the same bytes.
$ qtrain --qrng bits.h5 --seeds 2 --epochs 4 --null 2 -q --threads 1 -o one.h5; figures one.h5 --figure learning -q -o one.svg; cmp <(sed /^.desc/d one.svg) <(sed /^.desc/d out/learning.svg)
# Runs on shuffled labels are no part of the learning curves, and stand beside the models.
$ qtrain --qrng bits.h5 --seeds 2 --epochs 4 -q -o n.h5; qeval --qrng n.h5 bits.h5 -q -o nr.h5; figures n.h5 nr.h5 --format svg -q -o n
+ cmp <(sed /^.desc/d n/learning.svg) <(sed /^.desc/d out/learning.svg); cmp -s n/classifiers.svg out/classifiers.svg
? 1
# One split and one epoch; two devices; the study's protocol; more devices than have their shares written.
$ qtrain --qrng bits.h5 --seeds 1 --epochs 1 -q -o a.h5; qeval --qrng a.h5 bits.h5 -q -o ar.h5; figures a.h5 ar.h5 --format svg -o a
> a: 3 figures in 3 files, 3 written
$ for i in 1 2 3 4 5 6 7 8; do echo 01101$((i % 2))0$((i / 4 % 2)) 1; echo 1101$((i / 2 % 2))10$((i % 2)) 2; done > two.txt
+ qtrain --qrng two.txt --reference --seeds 3 --epochs 3 -q -o b.h5; qeval --qrng b.h5 two.txt -q -o br.h5; figures b.h5 br.h5 --format svg -o b
> b: 3 figures in 3 files, 3 written
$ tournament --synthetic 12 --rows 20 --bits 12 --only-bits -q -o many.h5
+ qtrain --qrng many.h5 --protocol folds --seeds 1 --epochs 2 -q -o m.h5; qeval --qrng m.h5 many.h5 -q -o mr.h5; figures m.h5 mr.h5 --format svg -o m
> m: 3 figures in 3 files, 3 written
# Devices that are alike are all taken for the first: precision 1/2, recall 1 and F1 2/3 of it (0 of the second: no bar), of a panel
# 120 points high; both devices' rows are in the first column (darkest), none in the second (white).
$ for i in $(seq 20); do echo 01011010 1; echo 01011010 2; done > same.txt; qtrain --qrng same.txt --model pairs --seeds 3 -q -o s.h5
+ qeval --qrng s.h5 same.txt -q -o sr.h5; figures sr.h5 --figure classifiers -o s.svg
+ grep '0\.85[;"]' s.svg | grep -o ' d="M[^Z]*' | awk '{ printf "%.0f\n", ($9 > $3 ? $9 - $3 : $3 - $9) }' | paste -sd ' '
+ grep -oE 'rgb\((10|100)%, ?(45|100)%, ?(70|100)%\).* d="M[^Z]*' s.svg | sed -E 's/^rgb\(([0-9]+).*/\1/' | paste -sd ' '
> s.svg: 1 figure in 1 file, 1 written
> 60 120 80
> 10 100 10 100
# What each was trained with, and what came of it: of several reports one figure, with a dot for each and for the first
# one's yardsticks, in the table and by size.
$ qtrain --qrng bits.h5 --seeds 2 --epochs 3 --hidden 5 --l1 0 --batch-size 4 -q -o h.h5; qeval --qrng h.h5 bits.h5 -q -o hr.h5
+ figures r.h5 hr.h5 --figure configurations -o two.svg; figures r.h5 --figure configurations -q -o one.svg
+ for f in two one; do for colour in 'rgb\(0%, ?44.7%, ?69.8%\)' 'rgb\(83.5%, ?36.9%, ?0%\)'; do grep -E "$colour" $f.svg | grep -c ' C .* C '; done; done | paste -sd ' '
+ figures hr.h5 --report hr.html -q; grep -oE '>(layers|batch size|epochs|l1|[a-z]* parameters|network collapsed)</t[hd]><td>[^<]*' hr.html
> two.svg: 1 figure in 1 file, 1 written
> 4 4 2 4
> >batch size</th><td>4
> >epochs</th><td>3
> >l1</th><td>0
> >layers</th><td>20-5-3
> >logistic parameters</th><td>63
> >network collapsed</th><td>0
> >network parameters</th><td>123
> >pairs parameters</th><td>9
# One report's model goes by its own name, several by their files'.
$ cp r.h5 x.h5; for f in r x; do figures $f.h5 --figure configurations -q -o $f.svg; figures $f.h5 hr.h5 --figure configurations -q -o 2$f.svg; done; cmp r.svg x.svg && cmp -s 2r.svg 2x.svg
? 1
# A character that the font lacks is said once.
$ cp r.h5 日本.h5; figures 日本.h5 hr.h5 --figure configurations -o jp; figures 日本.h5 hr.h5 --figure configurations -o jp -q; cp r.h5 é.h5; figures é.h5 hr.h5 --figure configurations -o e -q
+ figures 日本.h5 hr.h5 --report jp.html
> jp: 1 figure in 2 files, 2 written
> jp.html: a page of 2 files
! figures: jp/configurations.png: the font has no 日, drawn as a box
! figures: jp.html: the font has no 日, drawn as a box
$ figures r.h5 hr.h5 -o both
> both: 3 figures in 6 files, 6 written
$ figures r.h5 hr.h5 c.h5 --figure configurations --format svg -o both; ls both
> both: up to date
> classifiers-hr.png
> classifiers-hr.svg
> classifiers-r.png
> classifiers-r.svg
> configurations.png
> configurations.svg
! figures: c.h5: holds 'device-classifier'; its figures: learning
# A rule is not trained by epochs; rows without statistics have no figures. What is lacking is said.
$ qtrain --qrng bits.h5 --model pairs --seeds 2 -q -o p.h5; qeval --qrng p.h5 bits.h5 -q -o pr.h5; figures p.h5 pr.h5 --format svg -o p; ls p
> p: 2 figures in 2 files, 2 written
> classifiers.svg
> configurations.svg
! figures: p.h5 holds no network, and so no epochs
$ figures bits.h5 -o figs
! figures: bits.h5 holds no statistics; extract-features --qrng makes them
! figures: nothing was drawn
? 2
$ figures bits.h5 --figure frequency -o f.svg; ls f.svg 2>/dev/null
! figures: bits.h5 holds no statistics; extract-features --qrng makes them
? 2
$ figures p.h5 --figure learning -o f.svg
! figures: p.h5 holds no network, and so no epochs
? 65
# On a page, all of it.
$ figures bits.h5 p.h5 c.h5 r.h5 --report page.html -q; grep -o 'No figure [a-z-]*: [^<]*' page.html; grep -o 'alt="[a-z-]* of [a-z.0-9]*' page.html
> No figure frequency: bits.h5 holds no statistics; extract-features --qrng makes them.
> No figure bit-tests: bits.h5 holds no statistics; extract-features --qrng makes them.
> No figure transitions: bits.h5 holds no statistics; extract-features --qrng makes them.
> No figure symbols: bits.h5 holds no statistics; extract-features --qrng makes them.
> No figure learning: p.h5 holds no network, and so no epochs.
> alt="classifiers of r.h5
> alt="learning of c.h5
> alt="configurations of r.h5
