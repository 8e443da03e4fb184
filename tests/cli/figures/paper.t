# For a paper: a width, a family of fonts, a size of letters; at one column's width panels stand one below the other.
$ "$BUILD/tests/unit/sampling/chains_file" chains.h5; size() { sed -n 's/.*<svg .*width="\([0-9.]*\)pt" height="\([0-9.]*\)pt".*/\1 \2/p' $1; }
+ figures chains.h5 --figure traces -q -o usual.svg; figures chains.h5 --figure traces --width 86mm -o narrow.svg; figures chains.h5 --figure traces --width 17.8cm -q -o wide.svg
+ for f in usual narrow wide; do size $f.svg; done | awk '{ print int($1), ($2 > $1 ? "high" : "broad") }'
> narrow.svg: 1 figure in 1 file, 1 written
> 486 broad
> 243 high
> 504 broad

# whole dots, 300 an inch, of 86 mm
$ figures chains.h5 --figure ranks --width 86mm --font-size 9 -q -o r.png; head -c 20 r.png | tail -c 4 | od -An -tu1 | awk '{ print 256 * $3 + $4 }'
> 1015

$ figures chains.h5 --figure traces --font "DejaVu Serif" -q -o serif.svg; cmp -s usual.svg serif.svg || echo other letters
> other letters

# what is too small to be read is said, and what does not go
$ qcontrol optimize -S 8 -s 1 -i 5 -q -o x.h5; figures x.h5 --figure bloch --width 45mm -o b.svg; figures x.h5 --figure bloch --width 60mm --font-size 12 -o b.svg
> b.svg: 1 figure in 1 file, 1 written
> b.svg: 1 figure in 1 file, 1 written
! figures: b.svg: its smallest text has 5.9 points; from --width 46mm on it has 6
! figures: b.svg: its labels have 9.3 points; 12.0 do not suit this figure at this width

# at one column's width no text is smaller than 6 points, whatever the figure: cells without numbers, columns that stand upright, fewer images across
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 60 -q -o f.h5; qsweep f.h5 -g lr=1e-3,1e-2 --epochs 2 -q -o s.h5 2>/dev/null; qeval s-heads/lr=1e-2.h5 f.h5 -q -o r.h5 2>/dev/null
+ figures r.h5 --images $DATA/digits/test-images-idx3-ubyte --width 86mm -o n; figures f.h5 s.h5 s-heads/lr=1e-2.h5 chains.h5 --width 86mm -o n >log
+ for c in 12 40; do awk -v c=$c 'BEGIN { print "a,b,class"; for (i = 0; i < 9999; i++) { k = i % c; print k, k * k % 7, "a_name_that_is_long_" k } }' | sed 's/ /,/g' >t.csv; extract-features t.csv --label class -q -f -o t.h5 2>/dev/null; qtrain t.h5 --core none --epochs 1 -q -f -o h.h5 2>/dev/null; qeval h.h5 t.h5 -q -o c$c.h5 2>/dev/null; done; figures c12.h5 c40.h5 --width 86mm -o n2 >log
+ qcontrol train --detuning-range=-0.5,0.5 --iterations 4 -q -o p.h5 2>/dev/null; qcontrol regret p.h5 -t 4 -s 2 --gradients 8 -q -o g.h5 2>/dev/null; figures g.h5 p.h5 x.h5 --width 86mm -o n >log
+ qseq generate people -q --people 2 --channels 8 --trials 4 -o people && qseq windows -q people/*R04.edf --rate 80 -o w.h5; figures w.h5 --width 86mm -o n >log; ls n/*.svg n2/*.svg | wc -l
> n: 3 figures in 6 files, 6 written
> 27
$ for w in 86 86km 1mm x; do figures chains.h5 --width $w -o w; done; figures chains.h5 --font Nosuch --figure traces -o nosuch.svg; ls w; figures chains.h5 --report p.html --width 86mm
> nosuch.svg: 1 figure in 1 file, 1 written
! figures: --width: found '86', expected a length of 25mm to 1000mm, as 86mm
! figures: --width: found '86km', expected a length of 25mm to 1000mm, as 86mm
! figures: --width: found '1mm', expected a length of 25mm to 1000mm, as 86mm
! figures: --width: found 'x', expected a length of 25mm to 1000mm, as 86mm
! figures: --font: 'Nosuch' is as wide as this machine's default; if fc-list : family does not name it, it is not here
! ls: cannot access 'w': No such file or directory
! figures: --width: is of -o; the page has all figures as they are
? 2
