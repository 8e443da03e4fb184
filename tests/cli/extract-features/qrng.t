# Bits of random-number devices: what is read, what is kept, what is wrong where.
$ extract-features --qrng --help | head -4
> Usage: extract-features [options] --qrng BITS... -o BITS.h5
> Measured bits to rows and statistics, each with its standard error
>
> Bits

$ for i in 1 2 3 4 5 6; do echo 011011000110 1; echo 110101010010 2; done > two.txt
+ extract-features --qrng two.txt --symbol-bits 2 -o bits.h5; extract-features --qrng two.txt --symbol-bits 2 -o bits.h5
+ h5dump -d bits -d labels -d device_stats/symbol_counts -d features/ones bits.h5 | grep '^ *(' | sed -n '1,3p;12,30p'
> bits.h5: 12 rows of 12 bits, 2 devices, rate of 1 0.5000 0.5000; successive symbols of 2 bits depend on each other (p 10^-14.5 after Holm, device 1), roughly, of so few; # s
> bits.h5: up to date: 12 rows of 12 bits, 2 devices, rate of 1 0.5000 0.5000; successive symbols of 2 bits depend on each other (p 10^-14.5 after Holm, device 1), roughly, of so few; # s
>    (0,0): 108, 96,
>    (1,0): 213, 32,
>    (2,0): 108, 96,
>    (11,0): 213, 32
>    (0): 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1
>    (0,0): 6, 12, 12, 6,
>    (1,0): 6, 18, 6, 6
>    (0): 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6

# a file of this kind is an input, and what it declares holds
$ extract-features --qrng bits.h5 -o again.h5 --json | jq -r '.rows, .symbol_bits, .devices'
+ cache log again.h5 | tail -3
> 12
> 2
> 2
>       DATE, # s
>       bits: two.txt
>         sha256 HEX64

# from a stream; the devices' names are those of the files
$ printf '\245\017\074' | extract-features --qrng - --packed --bits 7 -o p.h5
+ printf '0110\n1001\n' > a.txt; cp a.txt b.txt; extract-features --qrng a.txt b.txt -o ab.h5
+ h5dump -d class_names ab.h5 | grep '^ *(' | sed 's/\\000//g'
> p.h5: 3 rows of 7 bits, 1 device, rate of 1 0.5238; successive symbols of 1 bit show no dependence (least p 1 after Holm), roughly, of so few; # s
> ab.h5: 4 rows of 4 bits, 2 devices, rate of 1 0.5000 0.5000; successive symbols of 1 bit show no dependence (least p 0.83 after Holm), roughly, of so few; # s
>    (0): "a",
>    (1): "b"
! extract-features: 3 bits at the ends of inputs make no row of 7: left out

$ yes $'\245Z<' | extract-features --qrng - --rows 4 -q -o y.h5 --packed --bits 50 && h5dump -a n_rows y.h5 | grep '('
>    (0): 4

# the first rows of each device, whatever the input
$ printf '0110 1\n0111 1\n0100 1\n1001 2\n1000 2\n' > l.txt; extract-features --qrng l.txt --rows 2 -q -o l.h5; extract-features --qrng l.h5 --rows 1 -q -o m.h5
+ h5dump -d bits -d labels -d device_stats/rows l.h5 | grep '^ *(' ; h5dump -d bits -d labels m.h5 | grep '^ *('; extract-features --qrng a.txt b.txt --rows 1 -q -o n.h5; h5dump -d labels n.h5 | grep '^ *('
>    (0,0): 96,
>    (1,0): 112,
>    (2,0): 144,
>    (3,0): 128
>    (0): 0, 0, 1, 1
>    (0): 2, 2
>    (0,0): 96,
>    (1,0): 144
>    (0): 0, 1
>    (0): 0, 1

# what is all equal is not called independent
$ printf '0000\n0000\n' | extract-features --qrng - -o k.h5; printf '0000\n0000\n' | extract-features --qrng - -o k.h5 -f --json | jq -c '[.symbols_independent, .least_log10_p]'; rm l.txt l.h5 m.h5 n.h5 k.h5
> k.h5: 2 rows of 4 bits, 1 device, rate of 1 0.0000; successive symbols of 1 bit are too few or all equal: not tested, # s
> [false,null]

# the same bits are the same content in every format
$ printf "\223NUMPY\1\0\77\0{'descr': '|S4', 'fortran_order': False, 'shape': (2,), }     \n01101001" > a.npy
+ for f in a.txt a.npy; do extract-features --qrng $f -q -o $f.h5; cache show $f.h5 --json | jq -r .content; done | uniq | wc -l
> 1

# statistics alone
$ extract-features --qrng two.txt --only-statistics -q -o s.h5 && ls; extract-features --qrng s.h5 -o t.h5
> a.npy
> a.npy.h5
> a.txt
> a.txt.h5
> ab.h5
> again.h5
> b.txt
> bits.h5
> p.h5
> s.h5
> two.txt
> y.h5
! extract-features: s.h5: holds statistics alone; make it without --only-statistics
? 65

# one line for each damage
$ bad() { printf "$1" > bad.txt; extract-features --qrng bad.txt -o x.h5; echo "status $?"; }
+ bad '011 1\n0x1 2\n'; bad '011 1\n01 2\n'; bad '011 1\n0110 2\n'; bad '011 1\n011\n'; bad '011 1\n011 a\n'; bad '011 1\n011 0\n'
+ bad '011 1\n0\0001 2\n'; bad '011 1\n011 3\n'; bad '011 1\n\n011 2\n'; bad ''; bad '011 1\n011 2 \n'
> status 65
> status 65
> status 65
> status 65
> status 65
> status 65
> status 65
> status 65
> status 65
> status 65
> status 65
! extract-features: bad.txt: row 2, position 2: found 'x', expected 0 or 1
! extract-features: bad.txt: row 2 has 2 bits, row 1 has 3
! extract-features: bad.txt: row 2 has 4 bits, row 1 has 3
! extract-features: bad.txt: row 2 has no label, row 1 has one
! extract-features: bad.txt: row 2: label 'a', expected a whole number from 1 to 4096
! extract-features: bad.txt: row 2: label '0', expected a whole number from 1 to 4096
! extract-features: bad.txt: row 2, position 2: found a NUL byte, expected 0 or 1
! extract-features: bad.txt: device 2 has no rows, though labels go up to 3 (first in row 2)
! extract-features: bad.txt: row 2 is empty
! extract-features: bad.txt: holds no rows
! extract-features: bad.txt: row 2: label '2 ', expected a whole number from 1 to 4096

# A mark of byte order and CR before LF are not part of a row; a text in UTF-16 is told.
$ printf '\357\273\277011 1\r\n001 2\r\n' > mark.txt; printf '011 1\n001 2\n' > plain.txt; for i in mark plain; do extract-features --qrng $i.txt -q -o $i.h5; h5dump -d bits $i.h5 | sed 1d; done | sort | uniq -c | awk '$1 != 2 && NF > 2'; rm mark.h5 plain.h5
$ printf '011\n' | iconv -t UTF-16 > u.txt; extract-features --qrng u.txt -o x.h5
! extract-features: u.txt: UTF-16 text, expected rows of 0 and 1; convert it: iconv -f utf-16 -t ascii
? 65

# a NUL byte behind the bits; lines of CR alone; numbers and characters that are no bits in NumPy's files
$ bad() { printf "$1" > bad.txt; extract-features --qrng bad.txt -o x.h5; echo "status $?"; }
+ bad '011 1\n011 2\0\n'; bad '011 1\n011\0 2\n'; bad '011 1\r011 2\r'
+ npy() { printf "\223NUMPY\1\0\77\0{'descr': '$1', 'fortran_order': False, 'shape': $2, }$3\n$4" > bad.npy; extract-features --qrng bad.npy -o x.h5; echo "status $?"; }
+ npy '|u1' '(1, 4)' '   ' '\0\1\60\0'; npy '<U2' '(1,)' '     ' '0\0\0\0\0\366\1\0'; npy '|S2' '(1,)' '     ' '0\351'
> status 65
> status 65
> status 65
> status 65
> status 65
> status 65
! extract-features: bad.txt: row 2: a NUL byte in its label
! extract-features: bad.txt: row 2, position 4: found a NUL byte, expected 0 or 1
! extract-features: bad.txt: row 1: label '1?011 2?', expected a whole number from 1 to 4096
! extract-features: bad.npy: row 1, column 3: found 48, expected 0 or 1; of characters save a - 48
! extract-features: bad.npy: row 1, position 2: found U+1F600, expected 0 or 1
! extract-features: bad.npy: row 1, position 2: found byte 0xe9, expected 0 or 1

# files of one name, and one file twice, are devices that can be told apart
$ mkdir one two && cp a.txt one && cp a.txt two && extract-features --qrng one/a.txt b.txt two/a.txt a.txt -q -o same.h5 && h5dump -d class_names same.h5 | grep '^ *(' | sed 's/\\000//g'
+ rm -r one two same.h5 bad.npy
>    (0): "a",
>    (1): "b",
>    (2): "a#3",
>    (3): "a#4"

$ extract-features --qrng two.txt --symbol-bits 5 -o x.h5
+ extract-features --qrng two.txt --packed -o x.h5; extract-features --qrng two.txt --bits 3 -o x.h5
+ extract-features --qrng -o x.h5; extract-features --qrng two.txt; extract-features --qrng two.txt a.txt -o x.h5
+ extract-features --qrng two.txt bits.h5 -o bits.h5; extract-features --qrng absent.txt -o x.h5; extract-features --qrng . -o x.h5
+ extract-features --qrng two.txt --resize 3 -o x.h5; printf 'x' | extract-features --qrng - --packed --bits 9 -o x.h5
+ extract-features --qrng $DATA/backbone/*.safetensors -o x.h5; extract-features --qrng - - -o x.h5 < a.txt; ls x.h5
! extract-features: two.txt: rows of 12 bits hold no whole number of symbols of 5 bits; --symbol-bits that divides them: 1, 2, 3, 4, 6
! extract-features: --packed: bytes have no rows; give --bits N, the bits of one
! extract-features: --bits belongs to --packed and --encoding; other inputs say how long rows are
! extract-features: 0 inputs, expected BITS...; see extract-features --qrng --help
! extract-features: no output; give -o BITS.h5
! extract-features: a.txt: rows of 4 bits and symbols of 1, in two.txt they have 12 and 1
! extract-features: bits.h5: rows of 12 bits and symbols of 2, in two.txt they have 12 and 1
! extract-features: absent.txt: cannot be opened: No such file or directory
! extract-features: .: is a folder, expected a file
! extract-features: --resize: belongs to extract-features without --qrng (extract-features --help)
! extract-features: standard input: 1 byte hold no row of 9 bits
! extract-features: ROOT/data/backbone/resnet18-gray28-f16.safetensors: row 1, position 1: found byte 0x90, expected 0 or 1; raw bytes are taken with --packed --bits N
! extract-features: -: standard input can be one input only; name a file for the other
! ls: cannot access 'x.h5': No such file or directory
? 2

# an option of the mode without the mode says where it belongs
$ extract-features --symbol-bits 2 two.txt
! extract-features: --symbol-bits: belongs to extract-features --qrng (extract-features --qrng --help)
? 2

# Bytes that are no text are told from text with a wrong character.
$ printf '\245\017\074' | extract-features --qrng - -o x.h5; printf '01x' | extract-features --qrng - -o x.h5
! extract-features: standard input: row 1, position 1: found byte 0xa5, expected 0 or 1; raw bytes are taken with --packed --bits N
! extract-features: standard input: row 1, position 3: found 'x', expected 0 or 1
? 65

# What is no packed bytes is not taken for such; fifteen bytes may be anything.
$ printf '0101\n0110\n1101\n1\n' > t.txt; extract-features --qrng t.txt --packed --bits 8 -o x.h5; head -c 15 t.txt | extract-features --qrng - --packed --bits 8 -q -o x.h5; echo $?
+ extract-features --qrng x.h5 --packed --bits 8 -o y.h5; printf "\223NUMPY\1\0" | extract-features --qrng - --packed --bits 8 -o y.h5
> 0
! extract-features: t.txt: begins with digits as text, expected packed bytes; leave out --packed and --bits
! extract-features: x.h5: an HDF5 file, expected packed bytes; leave out --packed and --bits
! extract-features: standard input: an array of NumPy's, expected packed bytes; leave out --packed and --bits
? 65

# A file of one bit a line, or of one line, is taken, but a word is said; then what that word advises
$ head -c 200 /dev/zero | tr '\0' 0 > line.txt; fold -w 1 line.txt > one.txt; extract-features --qrng one.txt -o x.h5; extract-features --qrng line.txt -f -o x.h5; extract-features --qrng one.txt -f --json -o x.h5 2>/dev/null | jq -c '[.rows, .bits]'
+ tr -d '\n' < one.txt | fold -w 100 | extract-features --qrng - -f -o x.h5; fold -w 100 line.txt | extract-features --qrng - -f -o x.h5
+ cat line.txt <(echo) line.txt | extract-features --qrng - -f -o x.h5; rm x.h5 t.txt line.txt one.txt
> x.h5: 200 rows of 1 bit, 1 device, rate of 1 0.0000; successive symbols of 1 bit are too few or all equal: not tested, # s
> x.h5: 1 row of 200 bits, 1 device, rate of 1 0.0000; successive symbols of 1 bit are too few or all equal: not tested, # s
> [200,1]
> x.h5: 2 rows of 100 bits, 1 device, rate of 1 0.0000; successive symbols of 1 bit are too few or all equal: not tested, # s
> x.h5: 2 rows of 100 bits, 1 device, rate of 1 0.0000; successive symbols of 1 bit are too few or all equal: not tested, # s
> x.h5: 2 rows of 200 bits, 1 device, rate of 1 0.0000; successive symbols of 1 bit are too few or all equal: not tested, # s
! extract-features: rows of 1 bit; if lines are no rows, make rows of 100: tr -d '\n' | fold -w 100
! extract-features: one row of 200 bits a device; rows of 100, which can be compared: fold -w 100

# One symbol a byte, hexadecimal and base64 text: the same bits are the same content.
$ printf '\0\1\1\0\1\0\0\1' > a.symbols; printf '\1\2\2\1' > a.pairs; echo 69 > a.hex; echo 'aQ==' > a.base64; printf i > a.bits
+ read_as() { extract-features --qrng "$@" -q -f -o x.h5 && cache show x.h5 --json | jq -r .content; }
+ (read_as a.txt; read_as a.bits --packed --bits 4; read_as a.symbols --encoding symbols --symbol-bits 1 --bits 4; read_as a.hex --encoding hex --bits 4; read_as a.base64 --encoding base64 --bits 4) | uniq -c | awk '{ print $1 }'
+ (read_as a.txt --symbol-bits 2; read_as a.pairs --encoding symbols --symbol-bits 2 --bits 4) | uniq -c | awk '{ print $1 }'
> 5
> 2
$ extract-features --qrng a.pairs --encoding symbols --symbol-bits 1 --bits 4 -o y.h5; extract-features --qrng a.pairs --encoding symbols --bits 4 -o y.h5; extract-features --qrng a.pairs --encoding symbols --symbol-bits 4 --bits 12 -o y.h5 >/dev/null; extract-features --qrng a.hex --encoding hexadecimal --bits 4 -o y.h5
! extract-features: a.pairs: byte 2 is 2, expected a symbol of 1 bit, at most 1; --symbol-bits says how many a byte has
! extract-features: --encoding symbols: give --symbol-bits N, the bits that a byte has
! extract-features: 4 bits at the ends of inputs make no row of 12: left out
! extract-features: --symbol-bits 4, but a device has no symbol of 4 or more: 2 bits a byte?
! extract-features: --encoding: found 'hexadecimal', expected one of symbols|hex|base64; did you mean hex?
? 2

# A byte a bit, as NIST's programs read it, is not taken for packed bytes, and what is advised reads it.
$ yes $'0110100110010110' | head -40 | tr -d '\n' | tr 01 '\0\1' > s.bin; extract-features --qrng s.bin --packed --bits 100 -o y.h5; extract-features --qrng s.bin -o y.h5; extract-features --qrng s.bin --encoding symbols --symbol-bits 1 --bits 160 -o y.h5
> y.h5: 4 rows of 160 bits, 1 device, rate of 1 0.5000; successive symbols of 1 bit depend on each other (p 10^-10.1 after Holm, device s), # s
! extract-features: s.bin: no byte is 2 or more: 1 bit a byte? expected packed bytes; take --encoding symbols --symbol-bits 1 in place of --packed
! extract-features: s.bin: row 1, position 1: found a NUL byte, expected 0 or 1; no byte is 2 or more: bytes of 1 bit each are taken with --encoding symbols --symbol-bits 1 --bits N
# What lies in a file's place, and other files.
$ printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 46830571\n' > b.bin
+ extract-features --qrng b.bin --packed --bits 100 -o y.h5; extract-features --qrng b.bin -o y.h5; printf '<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n' > b.bin; extract-features --qrng b.bin --packed --bits 100 -o y.h5
+ printf '0110\n1001\n' | gzip > t.gz; extract-features --qrng t.gz -o y.h5; extract-features --qrng t.gz --packed --bits 8 -o y.h5; head -c 100 $ROOT/tests/golden/nist_e.bin | od -An -v -tx1 | extract-features --qrng - --packed --bits 8 -o y.h5
+ printf 'q0q1\n0110\n' | extract-features --qrng - -o y.h5; rm a.symbols a.pairs a.hex a.base64 a.bits x.h5 y.h5 s.bin b.bin t.gz
! extract-features: b.bin: a pointer of Git LFS, not the file: git lfs pull
! extract-features: b.bin: a pointer of Git LFS, not the file: git lfs pull
! extract-features: b.bin: an HTML page, not the file: fetch it again
! extract-features: t.gz: a gzip file, expected rows of 0 and 1; convert it: zcat
! extract-features: t.gz: a gzip file, expected packed bytes; convert it: zcat
! extract-features: standard input: hexadecimal text, expected packed bytes; take --encoding hex in place of --packed, or convert it: xxd -r -p
! extract-features: standard input: row 1, position 1: found 'q', expected 0 or 1; line 2 is a row: take line 1 out: tail -n +2

# A symbol has a bit at least.
$ extract-features --qrng a.txt --symbol-bits 0 -o x.h5
! extract-features: --symbol-bits: found 0, expected a whole number from 1 to 8
? 2

# Inputs of one name, and one of them twice, which has the rows of the first; the file keeps both words.
$ awk 'BEGIN { s = 3; for (r = 0; r < 40; r++) { t = ""; for (j = 0; j < 50; j++) { s = (s * 16807) % 2147483647; t = t (s > 1073741823) } print t } }' >rows.txt
+ mkdir x y; head -n 20 rows.txt >x/a.txt; tail -n 20 rows.txt >y/a.txt; extract-features --qrng x/a.txt y/a.txt -o n.h5; extract-features --qrng x/a.txt rows.txt x/a.txt -o twice.h5
+ for i in 1 2 3 4 5 6 7; do mkdir $i; cp x/a.txt $i; done; extract-features --qrng y/a.txt rows.txt x/a.txt [1-7]/a.txt --only-statistics -o ten.h5 -q; cache show ten.h5 | grep 'one name'
> n.h5: 40 rows of 50 bits, 2 devices, rate of 1 0.4680 0.4980; successive symbols of 1 bit show no dependence (least p 0.36 after Holm), # s
> twice.h5: 80 rows of 50 bits, 3 devices, rate of 1 0.4680 0.4830 0.4680; successive symbols of 1 bit show no dependence (least p 1 after Holm), # s
> caution    inputs of one name: device a is y/a.txt, a#3 is x/a.txt, a#4 is 1/a.txt, a#5 is 2/a.txt, a#6 is 3/a.txt, a#7 is 4/a.txt, a#8 is 5/a.txt, a#9 is 6/a.txt, and so on in the order of the inputs
! extract-features: inputs of one name: device a is x/a.txt, a#2 is y/a.txt
! extract-features: 60 of 80 rows occur more than once, where chance makes at most 0.0 do so if a bit depends on its place and the bit before; where copies of a row train and judge, accuracies and tests by rows are worthless
! extract-features: inputs of one name: device a is x/a.txt, a#3 is x/a.txt
