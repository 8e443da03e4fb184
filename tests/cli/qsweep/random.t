# Ranges, and points that are drawn from them.
~ s/(again.*: qtrain f.h5) .* -o/\1 # -o/
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -q -o f.h5
$ qsweep f.h5 --grid "lr=1e-4:1e-1:log4 layers=1:3:lin3" --epochs 1 --reduction none -q -o range.h5; ls range-heads
> lr=0.001_layers=1.h5
> lr=0.001_layers=2.h5
> lr=0.001_layers=3.h5
> lr=0.01_layers=1.h5
> lr=0.01_layers=2.h5
> lr=0.01_layers=3.h5
> lr=1e-1_layers=1.h5
> lr=1e-1_layers=2.h5
> lr=1e-1_layers=3.h5
> lr=1e-4_layers=1.h5
> lr=1e-4_layers=2.h5
> lr=1e-4_layers=3.h5

# The seed draws; of more points the first are the same; a point is the head that qtrain gives it alone.
$ draw() { qsweep f.h5 --grid "lr=1e-4:1e-1:log dropout=0:0.5:lin core=circuit,none" --random "$1" --seed 3 --epochs 2 --reduction 8 -q --no-provenance -o $2.h5; }
+ draw 4 few; draw 6 more; ls few-heads; for h in few-heads/*; do cmp $h more-heads/${h#*/} && echo same; done; ls more-heads | wc -l; draw 4 again; cmp few.h5 again.h5 && echo same
> lr=0.0005197_dropout=0.0706_core=circuit.h5
> lr=0.0008105_dropout=0.4_core=none.h5
> lr=0.007912_dropout=0.09119_core=circuit.h5
> lr=0.01799_dropout=0.006626_core=none.h5
> same
> same
> same
> same
> 6
> same
$ h=$(ls few-heads/*core=circuit* | head -n 1); [[ $h =~ lr=(.*)_dropout=(.*)_core ]]
+ qtrain f.h5 --lr ${BASH_REMATCH[1]} --dropout ${BASH_REMATCH[2]} --seed 3 --epochs 2 --reduction 8 --no-controls -q --no-provenance -o one.h5; cmp one.h5 $h && echo same
> same
$ qsweep f.h5 --grid "lr=1e-4:1e-1:log" --random 2 --seed 4 --epochs 1 --reduction 8 -q -o other.h5; ls other-heads
> lr=0.0007411.h5
> lr=0.05214.h5

# All points on other samples, by qeval.
$ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 -q -o t.h5; qeval few-heads/*.h5 t.h5 --csv - 2>log | cut -d, -f 1-4 | sed 's/few-heads.//'
> head,replicas,seed,samples
> lr=0.0005197_dropout=0.0706_core=circuit.h5,1,3,100
> lr=0.0008105_dropout=0.4_core=none.h5,1,3,100
> lr=0.007912_dropout=0.09119_core=circuit.h5,1,3,100
> lr=0.01799_dropout=0.006626_core=none.h5,1,3,100

$ qsweep f.h5 --grid "lr=1e-4:1e-1:log" -o x.h5; qsweep f.h5 --grid "lr=1e-4:1e-1" -o x.h5; qsweep f.h5 --grid "layers=1,2" --random 3 -o x.h5; qsweep f.h5 --grid "layers=1,2" --random 0 -o x.h5; qsweep f.h5 --grid "lr=1e-4:1e-1:log,1" --random 3 -o x.h5
! qsweep: --grid: lr: '1e-4:1e-1:log' has no number of values; write one behind it (7), or draw points with --random N
! qsweep: --grid: lr: found '1e-4:1e-1', expected LO:HI:log7 or LO:HI:lin7, 2 to 64 values
! qsweep: --random: found 2 different points in this grid; give no more
! qsweep: --random: found '0', expected a whole number from 1 to 4096
! qsweep: --grid: lr: a range; give it alone
? 2
