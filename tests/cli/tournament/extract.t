# Nearly uniform bytes from biased symbols: Toeplitz hashing, and von Neumann's rule on whole symbols.
$ awk 'BEGIN { s = 1; for (d = 1; d <= 2; d++) for (r = 0; r < 60; r++) { t = "";
+ for (j = 0; j < 50; j++) { s = (s * 16807) % 2147483647; u = s / 2147483647 * 4; if (u > 3.5) u = 0;
+ t = t (u >= 2) (u % 2 >= 1) } print t " " d } }' >two.txt
$ tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 1024 -o t.bin | sed 's/[0-9.]* MB/# MB/'
> t.bin: 5368 of 12000 bits, 0.4473 a bit; blocks of 1024 to 488, 2^-64 from uniform if they hold 0.6 a bit; # MB/s, # s
! tournament: 736 bits at the end fill no block of 1024: left out
$ wc -c <t.bin; od -An -tx1 -N16 t.bin
> 671
>  6d 73 df 1c 6d c3 f2 58 f8 12 0a 2b 58 d9 80 88
$ tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 1024 -q -o - | cmp - t.bin && echo same
> same
$ tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 1024 --seed 1 -q -o u.bin; cmp -s t.bin u.bin || echo another matrix
> another matrix
$ tournament --extract von-neumann two.txt --symbol-bits 2 --json -o v.bin | sed -E 's/"seconds":.*/.../; s/(-0.50351)[0-9]*/\1/'
> {"output":"v.bin","method":"von-neumann","bits":12000,"extracted":2144,"rate": #,"block_bits":0,"block_extracted":0,"dependence_log10_p":-0.50351,"dependence_device":"","cautions":["4 bits at the end fill no byte: left out"],...
! tournament: 4 bits at the end fill no byte: left out
$ od -An -tx1 -N16 v.bin
>  d5 b1 8e d7 d0 da 81 64 33 e2 57 7c 32 98 19 9e

# Bits that come twice: von Neumann's rule does not hold of single ones, which is said; of both together it does.
$ cut -d ' ' -f 1 two.txt | sed 's/\(.\)./\1\1/g' >twice; sed 's/^.//; s/.$//' twice >shifted; tournament --extract von-neumann shifted -o twice.bin | sed 's/[0-9.]* MB/# MB/'
> twice.bin: 2744 of 11760 bits, 0.2333 a bit; # MB/s, # s
! tournament: symbols of 1 bit depend on each other (p 10^-632.8 after Holm, device shifted), so what comes out need not be uniform; declare --symbol-bits, or take --extract toeplitz
! tournament: 2 bits at the end fill no byte: left out
$ tournament --extract von-neumann shifted --symbol-bits 2 -f -o twice.bin | sed 's/[0-9.]* MB/# MB/'
> twice.bin: 2016 of 11760 bits, 0.1714 a bit; # MB/s, # s
! tournament: symbols of 2 bits depend on each other (p 10^-1240.5 after Holm, device shifted), so what comes out need not be uniform; take --extract toeplitz
! tournament: 7 bits at the end fill no byte: left out
$ tournament --extract von-neumann shifted --json -f -q -o twice.bin | jq -c '[.dependence_log10_p < -100, .dependence_device]'; tournament --extract von-neumann twice --symbol-bits 2 -f -q -o twice.bin --json | jq -c '[.dependence_log10_p > -1.3, .dependence_device]'
> [true,"shifted"]
> [true,""]

# More than the bits hold is refused, by the commonest bit or word.
$ yes 0000000000 | head -n 1200 >zeros.txt; tournament --extract toeplitz zeros.txt --min-entropy 0.95 --block-bits 1024 -o c.bin
! tournament: zeros.txt: --min-entropy 0.95: found 0.000 bits a bit by the commonest value alone (device zeros: 0 comes 12000 times in 12000); no extraction makes random bits of these
? 65
$ tournament --extract toeplitz two.txt --min-entropy 0.95 --block-bits 1024 -o c.bin
! tournament: two.txt: --min-entropy 0.95: found 0.685 bits a bit by the commonest value alone (device 1: 0 comes 3731 times in 6000); give at most 0.648 (SP 800-90B, 6.3.1)
? 65
$ head -n 1 two.txt | cut -c 1-50 >row; for i in $(seq 300); do cat row; done >row300; tournament --extract toeplitz row300 --min-entropy 0.5 --block-bits 1024 -o c.bin
! tournament: row300: --min-entropy 0.5: found 0.323 bits a bit by the commonest value alone (device row300: 01101000 comes 300 times in 1800); give at most 0.300 (SP 800-90B, 6.3.1)
? 65
$ ls c.bin
! ls: cannot access 'c.bin': No such file or directory
? 2

# What is more than so few bits allow is said, and rows that come again.
$ split -n 2 --numeric-suffixes=1 -a 1 $ROOT/tests/golden/nist_e.bin e; tournament --extract toeplitz e1 e2 --packed --bits 1000 --min-entropy 0.999 -o e.bin >/dev/null
! tournament: --min-entropy 0.999 is above 0.993, the most that the commonest value of the bits allows (SP 800-90B, 6.3.1): vouch for it by more of them, or give at most 0.993
! tournament: 576 bits at the end fill no block of 4096: left out
$ tournament --extract toeplitz e1 e2 --packed --bits 1000 --min-entropy 0.99 -f -o e.bin >/dev/null
! tournament: 576 bits at the end fill no block of 4096: left out
$ tournament --extract toeplitz e1 e1 --packed --bits 1000 --min-entropy 0.99 -f -o e.bin >/dev/null
! tournament: 1000 of 1000 rows occur more than once, which is no chance: a copy holds nothing new, so what comes out is not uniform
! tournament: 576 bits at the end fill no block of 4096: left out
$ tournament --extract toeplitz e1 e1 --packed --bits 1000 --min-entropy 0.99 -f -q --json -o e.bin | jq -r .cautions[0]
> 1000 of 1000 rows occur more than once, which is no chance: a copy holds nothing new, so what comes out is not uniform
$ tournament --extract von-neumann e1 e1 --packed --bits 1000 -f -o e.bin >/dev/null
! tournament: 1000 of 1000 rows occur more than once, which is no chance: a copy holds nothing new, so what comes out is not uniform
! tournament: 2 bits at the end fill no byte: left out
$ head -c 300 e1 >once; tournament --extract toeplitz once once --packed --bits 2400 --min-entropy 0.8 --block-bits 1024 -f -o e.bin >/dev/null
! tournament: 2 of 2 rows occur more than once, which is no chance: a copy holds nothing new, so what comes out is not uniform
! tournament: 704 bits at the end fill no block of 1024: left out

# 1,000 bytes of random bits draw the matrix.
$ head -c 1000 $ROOT/tests/golden/nist_e.bin >seed.bin; tournament --extract=toeplitz two.txt --min-entropy 0.6 --block-bits 1024 --hash-seed seed.bin -q -o w.bin; od -An -tx1 -N8 w.bin
>  58 c8 e3 34 52 5a 17 01
$ head -c 100 seed.bin >short.bin; tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 1024 --hash-seed short.bin -f -o w.bin
! tournament: short.bin: 100 bytes, expected at least 189 to draw the matrix
? 65

# Bytes that are not random draw none; and a bit a byte is not hashed with its seven zeros.
$ od -An -v -tx1 seed.bin >seed.hex; tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 1024 --hash-seed seed.hex -f -o w.bin; tr '\200-\377' '\0-\177' <seed.bin >seven.bin; tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 1024 --hash-seed seven.bin -f -o w.bin
+ od -An -v -tu1 seed.bin | tr -s ' ' '\n' | awk 'NF { for (i = 128; i >= 1; i /= 2) printf "%d", int($1 / i) % 2 }' | tr 01 '\0\1' >bits.bin; tournament --extract toeplitz bits.bin --packed --bits 1000 --min-entropy 0.8 -o y.bin; ls y.bin 2>/dev/null
+ tournament --extract von-neumann bits.bin --encoding symbols --symbol-bits 1 --bits 1000 -q -o y.bin; tournament --extract von-neumann seed.bin --packed --bits 1000 -q -o z.bin; cmp y.bin z.bin && echo same; rm y.bin z.bin bits.bin
> same
! tournament: seed.hex: --hash-seed: found hexadecimal text, expected random bytes; convert it: xxd -r -p
! tournament: seven.bin: --hash-seed: found bytes whose bit 7 is 1 in 0 of 189, expected random ones, independent of the devices (head -c 189 /dev/random > FILE)
! tournament: bits.bin: no byte is 2 or more: 1 bit a byte? expected packed bytes; take --encoding symbols --symbol-bits 1 in place of --packed

# What is not random, or depends on the bits, draws none.
$ yes 1 | head -c 1000 >text; head -c 1000 /dev/zero >zeros; for s in zeros text; do tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 1024 --hash-seed $s -o x.bin; echo $?; done
> 65
> 65
! tournament: zeros: --hash-seed: found bytes that are all 0, expected random ones, independent of the devices (head -c 189 /dev/random > FILE)
! tournament: text: --hash-seed: found 2 bytes again and again, expected random ones, independent of the devices (head -c 189 /dev/random > FILE)
$ head -c 800 seed.bin >part.bin; for s in seed.bin part.bin; do tournament --extract toeplitz seed.bin --packed --bits 100 --min-entropy 0.6 --block-bits 1024 --hash-seed $s -o x.bin; echo $?; done; rm zeros text; ls x.bin
> 2
> 2
! tournament: seed.bin: --hash-seed: is an input too; the seed must not depend on the bits
! tournament: part.bin: --hash-seed: begins as seed.bin; the seed must not depend on the bits
! ls: cannot access 'x.bin': No such file or directory
? 2

# Bits that make no row; stopped, with nothing in the file's place.
$ tournament --extract von-neumann seed.bin --packed --bits 999 -q -o d.bin; tournament --extract von-neumann seed.bin --packed --bits 999 -f -o d.bin | sed 's/[0-9.]* MB/# MB/'
> d.bin: 1944 of 7992 bits, 0.2432 a bit; # MB/s, # s
! tournament: 8 bits at the ends of inputs make no row of 999: left out
! tournament: 2 bits at the end fill no byte: left out
$ truncate -s 20G zeros; for m in toeplitz von-neumann; do
+ timeout --foreground --preserve-status -s TERM 0.5 tournament --extract $m zeros --packed --bits 1000 $(test $m = toeplitz && echo --min-entropy 0.6) --progress none -o s.bin; echo $?; done; rm zeros; ls -A | grep '\<s\.bin' || echo no file
> 143
> 143
> no file

# What cannot be done.
$ tournament --extract toeplitz two.txt --min-entropy 0.6 --hash-seed seed.bin -o seed.bin
! tournament: seed.bin: is an input; give another name
? 2
$ tournament --extract toeplitz two.txt -o x.bin
! tournament: --extract toeplitz needs --min-entropy H, bits a bit; tournament --nist estimates it
? 2
$ tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 128 -o x.bin
! tournament: blocks of 128 bits with 76.8 bits of min-entropy hold nothing within 2^-64 of uniform; give a larger --block-bits, or a smaller --security
? 2
$ tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 100 -o x.bin
! tournament: --block-bits: found 100, expected a multiple of 64
? 2
$ tournament --extract von-neumann two.txt --min-entropy 0.6 -o x.bin
! tournament: --min-entropy: is of --extract toeplitz alone
? 2
$ tournament --extract von-neumann two.txt --seed 1 -o x.bin
! tournament: --seed: is of --extract toeplitz alone
? 2
$ tournament --extract toeplitz two.txt --min-entropy 0.6 --hash-seed seed.bin --seed 1 -o x.bin
! tournament: --seed: draws nothing beside --hash-seed
? 2
$ tournament --extract shake two.txt -o x.bin
! tournament: --extract: found 'shake', expected one of toeplitz|von-neumann
? 2
$ tournament --extract von-neumann two.txt
! tournament: no output; give -o OUT.bin
? 2
$ tournament --extract von-neumann -o x.bin
! tournament: 0 inputs, expected BITS...; see tournament --extract --help
? 2
$ tournament --extract von-neumann two.txt -o two.txt
! tournament: two.txt: is an input; give another name
? 2
$ tournament --extract von-neumann none.txt -o x.bin; ls x.bin
! tournament: none.txt: cannot be opened: No such file or directory
! ls: cannot access 'x.bin': No such file or directory
? 2

# What is there stays; no bits are no result.
$ echo precious >keep.bin; tournament --extract von-neumann two.txt -q -o keep.bin; cat keep.bin; tournament --extract von-neumann two.txt -f -q -o keep.bin; head -c 9 keep.bin | grep -c precious
> precious
> 0
! tournament: keep.bin: is there already; give another name, or --force to replace it
? 1

$ tournament --extract toeplitz two.txt --min-entropy 0.6 --block-bits 131072 -o none.bin; ls none.bin
! tournament: 12000 bits at the end fill no block of 131072: left out
! tournament: two.txt: 12000 bits give none; expected more of them, or a smaller --block-bits
! ls: cannot access 'none.bin': No such file or directory
? 2
