# A head judged under the noise it was trained with, under another, under none; with shots.
~ /not tell all classes apart/d
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o f.h5
+ qtrain f.h5 --epochs 3 --no-controls -q -o exact.h5; qtrain f.h5 --epochs 3 --noise depolarizing=0.02 --no-controls -q -o noisy.h5
~ s/[0-9]\.[0-9]{4}/#/g

$ qeval exact.h5 f.h5 -o a.h5; qeval noisy.h5 f.h5 -o b.h5
> a.h5: accuracy # [#, #], log loss #, ECE # on 360 samples
>   no controls: trained with --no-controls
> b.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, noise depolarizing=0.02
>   no controls: trained with --no-controls
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: noisy.h5 was trained on these; --split val takes those that it has not seen

$ qeval exact.h5 f.h5 --noise readout=0.1,phase-flip=0.01 -o c.h5; qeval noisy.h5 f.h5 --noise none -o d.h5
+ qeval noisy.h5 f.h5 --noise $DATA/noise/example.json --shots 100 -o e.h5; qeval exact.h5 f.h5 --shots 20 -o g.h5
> c.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, noise phase-flip=0.01,readout=0.1
>   no controls: trained with --no-controls
> d.h5: accuracy # [#, #], log loss #, ECE # on 360 samples
>   no controls: trained with --no-controls
> e.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, noise example (7 qubits), 100 shots
>   no controls: trained with --no-controls
> g.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, 20 shots
>   no controls: trained with --no-controls
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: noisy.h5 was trained on these; --split val takes those that it has not seen
! qeval: noise: the circuit's 4 wires are qubits 0, 1, 2, 3 of the 7 in ROOT/data/noise/example.json; FILE.json,qubits=... takes others
! qeval: f.h5: noisy.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

$ qeval noisy.h5 f.h5 --json -o j.h5 | jq -c '[.noise, .shots]'; cache show e.h5 | grep -oE '^noise .*|shots "100"'
> ["depolarizing=0.02",0]
> shots "100"
> noise                example (7 qubits)
! qeval: f.h5: noisy.h5 was trained on these; --split val takes those that it has not seen

# keys: noise and shots are in them, the seed with shots alone
$ qeval exact.h5 f.h5 --noise readout=0.1,phase-flip=0.01 -o c.h5; qeval exact.h5 f.h5 --seed 1 -o a.h5
> c.h5: up to date: accuracy # [#, #], log loss #, ECE # on 360 samples, noise phase-flip=0.01,readout=0.1
>   no controls: trained with --no-controls
> a.h5: up to date: accuracy # [#, #], log loss #, ECE # on 360 samples
>   no controls: trained with --no-controls
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: --seed changes nothing: without --shots and trajectories nothing is drawn
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

$ for o in "" "--noise none" "--noise readout=0.1" "--shots 5" "--shots 6" "--shots 5 --seed 1"
+ do qeval noisy.h5 f.h5 $o --key -o x.h5; done | sort -u | wc -l
> 6

$ qeval -q exact.h5 f.h5 --shots 50 --threads 1 --no-provenance -o t1.h5
+ qeval -q exact.h5 f.h5 --shots 50 --threads 3 --no-provenance -o t3.h5; cmp t1.h5 t3.h5 && echo same
> same

$ qeval exact.h5 f.h5 --shots 0 -o x.h5
! qeval: --shots: found '0', expected a whole number from 1 to 1000000000
? 2

$ qeval exact.h5 f.h5 --noise deplarizing=1 -o x.h5 2>&1 | cut -c 1-60
> qeval: --noise: found 'deplarizing', expected one of readout

# microseconds and nanoseconds taken for seconds, a lifetime of seconds beside a gate of nanoseconds, a fidelity
$ printf '{"all":{"t1":120.1,"t2":95.3,"gate-time":35.5}}' > units.json
+ for o in units.json t1=100,gate-time=35e-9 depolarizing=0.999; do qeval exact.h5 f.h5 --noise $o --json -o u.h5 -f | jq -r .noise; done
> gate-time=35.5,t1=120.1,t2=95.3
> gate-time=3.5e-08,t1=1e+02
> depolarizing=0.999
! qeval: noise: a gate takes 0.296 of t1: are t1 = 120.1 and gate-time = 35.5 seconds? a unit can be written, as in t1=120us,gate-time=35ns
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: noise: a gate takes 3.5e-10 of t1, which changes next to nothing: are t1 = 100 and gate-time = 3.5e-08 seconds? a unit can be written, as in t1=120us,gate-time=35ns
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: noise: depolarizing = 0.999 is the probability of an error after every gate: is it a fidelity, or per cent?
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

# with units it is the device's noise; of a longer list four qubits are taken; a choice of too many says so
$ qeval exact.h5 f.h5 --noise t1=120.1us,t2=95.3us,gate_time=35.5ns -q -o a.h5 -f; E=$DATA/noise/example.json
+ qeval exact.h5 f.h5 --noise $E,qubits=6,4,2,0 -o b.h5 | grep -o "noise.*"; qeval exact.h5 f.h5 --noise $E,qubits=6,4,2,0,1 -o c.h5 -f | grep -o "noise.*"
+ jq '.qubits |= [.[6,4,2,0]]' $E > four.json; qeval exact.h5 f.h5 --noise four.json -o b.h5
> noise example (4 qubits)
> noise example (5 qubits)
> b.h5: up to date: accuracy # [#, #], log loss #, ECE # on 360 samples, noise example (4 qubits)
>   no controls: trained with --no-controls
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: noise: the circuit's 4 wires are qubits 6, 4, 2, 0 of the 7 in ROOT/data/noise/example.json; the others that were chosen change nothing
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

$ qeval exact.h5 f.h5 --noise $DATA/noise/example.json,qubits=0,1,2,7 -o x.h5
! qeval: --noise: qubits: found 7, ROOT/data/noise/example.json describes 7 qubits, numbered from 0
? 2

$ qeval exact.h5 f.h5 --noise $DATA/noise/example.json,qubits=0,1 -o x.h5
! qeval: noise: it describes 2 qubits, the circuit has 4; add the others to its list 'qubits'
? 2

$ printf '{"backend_name":"d","basis_gates":["sx"]}' > conf.json; qeval exact.h5 f.h5 --noise conf.json -o x.h5
! qeval: conf.json: no backend's properties: found 'backend_name' without a list 'qubits' of T1, T2 and others; take props_*.json, or backend.properties().to_dict()
? 65

$ printf '{"all":{"gate-time":35e-9},"qubits":[{"t1":50e-6,"t2":120e-6}]}' > t2.json; qeval exact.h5 f.h5 --noise t2.json -o x.h5
! qeval: t2.json: qubit 0: t2 is #2, expected at most twice t1, which is 5e-05; where more was measured, write #
? 65
