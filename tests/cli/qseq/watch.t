# Names of classes that lie in a foreign file are taken, unless others are given: exercises of a smart watch.
% need $SHARED/data/sequences/watch.h5
$ w=$SHARED/data/sequences/watch.h5; qseq windows $w:x --labels-of label --subjects-of subject -q -o w.h5 && cache show w.h5 | grep '^classes'
> classes    ABD, ER, FEL, IR, PEN, ROW, TRAP
$ qseq windows $SHARED/data/sequences/watch.h5:x --labels-of label --classes a,b,c,d,e,f,g -q -o x.h5 && cache show x.h5 | grep '^classes'
> classes    a, b, c, d, e, f, g
$ qseq windows $SHARED/data/sequences/watch.h5:x --labels-of series -o z.h5
! qseq: SHARED/data/sequences/watch.h5:series: number 7 has no name among the 7 in classes of that file; name the numbers with --classes
? 65
