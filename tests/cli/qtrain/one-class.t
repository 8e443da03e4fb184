# One class: every head is right, which is said.
$ mkdir -p set/dot; for i in 1 2 3 4 5 6; do cp $CORPUS/png/grey set/dot/$i.png; done; extract-features set --resize 28 -q -o f.h5
$ qtrain f.h5 --epochs 1 --no-controls -o h.h5
> h.h5: 1 epoch, val accuracy 1.0000 (best epoch 1), # s, # s/epoch
! qtrain: one class: there is nothing to tell apart, and every accuracy is 1
! qtrain: only 1 validation sample: by it the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: all 6 rows of the features are equal: there is nothing to learn from them
$ mkdir set/other; cp set/dot/1.png set/other; extract-features set --resize 28 -q -o f.h5; qtrain f.h5 --epochs 1 --no-controls -o h.h5 | cut -d , -f 1
> h.h5: 1 epoch
! qtrain: only 1 validation sample: by it the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: all 7 rows of the features are equal: there is nothing to learn from them
