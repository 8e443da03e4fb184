# --dry-run of what judges, bounds and samples says how long the run would take, by its first moments: within ten times of what it takes, and nothing is left of them.
$ D=$DATA/digits; for k in train test; do extract-features $D/$k-images-idx3-ubyte --resize 28 --limit 300 -q -o $k.h5; done; qtrain train.h5 --epochs 10 -q -o h.h5 2>log
+ within() { local o; o=$1; shift; "$@" --dry-run --json -o $o >dry 2>log || cat log; [ ! -e $o ] || echo left; s=$EPOCHREALTIME; "$@" -q -o $o 2>log || cat log; e=$EPOCHREALTIME; awk -v s=$s -v e=$e -v t=$(jq .estimated_seconds dry) 'BEGIN { r = t / (e - s); if (!(r > 0.1 && r < 10)) print t, e - s; else print "within" }'; jq -c .estimate_at_most dry; }
+ within r.h5 qeval h.h5 test.h5 --noise depolarizing=0.01 --trajectories 1000 --shots 1000 -j 1
+ within c.h5 sgld head train.h5 --head h.h5 --rungs 4 --warmup 20 --draws 20 --chains 2 --parameters tail --compare; ls -A | grep -vE '^[a-z]*.h5$|^dry$|^log$' | tr '\n' ' '
+ qcontrol train -i 100 --n-segments 10 --hidden-dim 16 -b 16 -q -o p.h5 2>log; within g.h5 qcontrol regret p.h5 --tasks 50 --steps 5 --starts 2
> within
> false
> within
> false
> within
> true

# A longer run takes longer by it, too; of a test suite, whose permutations end early where all is well, it is the most.
$ dry() { "$@" --dry-run --json -o no.h5 2>log; }; (dry qcontrol regret p.h5 --tasks 20 --steps 5; dry qcontrol regret p.h5 --tasks 2000 --starts 8 --gradients 4000000 --steps 5) | jq -es '.[1].estimated_seconds > 2 * .[0].estimated_seconds'
+ (for r in 4 40; do dry sgld head train.h5 --head h.h5 --rungs $r --warmup 20 --draws 20 --parameters tail; done) | jq -es '.[1].estimated_seconds > 4 * .[0].estimated_seconds'
+ for i in 1 2; do head -c 25000 <(openssl enc -aes-128-ctr -K 0$i -iv 00 -nosalt </dev/zero 2>/dev/null) >d$i.bin; done; n() { tournament --nist d1.bin d2.bin --packed --bits 1000 "$@"; }; n --permutations 0 --dry-run --json -o n.h5 >few; n --dry-run --json -o n.h5 | jq -es '(.[1].estimated_seconds > .[0].estimated_seconds) and .[1].estimate_at_most' few -; n --dry-run -o n.h5 | grep -c 'would take at most'; [ -e n.h5 ] || echo nothing
> true
> true
> true
> 1
> nothing
