# five people whose truth is known: each method, leaving one out; a second time nothing is computed
$ qseq generate people -q --people 5 --effect 0.9 -o people && qseq windows -q people/*.edf -o w.h5 && ls people | grep -c edf
> 15
$ for m in csp-lda tangent-lr mdm; do qseq fit w.h5 -m $m --split loso --fold 2 -o $m.h5; done
> csp-lda.h5: csp-lda fitted on 180 windows of 64 channels, 45 left to test; # s
> tangent-lr.h5: tangent-lr fitted on 180 windows of 64 channels, 45 left to test; # s
> mdm.h5: mdm fitted on 180 windows of 64 channels, 45 left to test; # s
$ qseq fit w.h5 -m mdm --split loso --fold 2 -o mdm.h5
> mdm.h5: up to date: mdm fitted on 180 windows of 64 channels, 45 left to test; # s

# threads change no bit; alignment by each person changes what is fitted, and is said to be transductive
$ for j in 1 3; do qseq fit w.h5 -m tangent-lr --split loso --fold 2 -j $j -q --no-provenance -o $j.h5; done; cmp 1.h5 3.h5
$ qseq fit w.h5 -m csp-lda --split loso --fold 2 --align subject -q -o aligned.h5 && cache diff csp-lda.h5 aligned.h5 | sed -n '1,6p'
> options.align: "none" -> "subject"
$ qseq fit w.h5 -m mdm --split loso --fold 2 --align subject -o own.h5; qseq fit w.h5 -m mdm --split loso --fold 2 --align subject -o own2.h5 --json -q --force | jq -c '[.align, .transductive]'
> own.h5: mdm fitted on 180 windows of 64 channels, 45 left to test; transductive; # s
> ["subject",true]
! qseq: --align subject: fitted on each person's own windows, test windows among them (not their labels): transductive

# what it says of itself, and that it is whole
$ cache show csp-lda.h5 | sed -n '1,12p' | sed 's/[0-9a-f]\{64\}/KEY/'
> csp-lda.h5
> sequence-fit, # bytes, written by qseq 0.2.0
>
> made       DATE, # s on cpu; run ID
> by         qseq fit w.h5 -m csp-lda --split loso --fold 2 -o csp-lda.h5
> after      1 earlier stage; cache log csp-lda.h5 draws them
> key        KEY
> content    KEY
> model      csp-lda
> split      loso
> classes    imagined left fist, imagined right fist
> options    align "none"  estimator "oas"  filters 0  fold 2  folds 5  method "csp-lda"  split "loso"
$ cache verify csp-lda.h5
> csp-lda.h5: whole

# judged on the person who was left out, as a net is
$ for m in csp-lda tangent-lr mdm; do qseq eval $m.h5 w.h5 --json -o $m.report.h5 | jq -c '[.model, .windows, .people, .accuracy > 0.9]'; done
> ["csp-lda",45,1,true]
> ["tangent-lr",45,1,true]
> ["mdm",45,1,true]

# what cannot be
$ qseq fit
! qseq: 0 inputs, expected WINDOWS.h5...; see qseq fit --help
? 2
$ qseq fit w.h5
! qseq: no output; give -o FIT.h5
? 2
$ qseq fit csp-lda.h5 -o a.h5
! qseq: csp-lda.h5: holds 'sequence-fit', expected 'windows', which comes from qseq windows
? 65
$ qseq windows -q people/S00[123]*.edf --channels C3,Cz,C4 -o three.h5; qseq fit three.h5 --split loso -o a.h5 && h5ls a.h5/filters && qseq fit three.h5 --filters 4 --split loso -o b.h5
> a.h5: csp-lda fitted on 90 windows of 3 channels, 45 left to test; # s
> filters                  Dataset {3, 3}
! qseq: fold 0 of 3 alone: 'S001' is left out and tested; --fold all does each
! qseq: --filters: found 4, 3 channels and 2 classes have 1 to 3
? 65
$ qseq fit w.h5 -m csp-lda --filters 65 --split loso -o a.h5
! qseq: --filters: found 65, 64 channels and 2 classes have 1 to 64
? 65
$ qseq fit w.h5 --split loso --fold 5 -o a.h5
! qseq: --fold: found 5, expected 0 to 4
? 2

# a channel that is a sum of others, whatever the method and its filters; what would change nothing
$ for r in none average; do qseq windows -q people/S00[123]*.edf --channels C3,C1,Cz,C2,C4 --reference $r -o $r.h5; done; for m in "csp-lda --filters 2" csp-lda tangent-lr mdm; do qseq fit average.h5 -m $m --estimator sample --split loso -o x.h5 2>&1 | sed -E 's/covariance [0-9]+/covariance #/; s/eigenvalues [^ ]* to [^ ]*/eigenvalues #/'; done; qseq fit none.h5 --estimator sample --split loso -q -o x.h5 && qseq fit average.h5 --split loso -q -o x.h5 && echo fitted
> qseq: the mean covariance is singular or nearly so (eigenvalues # further apart than 10^10); is a channel a sum of others? The estimator oas, which shrinks, would do
> qseq: the mean covariance is singular or nearly so (eigenvalues # further apart than 10^10); is a channel a sum of others? The estimator oas, which shrinks, would do
> qseq: the mean covariance is singular (eigenvalues # is a channel a sum of others? The estimator oas, which shrinks, would do
> qseq: the mean covariance is singular (eigenvalues # is a channel a sum of others? The estimator oas, which shrinks, would do
> fitted
$ for o in "-m mdm --filters 4" "--strength 3" "-m mdm --strength 3" "--folds 3" "--split loso --test-fraction 0.3" "--split within --split-seed 3"; do qseq fit three.h5 $o -o x.h5; done
! qseq: --filters: changes nothing without --method csp-lda
! qseq: --strength: changes nothing without --method tangent-lr
! qseq: --strength: changes nothing without --method tangent-lr
! qseq: --folds: changes nothing without --split kfold
! qseq: --test-fraction: changes nothing without --split subject|within|leak
! qseq: --split-seed: changes nothing without --split subject|loso|kfold|leak
? 2

# people whom only a file's name names may be sessions of one: said at every split over people, however the windows came together
$ for p in 1 2 3; do cp people/S00${p}R04.edf night$p.edf; qseq windows night$p.edf --channels C3,Cz,C4 --labels T1=left,T2=right -o night$p.h5 2>&1 | grep whose; done
> qseq: 'night1' is taken for a person of its own, as that name does not say whose it is; --subject says it
> qseq: 'night2' is taken for a person of its own, as that name does not say whose it is; --subject says it
> qseq: 'night3' is taken for a person of its own, as that name does not say whose it is; --subject says it
$ said() { "$@" 2>&1 | grep -o "^qseq: .*alone, as [^,]*"; }; said qseq fit night?.h5 -m mdm --split loso -o f.h5; said qseq eval f.h5 night?.h5 -o r.h5; said qseq eval f.h5 night1.h5 -o r.h5; said qseq train night?.h5 -m means --split loso --epochs 1 -o t.h5
> qseq: 3 of 3 people are named by a file alone, as 'night1'
> qseq: 3 of 3 people are named by a file alone, as 'night1'
> qseq: 1 of 1 people is named by a file alone, as 'night1'
> qseq: 3 of 3 people are named by a file alone, as 'night1'
$ qseq fit night?.h5 -m mdm --split loro -q -o g.h5 2>&1 | grep -c alone; for p in 1 2; do qseq windows night$p.edf --subject night$p --channels C3,Cz,C4 --labels T1=left,T2=right -f -q -o night$p.h5; done; qseq fit night?.h5 -m mdm --split loso -o g.h5 2>&1 | sed -n 1p
> 0
> qseq: 1 of 3 people is named by a file alone, as 'night3', which does not say whose it is: two sessions of one person would stand on both sides of the split; --subject of qseq windows says it
