# The sound way on two-bit symbols: devices 1 and 2 are the same source, device 3 is another one.
$ awk 'BEGIN { x = 7; for (d = 1; d <= 3; d++) for (r = 0; r < 600; r++) { line = "";
+   for (j = 0; j < 20; j++) { x = (x * 16807) % 2147483647; u = x / 2147483647;
+     if (d < 3) line = line (u < 0.4 ? "00" : u < 0.7 ? "01" : u < 0.9 ? "10" : "11");
+     else line = line (u < 0.25 ? "00" : u < 0.4 ? "01" : u < 0.75 ? "10" : "11") }
+   print line, d } }' >devices.txt

# The law of device 1 is p = .4 .3 .2 .1, of device 3 q = .25 .15 .35 .25: KL(q || p) = .2035, entropy of p 1.2799.
$ for g in network quantum; do for l in gan kl mmd; do
+   qgan devices.txt --generator $g --loss $l -m 2 -q -f -o $g-$l.h5
+   for set in excess excess_low excess_high cross_entropy_a plugin_excess; do
+     h5dump -y -w 0 -d /scores/$set $g-$l.h5 | sed -n 's/,/ /g; s/^ *\([-0-9.]\)/\1/p'; done |
+   awk -v w="$g $l:" 'function near(x, y, by) { return x - y < by && y - x < by ? "yes" : x }
+     NR == 1 { same = $1; other = $2 } NR == 2 { low = $1; far = $2 } NR == 3 { high = $1 }
+     NR == 4 { cost = $1 } NR == 5 { plain = $1; counted = $2 }
+     END { print w, near(same, 0, 0.01), (low < 0.004 && high > -0.004 && low <= same && same <= high ? "yes" : low " " high),
+       near(other, 0.2035, 0.05), (far > 0.1 ? "yes" : far), near(cost, 1.2799, 0.03), near(plain, 0, 0.01), near(counted, 0.2035, 0.05) }'
+ done; done
> network gan: yes yes yes yes yes yes yes
> network kl: yes yes yes yes yes yes yes
> network mmd: yes yes yes yes yes yes yes
> quantum gan: yes yes yes yes yes yes yes
> quantum kl: yes yes yes yes yes yes yes
> quantum mmd: yes yes yes yes yes yes yes

$ qgan devices.txt -m 2 --epochs 20 -o t.h5 | sed -E 's/-?[0-9]+\.[0-9]+/#/g; s/ +/ /g'
> pair a on a b on a difference KL(b||a) KL(b||a), plug-in z a z b
> 1 v 2 # # # [#, #] # [#, #] # [#, #] # #
> 1 v 3 # # # [#, #] # [#, #] # [#, #] # #
> 2 v 3 # # # [#, #] # [#, #] # [#, #] # #
> nats a word of 2 bits, on rows held out (uniform law: #): cost of a's and b's words under the law
> learnt of a, their difference, what b's cost more than under b's own law, the same by frequencies; z: the
> witness on held-out rows against the law of a, in standard errors. Intervals: 95 %, bootstrap over
> held-out rows with the laws as trained, so too narrow for the divergence itself. KL(b||a) is an estimate:
> below 0, b's words cost no more under a's law than under b's own
> t.h5: 3 pairs, 3 generators, # s

# Neither threads nor the other pairs change what a pair has.
$ qgan devices.txt -m 4 --epochs 30 -j 1 -q --no-provenance -o one.h5
+ qgan devices.txt -m 4 --epochs 30 -j 2 -q --no-provenance -o two.h5; cmp one.h5 two.h5
$ qgan devices.txt -m 4 --epochs 30 --pairs 2v3 -q -o pair.h5
+ for f in one:2 pair:0; do h5dump -y -w 0 -d /scores/difference -s ${f#*:} -c 1 ${f%:*}.h5 | grep '^ *-*[0-9]'; done | uniq | wc -l
> 1

# The discriminator's gradient penalty is of the key and makes it flatter.
$ for x in 0 1; do qgan devices.txt -m 2 --epochs 200 --gradient-penalty $x -q -f -o flat.h5
+ h5dump -y -w 0 -d /witness flat.h5 | grep '^ *-*[0-9]' | tr ',' '\n' | awk '{ s += $1 * $1; t += $1 } END { print sqrt(s / NR - (t / NR) ^ 2) }'
+ done | awk '{ w[NR] = $1 } END { print (w[2] < w[1] ? "flatter" : w[2] " " w[1]) }'
+ for x in 0 1; do qgan devices.txt -m 2 --gradient-penalty $x --key; done | sort -u | wc -l
> flatter
> 2
$ qgan devices.txt --loss mmd --gradient-penalty 1 -o x.h5
! qgan: --gradient-penalty is of the discriminator, and only --loss gan has one
? 2
$ qgan devices.txt --gradient-penalty -1 -o x.h5
! qgan: --gradient-penalty: found -1, expected a number from 0 to 1000
? 2

# What is measured trains; what is judged is the law of the angles, though a sample of 30 lacks most of 256 words: nearly uniform after four epochs.
$ cost() { qgan devices.txt --generator quantum -m 8 --epochs 4 --pairs 1v2 "$@" -q -o m.h5; h5dump -y -w 0 -d /scores/cross_entropy_a m.h5 | sed -n 's/^ *\([0-9.]\)/\1/p'; }
+ exact=$(cost -f); cost -f --shots 30 | awk -v exact=$exact '{ print ($1 - exact < 0.1 && exact - $1 < 0.1) ? "near" : $1 " and " exact }'; rm m.h5
> near

$ qgan devices.txt --generator quantum -m 3 --shots 200 --epochs 3 -q -o s.h5 && echo done
> done
$ qgan devices.txt --generator quantum -m 13 -o x.h5
! qgan: --word-bits 13: a circuit has at most 12 qubits here
? 2

# A score that is not known of the first pair alone is there: rows that are all the same have no standard error.
$ sed 's/^[01]* 1$/0000000000000000000000000000000000000000 1/' devices.txt >still.txt; qgan still.txt -m 2 --epochs 5 -q -o still.h5
+ h5dump -y -w 0 -d /scores/test_a still.h5 | grep -oE 'nan|[0-9]\.[0-9]' | sed 's/[0-9.]\+/known/'
> nan
> nan
> known

# Trained for one epoch, what is kept is the law before any step: its divergence of the same rows is that at the start.
$ for g in network quantum; do qgan devices.txt --generator $g -m 2 --epochs 1 -q -o once.h5 -f
+ for set in divergence divergence_start; do h5dump -y -w 0 -d /scores/$set once.h5 | grep '^ *[0-9]'; done | uniq | wc -l; done
> 1
> 1

# The key is that of the bits: packed bytes or text.
$ for d in 1 2; do grep " $d\$" devices.txt | cut -d ' ' -f 1 >d$d.txt; printf "$(tr -d '\n' <d$d.txt | fold -w 8 |
+   awk '{ v = 0; for (i = 1; i <= 8; i++) v = 2 * v + substr($0, i, 1); printf "\\%03o", v }')" >d$d.bin; done
+ for from in 'd1.txt d2.txt' '--packed --bits 40 d1.bin d2.bin'; do qgan $from --key; done | uniq | wc -l
> 1
$ qgan devices.txt --repetitions 2 -o x.h5
! qgan: --repetitions without --generator quantum
? 2
$ qgan devices.txt --loss kl --hidden 8 -o x.h5
! qgan: --hidden is of the discriminator, and only --loss gan has one
? 2
$ qgan devices.txt --loss mmd --generator quantum --weight-decay 0.1 -o x.h5
! qgan: --weight-decay is of networks, and here there is none
? 2
$ qgan devices.txt --all-rows -o x.h5
! qgan: --all-rows without --reference: all rows are taken
? 2
$ cut -c 1-5,41- devices.txt | qgan - -m 6 -o x.h5
! qgan: rows of 5 bits; expected 6 or more: a word lies within a row
? 65
$ awk '$2 == 1 || n[$2]++ < 3' devices.txt | qgan - -o x.h5
! qgan: device 2: 3 rows, expected 10 or more
? 65
$ awk 'n[$2]++ < 9' devices.txt | qgan - -o x.h5
! qgan: device 1: 9 rows, expected 10 or more
? 65
$ awk '$2 == 1 || n[$2]++ < 30' devices.txt | qgan - -m 2 --epochs 2 -o x.h5 > log; rm x.h5 log
! qgan: devices have 30 to 600 rows: KL(b||a) is too large where a has fewer and too small where b has; 'difference' is not; for KL give all the same number
$ qgan absent.txt -o x.h5
! qgan: absent.txt: cannot be opened: No such file or directory
? 66
$ qgan devices.txt -m 2 --epochs 20 -o t.h5
> t.h5: up to date
> pair      a on a  b on a  difference                 KL(b||a)                 KL(b||a), plug-in           z a    z b
> 1 v 2     1.2882  1.2925  0.0043 [-0.0238, 0.0298]   0.0034 [-0.0033, 0.0100] -0.0001 [-0.0008, 0.0006]    4.2    5.0
> 1 v 3     1.2882  1.6195  0.3313 [0.2991, 0.3635]    0.2729 [0.2435, 0.3022]  0.1955 [0.1716, 0.2193]     4.2   11.3
> 2 v 3     1.2891  1.5915  0.3024 [0.2734, 0.3323]    0.2449 [0.2161, 0.2747]  0.2027 [0.1775, 0.2285]    -2.7   -9.2
> nats a word of 2 bits, on rows held out (uniform law: 1.3863): cost of a's and b's words under the law
> learnt of a, their difference, what b's cost more than under b's own law, the same by frequencies; z: the
> witness on held-out rows against the law of a, in standard errors. Intervals: 95 %, bootstrap over
> held-out rows with the laws as trained, so too narrow for the divergence itself. KL(b||a) is an estimate:
> below 0, b's words cost no more under a's law than under b's own
> t.h5: 3 pairs, 3 generators, # s

# Packed bytes whose end makes no row.
$ head -c 999 $ROOT/tests/golden/nist_e.bin >p1; tail -c 1000 $ROOT/tests/golden/nist_e.bin >p2; qgan p1 p2 --packed --bits 98 -m 2 -l kl --epochs 5 --resamples 10 -o p.h5 | tail -1
> p.h5: 1 pair, 2 generators, 2 no better than the uniform law, # s
! qgan: 116 bits at the ends of inputs make no row of 98: left out

# A pair as the table writes it.
$ qgan devices.txt -m 2 --epochs 3 --resamples 10 --pairs '1 v 2, 1v3' -o v.h5 | sed -n 's/^\(. v .\) .*/\1/p'; qgan devices.txt --pairs '1 v ' -o x.h5
> 1 v 2
> 1 v 3
! qgan: --pairs: found '1 v ', expected two of the 3 devices, by name or number, with a v between them: 1v2
? 2

# Of two devices that have names, the example is of these, and the answer to it.
$ grep ' 1$' devices.txt | cut -d ' ' -f 1 >A.txt; grep ' 3$' devices.txt | cut -d ' ' -f 1 >B.txt; qgan A.txt B.txt --pairs 1v3 -o x.h5
! qgan: --pairs: found '1v3', expected two of the 2 devices, by name or number, with a v between them: AvB
? 2
$ qgan A.txt B.txt -m 2 --epochs 3 --resamples 10 --pairs AvB -o v.h5 | sed -n 's/^\(. v .\) .*/\1/p'
> A v B

# A number that is the name of another device is neither; in the order of the names it is both.
$ cp A.txt 2.txt; cp B.txt 1.txt; for p in 1v3 '3 v 2' Bv1 Bv3; do qgan 2.txt 1.txt B.txt --pairs "$p" -m 2 --epochs 1 --dry-run -o v.h5; done
! qgan: --pairs: '1' is the name of device 2 and the number of device '2'; give the inputs in the order of their names, or other names
! qgan: --pairs: '2' is the name of device 1 and the number of device '1'; give the inputs in the order of their names, or other names
! qgan: --pairs: '1' is the name of device 2 and the number of device '2'; give the inputs in the order of their names, or other names
! qgan: --pairs: 'Bv3' is one device twice
? 2
$ qgan 1.txt 2.txt A.txt -m 2 --epochs 3 --resamples 10 --pairs 1v3,2vA -o w.h5 2>/dev/null | sed -n 's/^\(. v .\) .*/\1/p'
> 1 v A
> 2 v A
$ mkdir x y; cp A.txt x/1.txt; cp B.txt y/1.txt; qgan x/1.txt y/1.txt -m 2 --epochs 3 --resamples 10 --pairs '1v1#2' -o v.h5 | sed -n 's/^\(. v ...\) .*/\1/p'
> 1 v 1#2
! qgan: inputs of one name: device 1 is x/1.txt, 1#2 is y/1.txt

# Fair bits: what is learnt of few rows is their noise, which is closer to them than the uniform law, and not to others.
$ awk 'BEGIN { x = 11; for (d = 1; d <= 3; d++) for (r = 0; r < 100; r++) { line = "";
+   for (j = 0; j < 64; j++) { x = (x * 16807) % 2147483647; line = line (x / 2147483647 < 0.5) } print line, d } }' >fair.txt
+ qgan fair.txt -m 4 -l kl -o fair.h5 | tail -1
> fair.h5: 3 pairs, 3 generators, 3 no better than the uniform law, # s

# Generators that have learnt nothing are counted: in the last line, in JSON, in the file and on its page.
$ qgan devices.txt -m 2 --epochs 1 -f -o u.h5 | tail -1; qgan devices.txt -m 2 --epochs 1 -f --json -o u.h5 | jq .no_better_than_uniform
+ h5dump -y -a no_better_than_uniform u.h5 | grep '(0)\|^ *[0-9]'; figures u.h5 --report u.html -q; grep -oE 'no better than the uniform law|KL\(b..a\), [^<]*|intervals are of[^<]*' u.html | sort -u
> u.h5: 3 pairs, 3 generators, 2 no better than the uniform law, # s
> 2
>       2
> KL(b||a), below 0: none found
> KL(b||a), plug-in
> intervals are of held-out rows, under the laws as trained, so too narrow for the divergence itself
> no better than the uniform law
$ qgan devices.txt -m 2 -f --json -o u.h5 | jq .no_better_than_uniform
> 0
