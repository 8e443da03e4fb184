# The study's GANs: after some epochs the network is at the closed form (specs 16, 6); the circuit is not.
# Three devices of 300 rows, by a congruential generator: rates of 1 are 0.5, 0.55 and 0.6.
$ awk 'BEGIN { x = 1; for (d = 1; d <= 3; d++) for (r = 0; r < 300; r++) { line = "";
+   for (j = 0; j < 64; j++) { x = (x * 16807) % 2147483647; line = line (x / 2147483647 < 0.45 + 0.05 * d) }
+   print line, d } }' >devices.txt

$ qgan devices.txt --reference --epochs 50 --pairs 1v3,2v3 -o r.h5 | awk '$2 == "v" {
+   print $1, $2, $3, ($4 - $5 < 1e-4 && $5 - $4 < 1e-4 ? "closed form" : "off"), ($4 > 0.01 ? "positive" : "null") }
+   /generators/ { print $2, $3, $4, $5 }'
> 1 v 3 closed form positive
> 2 v 3 closed form positive
> 2 pairs, 2 generators,

$ qgan devices.txt --reference --epochs 50 --pairs 1v3,2v3 -o r.h5
> r.h5: up to date
> pair                KL     uniform    at start     loss G     loss D  halves of one device
> 1 v 3         0.066652    0.066659    0.070460     0.6906     0.6931  0.034 to 0.074
> 2 v 3         0.069803    0.069818    0.074766     0.6921     0.6930  0.036 to 0.072
> KL: of the grid of differences of rates to the generator's law; uniform: to the uniform law, what an
> untrained generator without preferences has; halves: what two halves of the pair's first device
> have against each other, uniform
> r.h5: 2 pairs, 2 generators, 2 no better than the uniform law, # s

# The pairs beside it and the number of threads change nothing.
$ qgan devices.txt --reference --epochs 3 -j 1 -q -o one.h5; qgan devices.txt --reference --epochs 3 -j 2 -q -o two.h5
+ h5dump -d /law -d /discriminator -d /history/divergence one.h5 | sed 1d >one
+ h5dump -d /law -d /discriminator -d /history/divergence two.h5 | sed 1d | cmp - one

$ qgan devices.txt --reference --epochs 3 --pairs 1v3 -q -o pair.h5
+ h5dump -y -w 0 -d /law -s 1,0 -c 1,4096 one.h5 | grep 'e-' >one
+ h5dump -y -w 0 -d /law pair.h5 | grep 'e-' | cmp - one

$ qgan devices.txt --reference --generator quantum --epochs 5 --json -o q.h5 | jq -r '.protocol, .pairs'
> reference
> 3
$ qgan devices.txt --reference --generator quantum --epochs 2 --shots 500 --pairs 1v2 -q -o s.h5 && echo done
> done

$ qgan devices.txt --reference --loss kl -o x.h5
! qgan: --reference trains by --loss gan alone
? 2

$ qgan devices.txt --reference --word-bits 4 -o x.h5
! qgan: --reference has its own word-bits, hidden, discriminator-steps, gradient-penalty, patience and resamples; leave these out
? 2

$ qgan devices.txt --reference --gradient-penalty 1 -o x.h5
! qgan: --reference has its own word-bits, hidden, discriminator-steps, gradient-penalty, patience and resamples; leave these out
? 2

$ qgan devices.txt --reference --pairs 1v4 -o x.h5
! qgan: --pairs: found '1v4', expected two of the 3 devices, by name or number, with a v between them: 1v2
? 2

$ qgan devices.txt --reference --pairs 1v2,1v2 -o x.h5
! qgan: --pairs: '1v2' is there twice
? 2

$ qgan -o x.h5
! qgan: 0 inputs, expected BITS...; see --help
? 2

$ qgan devices.txt
! qgan: no output; give -o GAN.h5
? 2

$ grep ' 1' devices.txt | cut -d ' ' -f 1 >alone.txt; qgan alone.txt --reference -o x.h5
! qgan: one device, expected at least two: labels behind the rows, or a file a device
? 65

$ cut -c 1-40,65- devices.txt | qgan - --reference -o x.h5
! qgan: rows of 40 bits; expected 64 or more with --reference
? 65


# A device without a row but the one that the study loses; one whose bits are all equal has no halves with a grid.
$ awk '$2 == 1 || !n[$2]++' devices.txt >few.txt; qgan few.txt --reference -o x.h5
! qgan: device 2: 1 row, which the study loses; see --all-rows
? 65
$ qgan few.txt --reference --all-rows --epochs 2 --pairs 1v2 -q -o x.h5 && echo trained
> trained
$ sed 's/^[01]* 1$/'"$(printf '0%.0s' {1..64})"' 1/' devices.txt >still.txt; qgan still.txt --reference --epochs 2 --pairs 1v2 -o x.h5 | sed -n '2s/.*  //p'
+ h5ls x.h5/scores | grep -c halves; true
> - (all equal)
> 0
