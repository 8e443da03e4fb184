# The same command again: it tells from the file what the first run told.
~ /not tell all classes apart/d
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 100 -q -o f.h5
$ o="--grid lr=1e-3,1e-2,3e-2 --reduction 8 --epochs 2 --replicas 2 --no-provenance"; echo "$o" >options
+ qsweep f.h5 $o -o s.h5 >first; rm -r s-heads; qsweep f.h5 $o -o s.h5 >again; qsweep f.h5 $o -q -o s.h5
+ diff first again; grep -c '^lr=' again
> 5c5
> < s.h5: 3 points of 2 heads, # s; heads in s-heads
> ---
> > s.h5: up to date; 3 points of 2 heads
> 3
! qsweep: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qsweep: 3 of 3 heads are not in s-heads as this table has them; --force trains all
$ o=$(cat options); qsweep f.h5 $o --json -f -o s.h5 >first.json; qsweep f.h5 $o --json -o s.h5 >again.json
+ jq -c 'del(.seconds, .status, .cautions)' first.json | diff - <(jq -c 'del(.status, .cautions)' again.json) && jq -r '.status, .best_command' again.json
> up to date
> qtrain f.h5 --reduction 8 --epochs 2 --lr 0.03 --replicas 2 -o s-best.h5
! qsweep: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction

# The command names the input and output of today.
$ ln -s f.h5 same.h5; mv s.h5 u.h5; qsweep same.h5 $(cat options) -o u.h5 | tail -n 1
> the best again, with its controls: qtrain same.h5 --reduction 8 --epochs 2 --lr 0.03 --replicas 2 -o u-best.h5
! qsweep: 3 of 3 heads are not in u-heads as this table has them; --force trains all

# From the shared store, whose heads are not fetched.
$ o=$(cat options); qsweep f.h5 $o --store shared -q -o a.h5; rm -r a-heads; qsweep f.h5 $o --store shared -o b.h5 | diff - again; ls -d b*
> 5c5
> < b.h5: fetched from the shared store; 3 points of 2 heads
> ---
> > s.h5: up to date; 3 points of 2 heads
> 7c7
> < the best again, with its controls: qtrain f.h5 --reduction 8 --epochs 2 --lr 0.03 --replicas 2 -o b-best.h5
> ---
> > the best again, with its controls: qtrain f.h5 --reduction 8 --epochs 2 --lr 0.03 --replicas 2 -o s-best.h5
> b.h5
! qsweep: 3 of 3 heads are not in b-heads as this table has them; --force trains all
$ o=$(cat options); qsweep f.h5 $o --store shared --json -o c.h5 | jq -c 'del(.key, .val_accuracy, .val_loss)'
> {"output":"c.h5","status":"fetched from the shared store","points":3,"replicas":2,"best":"lr=3e-2","best_command":"qtrain f.h5 --reduction 8 --epochs 2 --lr 0.03 --replicas 2 -o c-best.h5"}
! qsweep: 3 of 3 heads are not in c-heads as this table has them; --force trains all

# A shard names no command, neither at first nor again; the whole of merged ones does.
$ o=$(cat options); for i in 0 1 0; do qsweep f.h5 $o --shard $i/2 --heads h -o $i.h5 | tail -n 2; done
+ cache merge 0.h5 1.h5 -q --no-provenance -o m.h5; qsweep f.h5 $o -o m.h5 | diff - again
> lr=1e-3       2        4402  0.1000 (0.1000 to 0.1000)    2.3933
> 0.h5: 1 point of 2 heads, # s; heads in h
> 1.h5: 2 points of 2 heads, # s; heads in h
> the best of 2 is flattered by the choice: judge it with qeval on other samples
> lr=1e-3       2        4402  0.1000 (0.1000 to 0.1000)    2.3933
> 0.h5: up to date; 1 point of 2 heads
> 5c5
> < m.h5: up to date; 3 points of 2 heads
> ---
> > s.h5: up to date; 3 points of 2 heads
> 7c7
> < the best again, with its controls: qtrain f.h5 --reduction 8 --epochs 2 --lr 0.03 --replicas 2 -o m-best.h5
> ---
> > the best again, with its controls: qtrain f.h5 --reduction 8 --epochs 2 --lr 0.03 --replicas 2 -o s-best.h5
! qsweep: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qsweep: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qsweep: 3 of 3 heads are not in m-heads as this table has them; --force trains all
? 1

# A loss beyond all bounds has its column still; where all diverged there is no best point, and is none again.
$ qsweep f.h5 --grid lr=1 --weight-decay 1000 --optimizer adamw --epochs 3 -o b.h5 | sed -nE '/^lr/s/ +0\.[0-9]+ +[0-9]\.[0-9]+e\+[0-9]+/ # #e+#/p'
> lr=1        3       70186 # #e+#
! qsweep: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
$ o="--grid weight-decay=1000,999 --optimizer adamw --lr 1 --epochs 40"; qsweep f.h5 $o -q -o n.h5 2>log; qsweep f.h5 $o -o n.h5; qsweep f.h5 $o --json -o n.h5 | jq -c keys
> point              epochs  parameters  val accuracy  val loss
> weight-decay=1000       0       70186  diverged
> weight-decay=999        0       70186  diverged
> n.h5: up to date; 2 points of 1 head
> no point has an accuracy on validation samples
> ["key","output","points","replicas","status"]

# Another sweep's heads in the folder, or what is none: the table is told to have lost its own.
$ qsweep f.h5 --grid "layers=1,2" --epochs 1 -q -o one.h5 --heads both; qsweep f.h5 --grid "layers=1,3" --epochs 2 -q -o two.h5 --heads both
+ qsweep f.h5 --grid "layers=1,2" --epochs 1 -o one.h5 --heads both | tail -n 4 | head -n 1; echo junk >both/layers=2.h5; qsweep f.h5 --grid "layers=1,2" --epochs 1 -o one.h5 --heads both >words
> layers=2       1       70182  0.1000          2.3170
! qsweep: 1 of 2 heads is not in both as this table has it; --force trains all
! qsweep: 2 of 2 heads are not in both as this table has them; --force trains all
