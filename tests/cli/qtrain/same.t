# Where each seed has the same difference there is no interval, which would be of no width: here all find each of the few
# validation samples.
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 200 -o f.h5
$ qtrain f.h5 --replicas 2 --val-fraction 0.005 --epochs 40 --lr 1e-2 -o h.h5 2> log | sed '1d; $d'
>   circuit - twin   +0.0000 (the same with each of 2 seeds: no interval)
>   circuit - frozen +0.0000 (the same with each of 2 seeds: no interval)
>   circuit - none   +0.0000 (the same with each of 2 seeds: no interval)
$ qtrain f.h5 --replicas 2 --val-fraction 0.005 --epochs 40 --lr 1e-2 --json -o h.h5 --force 2> log | jq -c '[.val_accuracy, .minus_twin, .minus_twin_low, .minus_twin_high, .minus_none_low]'
> [1,0,null,null,null]
$ qeval h.h5 f.h5 --split val -o r.h5; qeval h.h5 f.h5 --split val --json -o j.h5 | jq -c '[.minus_twin, .minus_twin_low, .minus_none_high]'
> r.h5: accuracy 1.0000 +- 0.0000 (standard deviation over 2 heads; 95 % over samples 0.2065 to 1.0000), on 1 sample
>   circuit - twin   +0.0000 (the same with each of 2 seeds: no interval)
>   circuit - frozen +0.0000 (the same with each of 2 seeds: no interval)
>   circuit - none   +0.0000 (the same with each of 2 seeds: no interval)
> [0,null,null]
! qeval: h.h5: not trained to its end: 6 % of what the training loss fell by came with the last tenth of the 40 epochs; give more --epochs
! qeval: h.h5: not trained to its end: 6 % of what the training loss fell by came with the last tenth of the 40 epochs; give more --epochs
$ cache show r.h5 | grep -A 1 '^circuit'; cache show --json r.h5 | jq -c '.attributes | [.minus_twin, .minus_twin_low, .minus_none_high]'
> circuit - twin       0.0000 (the same with each of 2 seeds: no interval)
> circuit - frozen     0.0000 (the same with each of 2 seeds: no interval)
> circuit - none       0.0000 (the same with each of 2 seeds: no interval)
> heads' accuracy      1.0000 +- 0.0000 (standard deviation) of 2: 1.0000 1.0000
> [0,null,null]

# the file keeps what the formula says
$ h5dump -a minus_twin_low r.h5 | grep '(0)'
>    (0): 0
