# Windows, models on them, reports: people have their names, an accuracy both its standard errors.
$ qseq generate people -q --people 3 --channels 8 --trials 6 -o people && for s in 1 2 3; do qseq windows -q people/S00$s*.edf --rate 40 -o S$s.h5; done
+ for f in 0 1 2; do qseq train -q S?.h5 -m means --lr 0.05 --epochs 4 --replicas 2 --split loso --fold $f -o fold$f.h5; qseq fit -q S?.h5 -m mdm --split loso --fold $f -o mdm$f.h5; done
+ qseq eval fold?.h5 S?.h5 -q -o means.report.h5; qseq eval mdm?.h5 S?.h5 -q -o mdm.report.h5
$ figures S1.h5 fold0.h5 means.report.h5 mdm.report.h5 --report run.html
> run.html: a page of 4 files
$ /usr/bin/python3 - <<'END'
+ import h5py, re
+ page = open('run.html').read()
+ text = re.sub('<[^>]*>', ' ', re.sub('<img[^>]*>', '', page))
+ for name in 'means', 'mdm':
+     r = h5py.File(name + '.report.h5')
+     share, of, n = r['subjects/mean_accuracy'][()], r.attrs['accuracy'], r['subjects/n'][()]
+     people = (3 / 2 * sum((n / n.sum()) ** 2 * (share - of) ** 2)) ** .5
+     windows = (of * (1 - of) / n.sum()) ** .5
+     assert abs(people - r.attrs['accuracy_se_people']) < 1e-12 and abs(windows - r.attrs['accuracy_se']) < 1e-12
+     told = '%.4f (standard error %.4f over people, %.4f by windows alone)' % (of, people, windows)
+     print(text.count('accuracy ' + told), len(re.findall(r'accuracy\s\s+' + re.escape(told), text)))
+     for who, k, accuracy in zip(('S001', 'S002', 'S003'), n, share):
+         assert '<th scope="row">%s</th><td class="n">%.4f</td><td class="n">%d</td>' % (who, accuracy, k) in page, (who, accuracy, k)
+ print(re.findall('<h1>(.*)</h1>', page), re.findall('<h3>(Each .*)</h3>', page))
+ END
> 3 1
> 3 1
> ['Evaluation of sequence models'] ['Each replica at its best epoch', 'Each replica on all windows that it was tested on', 'Each person, mean over replicas', 'Each person, mean over replicas']

# One person: by windows alone.
$ qseq eval fold0.h5 S1.h5 -o one.report.h5 | sed 's/0\.[0-9]*/#/g'; qseq eval mdm?.h5 S?.h5 -o x.h5 | sed 's/0\.[0-9]*/#/g'; figures one.report.h5 --report one.html
> one.report.h5: means, accuracy # (standard error # by 18 windows of 1 person; mean of 2 replicas), AUC #, kappa #
> x.h5: mdm, accuracy # (standard error # over 3 people, # by 54 windows alone), AUC #, kappa #
> one.html: a page of 1 file
! qseq: the model does not tell all classes apart: it takes all 18 windows of mdm0.h5 for 'imagined right fist' (accuracy 0.5000)
$ sed 's/0\.[0-9]*/#/g' one.html | grep -o 'accuracy # (standard error[^)]*)' | sort -u
> accuracy # (standard error # by windows alone)

# Each figure of it; a replica of a report can be chosen.
$ figures S1.h5 fold0.h5 means.report.h5 -o all; figures means.report.h5 mdm.report.h5 --figure people -o people.svg; figures mdm.report.h5 --figure importance -o i.svg
> all: 8 figures in 16 files, 16 written
> people.svg: 1 figure in 1 file, 1 written
! figures: mdm.report.h5 holds no importance of channels: its model has no gradient
? 65
$ figures means.report.h5 mdm.report.h5 -o two; ls two
> two: 4 figures in 8 files, 8 written
> confusion-mdm.report.png
> confusion-mdm.report.svg
> confusion-means.report.png
> confusion-means.report.svg
> importance-means.report.png
> importance-means.report.svg
> people.png
> people.svg
$ figures S1.h5 means.report.h5 --format svg -o few && ls few
> few: 7 figures in 7 files, 7 written
> confusion.svg
> erd.svg
> importance.svg
> people.svg
> spectra.svg
> topography.svg
> windows.svg
$ figures means.report.h5 --figure confusion --replica 1 -o one.svg; figures S1.h5 --figure windows --replica 1 -o w.svg
> one.svg: 1 figure in 1 file, 1 written
! figures: --replica: is of a report, and none of these files is one
? 2

# A sweep is drawn by what it recorded: losses, or accuracies.
$ qseq sweep S?.h5 --split within -m means -g 'lr=1e-2,5e-2' --epochs 2 -q -o loss.h5; qseq sweep S?.h5 --split within -m means -g 'lr=1e-2,5e-2' --epochs 2 --judge accuracy -q -o accuracy.h5
$ for s in loss accuracy; do figures $s.h5 -o $s.svg --figure sweep; figures $s.h5 --report $s.html; grep -o '<p class="lead">.*</p>' $s.html | sed 's/0\.[0-9]*$/#/; s/lr=[15]e-2, \(val [a-z]*\) [0-9.]*/lr=#, \1 #/'; done
> loss.svg: 1 figure in 1 file, 1 written
> loss.html: a page of 1 file
> <p class="lead">loss.h5: 2 points of 1 model; best: lr=#, val loss #</p>
> accuracy.svg: 1 figure in 1 file, 1 written
> accuracy.html: a page of 1 file
> <p class="lead">accuracy.h5: 2 points of 1 model; best: lr=#, val accuracy #</p>
