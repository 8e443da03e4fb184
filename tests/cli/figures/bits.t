# Figures of device bits are drawn from the file's numbers; statistics alone are enough.
$ for i in 1 2 3 4 5; do echo 0110110001101101 1; echo 1101010100100111 2; echo 1111000011110000 3; done > three.txt
+ extract-features --qrng three.txt -q --only-statistics -o bits.h5 && figures bits.h5 -o figs && ls figs; figures bits.h5 -o figs
> figs: 4 figures in 8 files, 8 written
> bit-tests.png
> bit-tests.svg
> frequency.png
> frequency.svg
> symbols.png
> symbols.svg
> transitions.png
> transitions.svg
> figs: up to date
$ figures bits.h5 --figure transitions -o t.svg -q && grep -c '<svg' t.svg
> 1
# one bit a row, all of them equal: nothing is undefined enough to stop
$ echo 1 | extract-features --qrng - -q -o one.h5 && figures one.h5 -q -o one && ls one | wc -l
> 8
$ figures bits.h5 --figure curves -o c.png
! figures: bits.h5: holds 'device-bits'; its figures: frequency, bit-tests, transitions, symbols
! figures: nothing was drawn
? 2

# Few rows, wide errors: they lie within their panels, so the figure is no higher than these.
$ for i in 1 2 3 4 5 6 7 8; do echo 0101101$((i % 2)) 1; echo 1101001$((i / 2 % 2)) 2; done > few.txt; extract-features --qrng few.txt -q -o few.h5
+ figures few.h5 --figure symbols -q -o few.svg; grep -o '<svg [^>]*' few.svg | sed -E 's/.* height="([0-9]+).*/\1/' | awk '{ print $1 < 200 ? "low" : $1 }'
> low

# Rows of one symbol have no steps between symbols, and so no standard error of those.
$ for i in 1 2 3 4 5; do printf '00\n01\n10\n11\n'; done > a.txt; (cat a.txt; printf '11\n11\n') > b.txt
+ extract-features --qrng a.txt b.txt --symbol-bits 2 -q -o ab.h5; figures ab.h5 -o ab
> ab: 4 figures in 8 files, 8 written
