# The classes of windows without labels: means over replicas and folds; on windows that eval judges, its own probabilities.
$ qseq generate people -q --people 4 --channels 8 --trials 8 -o people && qseq windows -q people/*.edf --rate 40 -o all.h5; /usr/bin/python3 - <<'END'
+ import h5py, numpy as np
+ w = h5py.File('all.h5')
+ last = w['subject'][()] == 3
+ for name, rows in ('old', ~last), ('new', last):
+     np.save(name + '.npy', w['x'][()][rows]), np.save(name + '-y.npy', w['labels'][()][rows]), np.save(name + '-s.npy', w['subject'][()][rows])
+ END
$ from() { qseq windows -q $1.npy --array-rate 40 --subjects-of $1-s.npy "${@:2}"; }; from old --labels-of old-y.npy -o w.h5; from new --labels-of new-y.npy -o new.h5; from new -o bare.h5
+ qseq train w.h5 -q -m means --lr 0.05 --epochs 5 --replicas 2 --split loso --fold all -o m.h5; qseq fit w.h5 -q --split loso --fold all -o f.h5
$ qseq eval m.h5.folds/0.h5 bare.h5 -o x.h5
! qseq: bare.h5: windows without labels; qseq predict names their classes
? 65
$ qseq predict m.h5.folds/*.h5 bare.h5 -o p.h5 --csv p.csv | sed -E 's/agree on [0-9]+/agree on #/; s/(0|1) [0-9]+/\1 #/g'; head -n 1 p.csv; wc -l <p.csv; sed -n 2p p.csv | cut -d, -f 1-4
> p.h5: 24 windows by means, the mean of 6, which agree on #: 0 #, 1 #
> window,recording,person,onset,prediction,p 0,p 1,sd 0,sd 1
> 25
> 0,3,3,
$ qseq predict m.h5.folds/*.h5 bare.h5 -o p.h5 --csv - | cmp - p.csv && echo same; cut -d, -f 1-4 <(qseq predict m.h5.folds/0.h5 all.h5 -o x.h5 2>&1)
> same
> qseq: all.h5: class 'imagined left fist', expected '0' as in m.h5.folds/0.h5

# Each fold's probabilities are those that eval has of the same windows; here are their means.
$ for k in m f; do for f in 0 1 2; do qseq eval $k.h5.folds/$f.h5 new.h5 -q -o $k$f.report.h5; done; qseq predict $k.h5.folds/*.h5 new.h5 -q -o $k.named.h5; done 2>log; /usr/bin/python3 - <<'END'
+ import h5py, numpy as np
+ for k in 'mf':
+     all = np.concatenate([h5py.File(f'{k}{f}.report.h5')['probabilities'][()] for f in range(3)])
+     p = h5py.File(f'{k}.named.h5')
+     assert abs(all.mean(0) - p['probabilities'][()]).max() < 1e-12 and abs(all.std(0, ddof=1) - p['deviations'][()]).max() < 1e-12
+     same = (all.argmax(2) == all.argmax(2)[0]).all(0)
+     assert (p['predictions'][()] == all.mean(0).argmax(1)).all() and p.attrs['agree'] == same.sum() and p.attrs['heads'] == len(all)
+ bare, new = h5py.File('p.h5'), h5py.File('m.named.h5')
+ assert abs(bare['probabilities'][()] - new['probabilities'][()]).max() < 1e-12
+ print('same')
+ END
> same

# What it has learnt from is said; what does not fit is refused.
$ qseq predict m.h5.folds/*.h5 w.h5 -q -o seen.h5; cache show seen.h5 | grep 'learnt from'
> windows that they learnt from 72
$ qseq predict m.h5.folds/0.h5 f.h5.folds/0.h5 new.h5 -o x.h5 2>&1 | grep -c "give one model at a time"; qseq predict m.h5.folds/0.h5 -o x.h5; from() { qseq windows -q new.npy --array-rate 20 -o slow.h5; }; from 2>log; qseq predict m.h5.folds/0.h5 slow.h5 -o x.h5
> 1
! qseq: 1 input, expected MODEL.h5... WINDOWS.h5...; see qseq predict --help
! qseq: slow.h5: windows of 125 steps at 20 Hz, expected 125 at 40 as in m.h5.folds/0.h5
? 65
$ qseq predict m.h5 new.h5 -o x.h5; qseq eval m.h5 new.h5 -o x.h5
! qseq: m.h5: a report, expected models: those of its folds are m.h5.folds/*.h5
! qseq: m.h5: a report, expected models: those of its folds are m.h5.folds/*.h5
? 65
$ qseq predict m.h5.folds/0.h5 new.h5 --csv new.h5 -o x.h5; qseq predict m.h5.folds/0.h5 new.h5 --csv - --json -o x.h5
! qseq: new.h5: is an input; give another name
! qseq: --csv - and --json: both are for the screen; give --csv FILE
? 2

# Known though cut again, without labels and as another file: by person and recording; under other names by its numbers.
$ look="--band 8:30 --rate 40"; for p in 1 2 3; do for labels in T1=left,T2=right T1,T2; do qseq windows -q people/S00$p*.edf $look --labels $labels -o $p$labels.h5; done; done 2>log
+ qseq train *T1=left,T2=right.h5 -q -m means -e 2 --split loso --fold all -o a.h5 2>log; qseq predict a.h5.folds/0.h5 *T1,T2.h5 -o x.h5 | sed 's/:.*//'; qseq predict a.h5.folds/0.h5 1T1,T2.h5 -o x.h5 | sed 's/:.*//'
+ /usr/bin/python3 -c "
+ import numpy as np; x, new = np.load('old.npy'), np.load('new.npy')
+ np.save('mixed.npy', np.concatenate([x[[3, 30, 50]], new[:7]])), np.save('mixed-s.npy', [3] * 10)"
+ qseq windows -q mixed.npy --array-rate 40 --subjects-of mixed-s.npy -o mixed.h5 2>log; qseq predict m.h5.folds/*.h5 mixed.h5 -o x.h5 | sed 's/:.*//'
> x.h5
> x.h5
> x.h5
! qseq: 48 of 72 windows, or others of their recording or person, trained the model or chose its epoch: what it says of these tells nothing of new ones
! qseq: 3 of 10 windows, or others of their recording or person, trained the model or chose its epoch: what it says of these tells nothing of new ones

# recordings without labels: annotations are named, classes are not; a model of recordings names them
$ qseq generate people -q --people 3 --channels 8 --trials 12 -o people; look="--band 8:30 --rate 80"; for p in 1 2; do qseq windows -q people/S00$p*.edf $look -o r$p.h5; done 2>log
+ qseq train r1.h5 r2.h5 -m means --split within -e 2 -q -o r.h5 2>log; qseq windows -q people/S003R04.edf $look --labels T1,T2 -o u3.h5 2>log; qseq windows -q people/S003R04.edf $look -o l3.h5 2>log
+ h5dump -d labels u3.h5 | grep -c -- ' -1'; h5diff u3.h5 l3.h5 /x && echo the same windows
+ qseq predict r.h5 u3.h5 -q -o p3.h5 && qseq predict r.h5 l3.h5 -q -o q3.h5 && h5diff p3.h5 q3.h5 /probabilities && echo the same predictions
+ qseq eval r.h5 u3.h5 -o e3.h5; qseq windows people/S003R04.edf --labels T1=left,T2 -o x.h5; qseq windows people/S003R04.edf --labels ,T2 -o x.h5; qseq windows people/S003R04.edf --labels T1,T1 -o x.h5
> 1
> the same windows
> the same predictions
! qseq: u3.h5: windows without labels; qseq predict names their classes
! qseq: --labels: 'T2' has no class, others have one; all have one, or none has: windows without labels, to be predicted
! qseq: --labels: found '', expected TEXT=CLASS, or TEXT for windows without labels; what has commas stands in double quotes
! qseq: --labels: 'T1' stands twice
? 2

# A fold that nobody asked for; two models at once.
$ qseq train w.h5 -m means --epochs 2 --split loso -o one.h5 | grep -c .
+ qseq fit w.h5 --split kfold --folds 3 -o two.h5 >log; qseq train w.h5 -q -m shallow --epochs 1 --fold 1 --split loso -o three.h5; qseq predict m.h5.folds/0.h5 three.h5 new.h5 -o x.h5
> 1
! qseq: fold 0 of 3 alone: '0' is left out and tested; --fold all does each
! qseq: fold 0 of 3 alone: a part is left out and tested; --fold all does each
! qseq: m.h5.folds/0.h5: a model means, three.h5 holds shallow; give one model at a time, with its folds
? 65

