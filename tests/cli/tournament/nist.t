# The standards on the first 200,000 binary digits of e, which look random, and on biased symbols by a rule.
$ head -c 25000 $ROOT/tests/golden/nist_e.bin >e.bin; tournament --nist e.bin --packed --bits 1000 --permutations 200 --progress none -o n.h5
> e: 200 rows of 1000 bits
>   SP 800-22    10 of 10 tests passed, 5 not applicable; 1 sequence of 200000 bits
>   SP 800-90B   0.8175 bits a bit (compression), 0.9854 if independent, of 200000 where 1000000 are asked for
>   independent  not refuted: log10 p -0.0285 of neighbours, -0.0278 of parts; 200 permutations are too few for a verdict, expected at least 2000
>   extractable  691 bits of a row alone, 0.8175 a bit of long blocks (within 2^-64)
> n.h5: 1 device, # s; no test of SP 800-22 fails
$ tournament --nist e.bin --packed --bits 1000 --permutations 200 --progress none -o n.h5
> n.h5: up to date
> e: 200 rows of 1000 bits
>   SP 800-22    10 of 10 tests passed, 5 not applicable; 1 sequence of 200000 bits
>   SP 800-90B   0.8175 bits a bit (compression), 0.9854 if independent, of 200000 where 1000000 are asked for
>   independent  not refuted: log10 p -0.0285 of neighbours, -0.0278 of parts; 200 permutations are too few for a verdict, expected at least 2000
>   extractable  691 bits of a row alone, 0.8175 a bit of long blocks (within 2^-64)
> n.h5: 1 device, # s; no test of SP 800-22 fails
$ tournament --nist e.bin --packed --bits 1000 --permutations 200 -q --no-provenance --threads 1 -o a.h5
+ tournament --nist e.bin --packed --bits 1000 --permutations 200 -q --no-provenance --threads 3 -o b.h5
+ cmp a.h5 b.h5 && echo same
> same
$ for d in sp800_22/verdict entropy/assessed iid/verdict extractable/row extractable/bit; do h5dump -m %.4f -d $d n.h5 | grep '(0'; done
>    (0,0): 1,
>    (0,1): 1,
>    (0,2): 1,
>    (0,3): 1,
>    (0,4): 1,
>    (0,5): 1,
>    (0,6): 1,
>    (0,7): 1,
>    (0,8): 2,
>    (0,9): 2,
>    (0,10): 1,
>    (0,11): 2,
>    (0,12): 2,
>    (0,13): 1,
>    (0,14): 2
>    (0): 0.8175
>    (0): 1
>    (0): 691.0000
>    (0): 0.8175
$ awk 'BEGIN { s = 1; for (d = 1; d <= 2; d++) for (r = 0; r < 60; r++) { t = "";
+ for (j = 0; j < 50; j++) { s = (s * 16807) % 2147483647; u = s / 2147483647 * 4; if (d == 2 && u > 3.5) u = 0;
+ t = t (u >= 2) (u % 2 >= 1) } print t " " d } }' >two.txt
$ tournament --nist two.txt --symbol-bits 2 --permutations 2000 -v
> 1: 60 rows of 100 bits
>   SP 800-22    8 of 8 tests passed, 7 not applicable; 1 sequence of 6000 bits
>     frequency                  passed, log10 p -0.503
>     block frequency            passed, log10 p -0.293
>     cumulative sums            passed, log10 p -0.154
>     runs                       passed, log10 p -0.883
>     longest run                passed, log10 p -0.24
>     rank                       not applicable: 6000 bits, at least 38912 are needed
>     spectral                   passed, log10 p -0.141
>     non-overlapping templates  not applicable: 6000 bits, at least 131072 are needed
>     overlapping templates      not applicable: 6000 bits, at least 1000000 are needed
>     universal                  not applicable: 6000 bits, at least 387840 are needed
>     approximate entropy        passed, log10 p -0.0431
>     random excursions          not applicable: 6000 bits, at least 1000000 are needed
>     random excursions variant  not applicable: 6000 bits, at least 1000000 are needed
>     serial                     passed, log10 p 0
>     linear complexity          not applicable: 6000 bits, at least 1000000 are needed
>   SP 800-90B   0.7536 bits a bit (collision), 0.9348 if independent, of 6000 where 1000000 are asked for
>   SP 800-90B   1.7373 bits a symbol (t-tuple), 1.8527 if independent, of 3000 where 1000000 are asked for
>     most common value          0.9348 bits a bit, 1.8527 a symbol
>     collision                  0.7536 bits a bit
>     Markov                     0.9727 bits a bit
>     t-tuple                    0.8777 bits a bit, 1.7373 a symbol
>     longest repeat             0.9523 bits a bit, 1.8925 a symbol
>     MultiMCW                   0.9406 bits a bit, 1.8296 a symbol
>     lag                        0.9841 bits a bit, 1.8487 a symbol
>     MultiMMC                   0.9334 bits a bit, 1.8989 a symbol
>     LZ78Y                      0.9349 bits a bit, 1.8644 a symbol
>   independent  not refuted: log10 p -1.68 of neighbours, -0.0766 of parts, 19 statistics as of permutations
>   extractable  0 bits of a row alone, 0.7536 a bit of long blocks (within 2^-64)
> 2: 60 rows of 100 bits
>   SP 800-22    1 of 7 tests passed, 8 not applicable; 1 sequence of 6000 bits
>     frequency                  failed, log10 p -75.4
>     block frequency            failed, log10 p -55.3
>     cumulative sums            failed, log10 p -74.8
>     runs                       not applicable: the ones are too many or too few: see frequency
>     longest run                failed, log10 p -51.8
>     rank                       not applicable: 6000 bits, at least 38912 are needed
>     spectral                   passed, log10 p -0.543
>     non-overlapping templates  not applicable: 6000 bits, at least 131072 are needed
>     overlapping templates      not applicable: 6000 bits, at least 1000000 are needed
>     universal                  not applicable: 6000 bits, at least 387840 are needed
>     approximate entropy        failed, log10 p -50.3
>     random excursions          not applicable: 6000 bits, at least 1000000 are needed
>     random excursions variant  not applicable: 6000 bits, at least 1000000 are needed
>     serial                     failed, log10 p -50.4
>     linear complexity          not applicable: 6000 bits, at least 1000000 are needed
>   SP 800-90B   0.6545 bits a bit (most common value), 0.6545 if independent, of 6000 where 1000000 are asked for
>   SP 800-90B   1.3447 bits a symbol (most common value), 1.3447 if independent, of 3000 where 1000000 are asked for
>     most common value          0.6545 bits a bit, 1.3447 a symbol
>     collision                  0.6705 bits a bit
>     Markov                     0.7215 bits a bit
>     t-tuple                    0.6545 bits a bit, 1.3447 a symbol
>     longest repeat             0.8589 bits a bit, 1.6564 a symbol
>     MultiMCW                   0.6714 bits a bit, 1.4510 a symbol
>     lag                        0.8712 bits a bit, 1.6533 a symbol
>     MultiMMC                   0.6559 bits a bit, 1.3751 a symbol
>     LZ78Y                      0.6572 bits a bit, 1.3999 a symbol
>   independent  not refuted: log10 p -0.501 of neighbours, -0.118 of parts, 19 statistics as of permutations
>   extractable  0 bits of a row alone, 0.6545 a bit of long blocks (within 2^-64)
> a row tells 0.5908 bits (standard error 0.0542) of 1.0000 about its device, if symbols of 2 bits are independent
> 2 devices, # s; 2 fails frequency, block frequency, cumulative sums, longest run, approximate entropy, serial
$ tournament --nist two.txt --symbol-bits 2 --permutations 0 --json | tr '{' '\n' | grep -A1 '"rank":'
> "log10_p":null,"proportion":null,"uniformity_p":null,"verdict":"not applicable","why":"6000 bits, at least 1000000 are needed"},"rank":
> "log10_p":null,"proportion":null,"uniformity_p":null,"verdict":"not applicable","why":"6000 bits, at least 38912 are needed"},"runs":
> --
> "log10_p":null,"proportion":null,"uniformity_p":null,"verdict":"not applicable","why":"6000 bits, at least 1000000 are needed"},"rank":
> "log10_p":null,"proportion":null,"uniformity_p":null,"verdict":"not applicable","why":"6000 bits, at least 38912 are needed"},"runs":

# None: said, and no verdict by them.
$ tournament --nist two.txt --symbol-bits 2 --permutations 0 | grep '  independent'
>   independent  not refuted: log10 p -1.68 of neighbours, -0.0766 of parts; not compared with permutations (--permutations 0)
>   independent  not refuted: log10 p -0.501 of neighbours, -0.118 of parts; not compared with permutations (--permutations 0)

# Too few permutations: one more extreme than all of them refutes nothing.
$ tournament --nist two.txt --symbol-bits 2 --permutations 1999 | grep '  independent'
>   independent  not refuted: log10 p -1.68 of neighbours, -0.0766 of parts; 1999 permutations are too few for a verdict, expected at least 2000
>   independent  not refuted: log10 p -0.501 of neighbours, -0.118 of parts; 1999 permutations are too few for a verdict, expected at least 2000
$ for n in 0 1999 2000; do tournament --nist two.txt --symbol-bits 2 --permutations $n --json | jq -c '.devices[] | [.iid, .permutations_failed]'; done
> [true,null]
> [true,null]
> [true,null]
> [true,null]
> [true,0]
> [true,0]

# Many sequences.
$ tournament --nist e.bin --packed --bits 1000 --sequence-bits 2000 --permutations 0 -q -o m.h5; h5dump -d sp800_22/passed m.h5 | grep '(0,0)'
>    (0,0): 0.98, 1, 0.99, 0.99, 1, 0.98, nan, 0.99, nan, nan, nan, nan, nan,

# Bits that make no row.
$ tournament --nist e.bin --packed --bits 1500 --permutations 0 -q -o d.h5; tournament --nist e.bin --packed --bits 1500 --permutations 0 | head -1
> e: 133 rows of 1500 bits
! tournament: 500 bits at the ends of inputs make no row of 1500: left out

# Stopped: among the tests, among the permutations (some statistics of bits in turn are never dropped).
$ for i in 1 2 3 4 5 6 7 8; do cat e.bin e.bin e.bin e.bin e.bin; done >long.bin
+ timeout --foreground --preserve-status -s TERM 0.5 tournament --nist long.bin --packed --bits 1000 --sequence-bits 20000 --permutations 0 -q -o s.h5; echo $?
+ head -c 5000 /dev/zero | tr '\0' U >turns.bin
+ timeout --foreground --preserve-status -s TERM 1 tournament --nist turns.bin --packed --bits 100 --permutations 1000000 --progress none -o s.h5; echo $?; ls -A | grep s.h5 || echo no file
> 143
> 143
> no file

# Refused before the work, which would take hours.
$ timeout 60 tournament --nist turns.bin --packed --bits 100 --permutations 1000000 --restarts
! tournament: device turns: 400 rows of 100 symbols, expected 1000 of 1000 at least for --restarts
? 65

# One symbol a byte, as NIST's ea_non_iid takes them, says the same as the packed bits, and not where it is taken for these.
$ head -c 2500 e.bin >s.bin; od -An -v -tu1 s.bin | tr -s ' ' '\n' | awk 'NF { for (i = 128; i >= 1; i /= 2) printf "%d", int($1 / i) % 2 }' | tr 01 '\0\1' >s.bits; od -An -v -tu1 s.bin | tr -s ' ' '\n' | awk 'NF { printf "%c%c", 65 + int($1 / 16), 65 + $1 % 16 }' | tr A-P '\0-\17' >s.nibbles
+ look() { tournament --nist "$@" --bits 1000 --permutations 0 --progress none | sed '1d;$d'; }
+ (look s.bin --packed; look s.bits --encoding symbols --symbol-bits 1) | sort | uniq -c | awk '{ print $1 }' | uniq; (look s.bin --packed --symbol-bits 4; look s.nibbles --encoding symbols --symbol-bits 4) | sort | uniq -c | awk '{ print $1 }' | uniq
+ look s.bits --packed; look s.nibbles --packed; tournament --nist s.bits
> 2
> 2
! tournament: s.bits: no byte is 2 or more: 1 bit a byte? expected packed bytes; take --encoding symbols --symbol-bits 1 in place of --packed
! tournament: s.nibbles: no byte is 16 or more: 4 bits a byte? expected packed bytes; take --encoding symbols --symbol-bits 4 in place of --packed
! tournament: s.bits: row 1, position 1: found byte 0x01, expected 0 or 1; no byte is 2 or more: bytes of 1 bit each are taken with --encoding symbols --symbol-bits 1 --bits N
? 65

# What cannot be done.
$ tournament --nist
! tournament: 0 inputs, expected BITS...; see tournament --nist --help
? 2
$ tournament --nist two.txt -n
! tournament: no output; give -o N.h5
? 2
$ tournament --nist two.txt --sequence-bits 50
! tournament: --sequence-bits: found 50, expected 0 or at least 100
? 2
$ tournament --nist two.txt --sequence-bits 10000
! tournament: device 1: 6000 bits, sequences of 10000; expected at least one sequence of 100
? 65
$ tournament --nist two.txt --symbol-bits 2 --permutations 0 --restarts
! tournament: device 1: 60 rows of 50 symbols, expected 1000 of 1000 at least for --restarts
? 65
$ tournament --nist none.txt
! tournament: none.txt: cannot be opened: No such file or directory
? 66
$ tournament --nist two.txt --permutations -1
! tournament: --permutations: found -1, expected a whole number from 0 to 1000000
? 2

# An endless stream is read as far as it is looked at.
$ yes $'\245Z<' | tournament --nist - --packed --bits 1000 --sequence-bits 1000 --sequences 3 --permutations 0 --progress none -o y.h5 | sed -n '1,2p;$p'; h5dump -H -d sp800_22/log10_p y.h5 | grep -o 'SIMPLE { ([^)]*)'
> standard input: 8000 rows of 1000 bits
>   SP 800-22    2 of 8 tests passed, 7 not applicable; 3 sequences of 1000 bits
> y.h5: 1 device, # s; standard input fails frequency, cumulative sums, runs, longest run, approximate entropy, serial
> SIMPLE { ( 1, 3, 188 )
! tournament: device standard input: no more than its first 8000000 bits are read; for more: --sequences 8001

# More devices than what a row tells about them is summed over.
$ tournament --synthetic 65 --rows 20 --bits 12 --source pairs --only-bits -q -o many.h5
+ tournament --nist many.h5 --symbol-bits 2 --permutations 0 -q -o many-nist.h5; h5dump -a information many-nist.h5 | grep '(0)'
>    (0): nan

# Of bits that are all equal there is nothing to test.
$ for i in $(seq 50); do echo 0000000000000000000000000000000000000000 1; echo 0110100110010110100101100110100110010110 2; done >still.txt
+ tournament --nist still.txt --permutations 0 --progress none -o s.h5 | grep '^  independent'
>   independent  not tested: all 2000 bits are equal
>   independent  no: log10 p -649 of neighbours, 0 of parts; not compared with permutations (--permutations 0)
$ h5dump -d iid/verdict s.h5 | grep '(0)'; tournament --nist still.txt --permutations 0 --json | jq -c '[.devices[].iid]'
>    (0): 2, 0
> [null,false]
$ figures s.h5 -q --report s.html; sed -n 's/<[^>]*>/ /g; s/^ *independent, identically distributed//p' s.html
>   all equal  refuted

# Sequences that are not alike: 2 of 60 are random.
$ head -c 5000 $ROOT/tests/golden/nist_e.bin >part.bin; head -c 145000 /dev/zero >>part.bin
+ tournament --nist part.bin --packed --bits 1000 --sequence-bits 20000 --permutations 0 --progress none -o part.h5
+ tournament --nist part.bin --packed --bits 1000 --sequence-bits 20000 --permutations 0 --json | jq -c '.devices[0].sp800_22 | .frequency, .rank'
> part: 1200 rows of 1000 bits
>   SP 800-22    1 of 8 tests passed, 7 not applicable; 60 sequences of 20000 bits
>     frequency                  failed, log10 p -4.34e+03, passed by 2 of 60 sequences, uniform p 2.98e-102
>     block frequency            failed, log10 p -4.14e+03, passed by 2 of 60 sequences, uniform p 3.51e-102
>     cumulative sums            failed, log10 p -4.34e+03, its worst value passed by 2 of 60 sequences, least uniform p 3.51e-102
>     longest run                failed, log10 p -249, passed by 2 of 60 sequences, uniform p 2.54e-106
>     spectral                   failed, log10 p -227, passed by 2 of 60 sequences, uniform p 3.51e-102
>     approximate entropy        failed, log10 p -5.71e+03, passed by 2 of 60 sequences, uniform p 3.51e-102
>     serial                     failed, log10 p -4.44e+06, its worst value passed by 2 of 60 sequences, least uniform p 3.51e-102
>   SP 800-90B   0.0000 bits a bit (t-tuple), 0.0287 if independent, of the first 1000000
>   independent  no: log10 p -2.65e+04 of neighbours, -4e+04 of parts; not compared with permutations (--permutations 0)
>   extractable  0 bits of a row alone, 0.0000 a bit of long blocks (within 2^-64)
> part.h5: 1 device, # s; part fails frequency, block frequency, cumulative sums, longest run, spectral, approximate entropy, serial
> {"log10_p":-4343.415264430493,"proportion":0.03333333333333333,"uniformity_p":2.9793784606621358e-102,"verdict":"failed","why":""}
> {"log10_p":null,"proportion":null,"uniformity_p":null,"verdict":"not applicable","why":"20000 bits, at least 38912 are needed"}

# Estimates are of a part: of zeros, and behind them what is not looked at.
$ head -c 125000 /dev/zero >late.bin; cat $ROOT/tests/golden/nist_e.bin >>late.bin; tournament --nist late.bin --packed --bits 1000 --permutations 0
> late: 2000 rows of 1000 bits
>   SP 800-22    3 of 15 tests passed, 0 not applicable; 2 sequences of 1000000 bits
>     frequency                  failed, log10 p -2.17e+05, passed by 1 of 2 sequences
>     block frequency            failed, log10 p -2.07e+05, passed by 1 of 2 sequences
>     cumulative sums            failed, log10 p -2.17e+05, its worst value passed by 1 of 2 sequences
>     longest run                failed, log10 p -219, passed by 1 of 2 sequences
>     rank                       failed, log10 p -1.37e+03, passed by 1 of 2 sequences
>     spectral                   failed, log10 p -1.14e+04, passed by 1 of 2 sequences
>     non-overlapping templates  failed, log10 p -428, its worst value passed by 0 of 2 sequences
>     overlapping templates      failed, log10 p -363, passed by 1 of 2 sequences
>     universal                  failed, log10 p -1.09e+06, passed by 1 of 2 sequences
>     approximate entropy        failed, log10 p -2.99e+05, passed by 1 of 2 sequences
>     serial                     failed, log10 p -7.12e+09, its worst value passed by 1 of 2 sequences
>     linear complexity          failed, log10 p -4.12e+04, passed by 1 of 2 sequences
>   SP 800-90B   0.0000 bits a bit (most common value), 0.0000 if independent, of the first 1000000
>   independent  not tested: all of the first 1000000 bits are equal
>   extractable  0 bits of a row alone, 0.0000 a bit of long blocks (within 2^-64)
> 1 device, # s; late fails frequency, block frequency, cumulative sums, longest run, rank, spectral, non-overlapping templates, overlapping templates, universal, approximate entropy, serial, linear complexity
