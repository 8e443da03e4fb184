# Equal accuracies: the lower loss goes first, in the table, as the best point, in the figure and in halving; not the order of the grid.
~ s/ [0-9]\.[0-9]{4}$/ #/
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 60 -q -o f.h5
$ run() { qsweep f.h5 --core none --reduction 8 --epochs 40 "$@"; }; g=lr=1e-3,3e-3,1e-2,3e-2
+ run --grid $g -o s.h5
> point    epochs  parameters  val accuracy  val loss
> lr=3e-2      40        5130  1.0000          #
> lr=1e-2      40        5130  1.0000          #
> lr=3e-3      40        5130  0.8333          #
> lr=1e-3      40        5130  0.8333          #
> s.h5: 4 points of 1 head, # s; heads in s-heads
> the best of 4 is flattered by the choice: judge it with qeval on other samples
> the best again: qtrain f.h5 --core none --reduction 8 --epochs 40 --lr 0.03 -o s-best.h5
! qsweep: only 6 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
$ run() { qsweep f.h5 --core none --reduction 8 --epochs 40 "$@"; }; g=lr=3e-2,1e-2,3e-3,1e-3
+ run --grid $g -q -o r.h5; for f in s r; do cache show $f.h5 | sed -n '/^point /,$p' >$f.table; figures $f.h5 -q -o $f-figures; done
+ cmp s.table r.table; cmp <(sed /^.desc/d s-figures/sweep.svg) <(sed /^.desc/d r-figures/sweep.svg)
+ figures s.h5 -q --report s.html; grep -o '4 points of 1 head; best: [^<]*' s.html | sort -u
+ run --grid lr=1e-2,3e-2 --json -o t.h5 | jq -c '[.best, .val_accuracy, .val_loss < 0.5, .best_command]'; cache list . | grep -o ' ./t.h5: .*'
> 4 points of 1 head; best: lr=3e-2, val accuracy #
> ["lr=3e-2",1,true,"qtrain f.h5 --core none --reduction 8 --epochs 40 --lr 0.03 -o t-best.h5"]
>  ./t.h5: 2 points; best: lr=3e-2, val accuracy #
! qsweep: only 6 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction

# Of several heads, by the means over them.
$ qsweep f.h5 --core none --reduction 8 --epochs 40 --replicas 3 --grid lr=1e-2,2e-2,3e-2 -o m.h5 | sed '/^m.h5/d'
> point    epochs  parameters  val accuracy               val loss
> lr=3e-2      40        5130  1.0000 (1.0000 to 1.0000)    #
> lr=2e-2      40        5130  1.0000 (1.0000 to 1.0000)    #
> lr=1e-2      40        5130  0.9444 (0.8333 to 1.0000)    #
> the best of 3 is flattered by the choice: judge it with qeval on other samples
> the best again: qtrain f.h5 --core none --reduction 8 --epochs 40 --lr 0.03 --replicas 3 -o m-best.h5
! qsweep: only 6 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction

# Halving: after one epoch both have the same accuracy, and the first of the grid the higher loss.
$ qsweep f.h5 --core none --reduction 8 --epochs 2 --halving --grid lr=3e-2,1e-3 -o h.h5 | grep ^lr; ls h-heads
> lr=1e-3       2        5130  0.3333          #
> lr=3e-2       1        5130  0.1667          #
> lr=1e-3.h5
! qsweep: only 6 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
