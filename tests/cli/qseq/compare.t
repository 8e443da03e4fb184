# all folds of two methods on five people, who were left out in turn
$ qseq generate people -q -n 5 --effect 0.9 --channels 16 -o people && qseq windows -q people/*.edf -o w.h5
$ for m in csp-lda mdm; do for f in 0 1 2 3 4; do qseq fit w.h5 -q -m $m --split loso --fold $f -o $m.$f.h5; done; qseq eval $m.?.h5 w.h5 -q -o $m.report.h5; done
$ qseq compare csp-lda.report.h5 mdm.report.h5
$ qseq compare csp-lda.report.h5 mdm.report.h5 --csv --metric auc | cut -d, -f 1-5
$ qseq compare csp-lda.report.h5 mdm.report.h5 --json | jq -c '[.metric, .windows, .people, .folds, (.models | map(.name)), .pairs[0].sign_flip.exact]'

# a report of other windows
$ qseq eval mdm.0.h5 w.h5 -q -o one.report.h5 && qseq compare csp-lda.report.h5 one.report.h5
? 65

# what cannot be
$ qseq compare mdm.report.h5
! qseq: 1 report, expected two or more
? 2
$ qseq compare mdm.report.h5 w.h5
? 65
$ qseq compare csp-lda.report.h5 mdm.report.h5 --csv --json
! qseq: --csv and --json: give one of them
? 2
