# Sums, marginals and fidelities train, with noise and without, and are judged with shots.
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 -o f.h5
$ for o in '0.5*ZZII+0.25*XIII-ZIII,IIZZ' 'probs(0,2)' 'z,fidelity(ghz),probs(3)'; do for n in none depolarizing=0.01
+ do qtrain -q f.h5 --observables "$o" --noise $n --epochs 1 --no-controls -o h.h5 -f; qeval -q h.h5 f.h5 --shots 100 -o r.h5 -f; echo $?; done; done | xargs
> 0 0 0 0 0 0

# The key and the head have one form of the text.
$ for o in 'IIZZ, -ZIII+0.25*XIII+ 0.50*ZZII' 'IIZZ,0.25*XIII-1*ZIII+0.5*ZZII' '1*IIZZ,0.25*XIII-ZIII+0.25*ZZII+0.25*ZZII'
+ do qtrain f.h5 --observables "$o" --key -o x.h5; done | sort -u | wc -l
> 1
$ qtrain -q f.h5 --observables '0.50*ZZII - ZIII, probs( 0, 2 )' --epochs 1 --no-controls -o k.h5; cache show k.h5 | grep -o 'observables "[^"]*"'
> observables "-ZIII+0.5*ZZII,probs(0,2)"

# The twin has as many outputs: five, as the classifier has inputs.
$ for c in circuit twin; do qtrain f.h5 --observables 'probs(0,2),ZZII' --core $c --epochs 1 --no-controls --no-provenance -q -o $c.h5
+ h5dump -H -d params/head.0.weight $c.h5 | grep -o 'SIMPLE { ([ 0-9,]*)'; done
> SIMPLE { ( 1, 16, 5 )
> SIMPLE { ( 1, 16, 5 )

$ qtrain f.h5 --observables 'fidelity(ghz)' --noise readout=0.01 -o x.h5
! qtrain: fidelity(ghz) under readout errors depends on the circuit that undoes the state; leave out readout, or observe strings
? 2
$ qtrain f.h5 --observables 'fidelity(ghz)' --noise depolarizing=0.01 --epochs 1 --no-controls -q -o g.h5; qeval g.h5 f.h5 --noise readout=0.01 -o r.h5
! qeval: fidelity(ghz) under readout errors depends on the circuit that undoes the state; leave out readout, or observe strings
? 2

# Values of a grid: a comma within parentheses separates nothing, beside a bar none does.
$ qsweep f.h5 --grid 'observables=z,probs(0,2)' --epochs 1 --reduction none -q -o s.h5; ls s-heads
> observables=probs(0,2).h5
> observables=z.h5
$ qsweep f.h5 --grid 'observables=ZZII,IIZZ|fidelity(w),0.5*ZZII-XIII' --epochs 1 --reduction none -q -o b.h5; ls b-heads
> observables=ZZII,IIZZ.h5
> observables=fidelity(w),0.5*ZZII-XIII.h5
