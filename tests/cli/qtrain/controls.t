# The controls beside a head: in the file, in the summary, in the key; the head's numbers are what
# they are without.
~ /not tell all classes apart/d
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 300 -o f.h5 > log
~ s/[+-][01]\.[0-9]{4}/D/g
~ s/0\.[0-9]{4}/A/g
$ qtrain f.h5 --epochs 3 --replicas 3 -o with.h5
> with.h5: 3 heads, 3 epochs, val accuracy A (A to A), # s, # s/epoch
>   circuit - twin   D (95 % D to D, paired over 3 seeds)
>   circuit - frozen D (95 % D to D, paired over 3 seeds)
>   circuit - none   D (95 % D to D, paired over 3 seeds)
>   controls: # s; parameters: circuit 12, twin 12

# one seed has no interval; without validation samples there is nothing to compare on
$ qtrain f.h5 --epochs 1 -o one.h5 | sed 1d
>   circuit - twin   D (one seed; several --replicas give an interval)
>   circuit - frozen D (one seed; several --replicas give an interval)
>   circuit - none   D (one seed; several --replicas give an interval)
>   controls: # s; parameters: circuit 12, twin 12

$ qtrain f.h5 --epochs 1 --val-fraction 0 -o none.h5 | sed 1d
>   controls: # s; parameters: circuit 12, twin 12; no validation samples to compare on

$ qtrain f.h5 --epochs 3 --replicas 3 --no-controls -o without.h5
> without.h5: 3 heads, 3 epochs, val accuracy A (A to A), # s, # s/epoch

$ for g in params last optimizer history replicas position split; do h5diff with.h5 without.h5 /$g /$g || echo $g differs; done

$ h5ls -r with.h5 | sed -n 's/ .*//; /controls/p' | grep -v digests | grep -e params -e val_acc -e best_epoch | xargs -n 1
> /controls/frozen/history/val_accuracy
> /controls/frozen/params
> /controls/frozen/params/head.0.bias
> /controls/frozen/params/head.0.weight
> /controls/frozen/params/head.1.bias
> /controls/frozen/params/head.1.weight
> /controls/frozen/params/reduce.0.bias
> /controls/frozen/params/reduce.0.weight
> /controls/frozen/params/reduce.1.bias
> /controls/frozen/params/reduce.1.weight
> /controls/frozen/params/reduce.2.bias
> /controls/frozen/params/reduce.2.weight
> /controls/frozen/params/vqc.weight
> /controls/frozen/replicas/best_epoch
> /controls/none/history/val_accuracy
> /controls/none/params
> /controls/none/params/head.0.bias
> /controls/none/params/head.0.weight
> /controls/none/replicas/best_epoch
> /controls/twin/history/val_accuracy
> /controls/twin/params
> /controls/twin/params/head.0.bias
> /controls/twin/params/head.0.weight
> /controls/twin/params/head.1.bias
> /controls/twin/params/head.1.weight
> /controls/twin/params/reduce.0.bias
> /controls/twin/params/reduce.0.weight
> /controls/twin/params/reduce.1.bias
> /controls/twin/params/reduce.1.weight
> /controls/twin/params/reduce.2.bias
> /controls/twin/params/reduce.2.weight
> /controls/twin/params/twin.0.bias
> /controls/twin/params/twin.0.weight
> /controls/twin/replicas/best_epoch

$ h5ls -r without.h5 | grep -c controls
> 0
? 1

# said in the file, and part of the key
$ for f in with without; do cache show $f.h5 --json | jq -c '.key_parts.options | [."no-controls", .core]'
+ h5dump -a /config $f.h5 | grep -o '"no-controls":[a-z]*'; done
> [false,"circuit"]
> "no-controls":false
> [true,"circuit"]
> "no-controls":true

$ for o in "" "--core circuit" "--no-controls" "--core twin" "--core twin --no-controls" "--core frozen" "--core none"
+ do qtrain f.h5 --key $o -o x.h5; done | uniq -c | awk '{print $1}' | xargs
> 2 1 2 1 1

# a head with another core is a control itself, and has the control's very numbers
$ for c in twin frozen none; do qtrain f.h5 --core $c --epochs 3 --replicas 3 -o $c.h5
+ h5diff with.h5 $c.h5 /controls/$c/params /params; h5diff with.h5 $c.h5 /controls/$c/history /history; done
> twin.h5: 3 heads, 3 epochs, val accuracy A (A to A), # s, # s/epoch
> frozen.h5: 3 heads, 3 epochs, val accuracy A (A to A), # s, # s/epoch
> none.h5: 3 heads, 3 epochs, val accuracy A (A to A), # s, # s/epoch

$ circuit show frozen.h5 | grep -c '^ [0-9]:'; circuit show twin.h5
> 4
! circuit: twin.h5: holds no circuit, its core is twin
? 65

$ qtrain f.h5 --core identity -o x.h5
! qtrain: --core: found 'identity', expected one of circuit|twin|frozen|none
? 2

# one JSON object
$ qtrain f.h5 --epochs 1 --replicas 2 --json -o j.h5 | jq -c 'keys | map(select(test("control|minus")))'
> ["controls","minus_frozen","minus_frozen_high","minus_frozen_low","minus_none","minus_none_high","minus_none_low","minus_twin","minus_twin_high","minus_twin_low"]

$ qtrain f.h5 --epochs 1 --no-controls --json -o k.h5 | jq .controls
> false

# gradients of each core
$ for c in circuit twin frozen none; do qtrain f.h5 --core $c --check-gradients | tail -n 1 |
+ sed -E 's/: [0-9.e-]+ \(/: # (/'; done
> core circuit, 154 entries - central differences of the loss: # (bound 1e-07)
> core twin, 154 entries - central differences of the loss: # (bound 1e-07)
> core frozen, 142 entries - central differences of the loss: # (bound 1e-07)
> core none, 26 entries - central differences of the loss: # (bound 1e-07)

# stopped in a control and resumed: the bytes of an undisturbed run
$ qtrain -q f.h5 --epochs 150 --replicas 2 --no-provenance -o whole.h5 > log
+ qtrain -q f.h5 --epochs 150 --replicas 2 --no-provenance --checkpoint-every 10 -o parts.h5 > log & p=$!
+ until h5ls .parts.h5.checkpoint/controls/twin >log 2>&1; do kill -0 $p || exit; done; kill -TERM $p
+ wait $p 2> log; echo $?; h5ls .parts.h5.checkpoint/controls/twin | grep -c -e last -e optimizer -e position
> 143
> 3

$ qtrain f.h5 --epochs 150 --replicas 2 --no-provenance -o parts.h5 > log 2> note
+ grep -c 'found .parts.h5.checkpoint: [0-9]* of 150 epochs of the [tfn]' note; cmp whole.h5 parts.h5; ls -A | grep parts
> 1
> parts.h5

# a control that diverges ends there; the head is published all the same
$ qtrain f.h5 --optimizer sgd --lr 1 --weight-decay 2.5 --classifier none --reduction none --epochs 42 -o wild.h5 2>&1 | sed -E 's/[0-9]+(;)/N\1/' | head -1; cache verify wild.h5
> qtrain: control none, replica 0 diverged in epoch N; it is judged at its best epoch before
> wild.h5: whole
