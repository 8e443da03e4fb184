# Random-number devices: pairs, and synthetic ones by class.
$ tournament --synthetic 6 --rows 40 --bits 20 --null 20 --trials 2 -q -o s.h5
+ tournament --synthetic 3 --rows 40 --bits 20 --only-bits -q -o bits.h5; tournament bits.h5 --null 20 -q -o t.h5
+ tournament bits.h5 --null 0 -q -o u.h5
$ figures s.h5 t.h5 -o out; ls out
> out: 2 figures in 4 files, 4 written
> synthetic.png
> synthetic.svg
> tournament.png
> tournament.svg
$ figures s.h5 t.h5 -o out
> out: up to date
# Without permutations there is no shade; one device a class leaves means out.
$ tournament --synthetic 3 --rows 40 --bits 20 --null 0 --trials 0 -q -o v.h5
+ figures u.h5 v.h5 --format svg -o other; ls other
> other: 2 figures in 2 files, 2 written
> synthetic.svg
> tournament.svg

# The study's devices have their validation; beside a report on measured devices a panel more.
$ tournament --synthetic 3 --variant validate --rows 20 --null 0 --trials 0 -q -o w.h5; figures w.h5 --figure validation -o w.svg; figures v.h5 --figure validation -o x.svg
> w.svg: 1 figure in 1 file, 1 written
! figures: v.h5 holds no devices of the study, or was made by an older version
? 65
$ qtrain --qrng bits.h5 --model pairs --seeds 2 -q -o c.h5; qeval --qrng c.h5 bits.h5 -q -o r.h5; figures w.h5 r.h5 --figure validation -o y.svg
+ for f in w y; do grep -E 'fill-opacity[:=]"?0\.8[;"]' $f.svg | grep -c ' d="M'; done | paste -sd ' '
> y.svg: 1 figure in 1 file, 1 written
> 12 16
