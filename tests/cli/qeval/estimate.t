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

# A longer run takes longer by it, too.
$ dry() { "$@" --dry-run --json -o no.h5 2>log; }; (dry qcontrol regret p.h5 --tasks 20 --steps 5; dry qcontrol regret p.h5 --tasks 2000 --starts 8 --gradients 4000000 --steps 5) | jq -es '.[1].estimated_seconds > 2 * .[0].estimated_seconds'
+ (for r in 4 40; do dry sgld head train.h5 --head h.h5 --rungs $r --warmup 20 --draws 20 --parameters tail; done) | jq -es '.[1].estimated_seconds > 4 * .[0].estimated_seconds'
> true
> true

# Of a test suite the permutations of independent data end early: the forecast is of that many, within three times (within 1.5 where nothing else runs) of what it takes. Data that depend, bits twice each, may take all of them, at most.
$ for i in 1 2 3 4; do head -c 12500 <(openssl enc -aes-128-ctr -K 0$i -iv 00 -nosalt </dev/zero 2>/dev/null) >d$i.bin; done; xxd -b -c 1 d1.bin | head -n 6250 | awk '{ gsub(/./, "&&", $2); print $2 }' | tr -d '\n' | fold -w 1000 | awk '{ print $1, 1 }' >twice.txt
+ n() { tournament --nist "$@"; }; d="d1.bin d2.bin d3.bin d4.bin --packed --bits 1000"; n $d --dry-run --json -o n.h5 >some; n $d --permutations 0 --dry-run --json -o n.h5 >none; n twice.txt --dry-run --json -o n.h5 >all; n twice.txt --dry-run -o n.h5 | grep -c 'would take at most'; [ -e n.h5 ] || echo nothing
+ jq -cs 'map(.estimate_at_most), .[0].estimated_seconds > .[1].estimated_seconds, .[2].estimated_seconds > 3 * .[0].estimated_seconds' some none all
+ s=$EPOCHREALTIME; n $d -q -o n.h5; e=$EPOCHREALTIME; awk -v s=$s -v e=$e -v t=$(jq .estimated_seconds some) 'BEGIN { r = t / (e - s); if (r > 1 / 3 && r < 3) print "within"; else print t, e - s }'
> 1
> nothing
> [false,false,true]
> true
> true
> within
