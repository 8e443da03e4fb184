# A head's posterior on its own features; its evidence; kept draws as heads, and as one ensemble.
~ /not tell all classes apart/d
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 3 --reduction 16 -q -o head.h5 >/dev/null
+ echo "parameters: tail
+ rungs: 5
+ warmup: 6
+ draws: 8
+ chains: 2
+ leapfrogs: 3
+ keep: 4" > short.yaml

$ sgld head test.h5 --head head.h5 -c short.yaml -o c.h5 2>/dev/null | sed -E 's/-?[0-9]+\.[0-9]+/#/g; s/[0-9]+ effective/# effective/'
> c.h5: circuit head, 262 parameters (tail), 2 chains at 5 temperatures up to n = 324
>   posterior: loss #, error #; kept back: loss #, error #; acceptance #, R-hat #, # effective draws
>   ln Z circuit     # +- # (chance #, ladder #), sums # to #, 262 parameters, # s

# The same bytes from one thread, and from a run that was shorter.
$ sgld head test.h5 --head head.h5 -c short.yaml --no-provenance -q -o a.h5 2>/dev/null; sgld head test.h5 --head head.h5 -c short.yaml --no-provenance -j 1 -q -o b.h5 2>/dev/null; sgld head test.h5 --head head.h5 -c short.yaml --draws 4 --no-provenance -q -o short.h5 2>/dev/null

$ sgld head test.h5 --head head.h5 -c short.yaml --no-provenance --extend short.h5 -q -o grown.h5 2>/dev/null; for f in b grown; do cmp a.h5 $f.h5 && echo same; done
> same
> same

# Circuit against twin against none; the numbers are in the file.
$ sgld head test.h5 --head head.h5 -c short.yaml --compare --sampler mala -o e.h5 --json 2>/dev/null | jq -c '[.parameters, .records, (.ln_bayes_twin - .ln_z_circuit + .ln_z_twin | fabs < 0.01), (.ln_bayes_none_error > 0), (.ln_z_none < 0), (.cautions | length > 0)]'
> [262,324,true,true,true,true]

$ sgld head test.h5 --head head.h5 -c short.yaml --compare --parameters all --key | wc -c
> 65

$ cache show e.h5 | grep -oE '(evidence/[a-z_]+|ln_bayes_[a-z_]+)' | sort -u
> evidence/beta
> evidence/log_z
> evidence/log_z_error
> evidence/log_z_high
> evidence/log_z_ladder
> evidence/log_z_low
> evidence/log_z_se
> evidence/mcse
> evidence/mean_loss
> evidence/model
> evidence/variance
> ln_bayes_none
> ln_bayes_twin

# Stopped among the rivals: the head's own chains are kept, and the same command goes on.
$ echo "sampler: mala
+ parameters: tail
+ rungs: 3
+ warmup: 6
+ draws: 3000
+ chains: 2" > long.yaml; sgld head test.h5 --head head.h5 -c long.yaml -q -o done.h5 2>/dev/null; timeout -s TERM 0.6 sgld head test.h5 --head head.h5 -c long.yaml --compare --extend done.h5 -o rivals.h5 2>&1 | grep -v caution | tail -1
> sgld: stopped by a signal: .rivals.h5.checkpoint; the same command goes on from there

$ sgld head test.h5 --head head.h5 -c long.yaml --compare -o rivals.h5 2>/dev/null | grep -c 'ln B'
> 2

# A draw is a head.
$ sgld export c.h5 --draw 3 -o d.h5
> d.h5: a head, draw 3 of 4
$ sgld export c.h5 --draw 3 -o d.nc; ls d.nc; sgld export c.h5 --draw 3 -o d.nc --force; sgld export c.h5 --draw 3 -o d.tex
> d.nc: a head, draw 3 of 4
! sgld: d.nc: export writes one draw as a head, which is no NetCDF; ArviZ opens the chains themselves: from_netcdf('c.h5'); name a head .h5, or give --force
! ls: cannot access 'd.nc': No such file or directory
! sgld: d.tex: -o writes HDF5, which no .tex is; name it d.h5, or give --force
? 2

$ qeval d.h5 test.h5 -o r.h5 | sed -E 's/-?[0-9]\.[0-9]+/#/g'
> r.h5: accuracy # [#, #], log loss #, ECE # on 360 samples
>   no controls: a draw of a chain has none (sgld head --compare)
! qeval: test.h5: d.h5 was trained on these; --split val takes those that it has not seen

$ qeval d.h5 test.h5 --split val -o v.h5 | sed -E 's/-?[0-9]\.[0-9]+/#/g'
> v.h5: accuracy # [#, #], log loss #, ECE # on 36 samples
>   no controls: a draw of a chain has none (sgld head --compare)

$ qconvert d.h5 -o d.npz
> d.npz: 9 tensors, 8538 values

# All draws as one head; the ensemble of one draw is that draw.
$ qeval c.h5 test.h5 --split val -o rc.h5 2>said | sed -E 's/-?[0-9]\.[0-9]+/#/g'; grep -c '^qeval: c.h5: R-hat is above 1.01' said
> rc.h5: ensemble of 4 draws, accuracy # [#, #], log loss #, ECE # on 36 samples
>   no controls: draws of a chain have none (sgld head --compare)
> 1

$ sgld head test.h5 --head head.h5 -c short.yaml --chains 1 --keep 8 -q -o one.h5 2>/dev/null; sgld export one.h5 --draw 0 -q -o one-head.h5

$ for f in one one-head; do qeval $f.h5 test.h5 --json -o r-$f.h5 2>/dev/null | jq -c '[.accuracy, .log_loss, .ece]'; done | uniq | wc -l
> 1

$ qeval one.h5 test.h5 --json -o r-one.h5 -f 2>/dev/null | jq -c '[.ensemble, .replicas, .controls]'
> [1,1,false]

# What does not go.
$ sgld export c.h5 --draw 4 -o x.h5
! sgld: --draw 4: c.h5 keeps 4, counted from 0
? 2

$ qeval c.h5 test.h5 --shots 10 -o x.h5
! qeval: c.h5: an ensemble of draws is judged by exact outputs: leave --replica, --shots, --trajectories and mitigation out, or take one draw out of it (sgld export)
? 2

$ sgld sample -p classic --test-mode -q -o synth.h5 2>/dev/null; sgld export synth.h5 --draw 0 -o x.h5
! sgld: synth.h5: chains of a network, expected chains of a head, as sgld head writes them (of a table too: qtrain --core none, then sgld head)
? 65

$ sgld head test.h5 -o x.h5
! sgld: head: no --head HEAD.h5, whose parameters are to be sampled
? 2

$ sgld head test.h5 --head head.h5 --betas 1,2 -o x.h5
! sgld: --betas: found 1 to 2, expected 0, the prior, to n = 324, the posterior (write n)
? 2

$ sgld head test.h5 --head head.h5 --betas 0,n,3 -o x.h5
! sgld: --betas: found '3', expected rising numbers from 0, or n: 0,1,10,n
? 2

$ sgld head test.h5 --head head.h5 --parameters head --compare -o x.h5
! sgld: --compare with --parameters head: what stays fixed was trained with the circuit; take all or tail
? 2

$ sgld head test.h5 --head test.h5 -o x.h5
! sgld: test.h5: holds 'features', expected 'head', which comes from qtrain
? 65

$ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 200 -q -o other.h5; sgld head other.h5 --head head.h5 -c short.yaml -o x.h5 2>&1 >/dev/null | head -1
> sgld: other.h5: head.h5 was not trained on these: all rows are sampled on, and none is kept back

# Another seed is another run.
$ sgld head test.h5 --head head.h5 -c short.yaml --seed 1 --extend short.h5 -o x.h5
! sgld: --extend short.h5: is of another run (parts.seed: "0" -> "1"); give the options and inputs it was made with
? 65
