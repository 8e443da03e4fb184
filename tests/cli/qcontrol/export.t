# A pulse for hardware: the file is read again and scored, in every format; score does it alone.
# (Numbers below 1e-6 are rounding's and the search's.)
~ s/ [-+][0-9.]+e-(0[7-9]|1[0-9])/ small/g; s/ {2,}/ /g
~ s/(\.[0-9]{4})[0-9]+/\1/g
~ s/(\.[0-9])[0-9]e/\1e/g
~ s/'0.02,.*'/'0.02, ...'/
$ qcontrol optimize -g x --starts 4 --segments 20 --functions fourier --count 1 --zero-ends --limit 3.141592653589793 --set 'gamma_phi=0.085 gamma_down=0.045' -o x.h5 -q
+ qcontrol export x.h5 --bits 14 -o x.csv --tau 0.005 --skew x=0.03 --amplitude 0.02
> x.csv: 20 samples of 2 outputs, 20 a unit of time, 14 bits, computed
>  loss increase
> designed 0.0414
> sampled 0.0414 small
> quantised 0.0414 small
> low pass 0.0414 small
> skew 0.0414 small
> amplitude 0.0420 +6.1e-04
> all 0.0420 +6.0e-04

# The same losses of the same samples, whatever the format; the bytes are the same the second time.
$ for f in csv json npy qasm; do qcontrol export x.h5 --bits 12 --rate 50 -o y.$f -q; qcontrol score y.$f -p x.h5 --tau 0.01 --json | jq -c '[.samples, .bits, .designed, .quantised, .low_pass, .tolerated]'; done
+ qcontrol export x.h5 --bits 12 --rate 50 -o y.npy | head -n 1
> [50,12,0.0414,0.0414,0.0414,true]
> [50,12,0.0414,0.0414,0.0414,true]
> [50,12,0.0414,0.0414,0.0414,true]
> [50,12,0.0414,0.0414,0.0414,true]
> y.npy: 50 samples of 2 outputs, 50 a unit of time, 12 bits, up to date

$ qcontrol export x.h5 --unit '20 ns' --rate '1 GS/s' --if '50 MHz' --bits 16 -F qua -o q.json
+ jq -c '.config | .elements, .pulses, [.waveforms[].samples | length], .waveforms.wave_x_i.sampling_rate' q.json
> q.json: 20 samples of 2 outputs, 20 a unit of time, 16 bits, x at 1 cycles, computed
>  loss increase
> designed 0.0414
> sampled 0.0414 +2.1e-05, +2.1e-05 of it by the intermediate frequency
> quantised 0.0414 +2.1e-05
> all 0.0414 +2.1e-05
> {"drive_x":{"mixInputs":{"I":["con1",1],"Q":["con1",2]},"intermediate_frequency":50000000,"operations":{"play":"pulse_x"}}}
> {"pulse_x":{"operation":"control","length":20,"waveforms":{"I":"wave_x_i","Q":"wave_x_q"}}}
> [20,20]
> 1000000000

# What the intermediate frequency costs is the difference from the same samples without it.
$ { qcontrol export x.h5 --rate 50 --if 12.5 -o k.csv --json; qcontrol export x.h5 --rate 50 -o l.csv --json; } | jq -cs '.[0].carrier > 1e-5, .[1].carrier, ((.[0].sampled - .[0].carrier - .[1].sampled) | fabs < 2e-7)'
> true
> 0
> true

# Mixed by us; I and Q carry the sign that the file says.
$ qcontrol export x.h5 --rate 400 --if 12.5 --quadrature minus -o i.csv | head -n 4
+ qcontrol export x.h5 --rate 400 --if 12.5 --quadrature plus -o j.csv | head -n 4
+ head -n 1 i.csv | sed 's/^# ketline: //' | jq -c '.sign, .mixed, .conventions.carrier, .outputs[1]'
> i.csv: 400 samples of 2 outputs, 400 a unit of time, x at 12.5 cycles, computed
>  loss increase
> designed 0.0414
> sampled 0.0414 small, small of it by the intermediate frequency
> j.csv: 400 samples of 2 outputs, 400 a unit of time, x at 12.5 cycles, computed
>  loss increase
> designed 0.0414
> sampled 0.0414 small, small of it by the intermediate frequency
> -1
> true
> "I cos(w t) - Q sin(w t) drives H at w + 2 pi frequency, |0> the lower level"
> {"control":"y","frequency":12.5,"full_scale":4.4500,"part":"Q","scale":1}

# NumPy reads the samples; behind them stand the conventions.
$ python3 - <<'P'
+ try:
+     import numpy
+     with open("y.npy", "rb") as f:
+         print(numpy.load(f).shape, bytes(numpy.load(f))[:10])
+ except ImportError:
+     print("(50, 2) b'{\"bits\":12'")
+ P
> (50, 2) b'{"bits":12'

# Two qubits, a signal for each and one for each z; two frequencies.
$ qcontrol optimize -g cz --system two-qubits --starts 2 --segments 10 -o cz.h5 -q
+ qcontrol export cz.h5 --rate 100 --bits 12 --if 20,-11 --tau 0.001 --skew y2=0.001 -o cz.qasm | sed 1q
+ qcontrol score cz.qasm -p cz.h5 | wc -l
+ grep -cE '^ *(port|frame|waveform|play)' cz.qasm
> cz.qasm: 40 samples of 6 outputs, 100 a unit of time, 12 bits, x1 at 20 cycles, x2 at -11 cycles, computed
> 6
> 16

# A full scale that would clip; zeros behind; the file on standard output, the words beside it.
$ qcontrol export x.h5 --full-scale 1 -o c.csv; echo $?; qcontrol export x.h5 --full-scale 3 --pad 3 --multiple 8 -o c.csv | sed -n '1p; 4p'; wc -l <c.csv; qcontrol export x.h5 -F csv -o - 2>/dev/null | tail -n 1 | cut -d, -f1
> 2
> c.csv: 24 samples of 2 outputs, 20 a unit of time, computed
> sampled 0.0492 +7.8e-03
> 26
> 0.9499
! qcontrol: --full-scale: found 1, and 14 of 40 samples are larger; expected at least 2.4634, the modulus of the largest
! qcontrol: --rate 20 raises the loss from 0.0414 to 0.0493, more than a tenth; --rate 40 does not

# A low pass that the pulse was made for stands between its samples and the qubit; another one is told by --tau.
$ qcontrol optimize -g x --starts 2 --segments 10 --low-pass 0.02 --oversample 8 --functions fourier --count 1 --zero-ends -o lp.h5 -q
+ qcontrol export lp.h5 -o lp.csv --json | jq -c '[.samples, (.sampled - .designed | fabs) < 1e-6, .low_pass == .quantised]'
+ qcontrol score lp.csv -p lp.h5 --tau 0 --json | jq -c '.low_pass != .quantised'
> [10,true,true]
> true

# A loss that is not tolerated: status 1, and no file.
$ qcontrol export x.h5 -o z.csv --tau 0.05 --tolerate 1e-4
> z.csv: 20 samples of 2 outputs, 20 a unit of time, not written
>  loss increase
> designed 0.0414
> sampled 0.0414 small
> quantised 0.0414 small
> low pass 0.0415 +1.0e-04
> all 0.0415 +1.0e-04
! qcontrol: z.csv: the loss rises by 0.0001, --tolerate 0.0001; alone low pass by 0.0001; most is of low pass: optimize --low-pass makes a pulse for it
? 1

$ ls z.csv; qcontrol score x.csv -p x.h5 --tau 0.05 --tolerate 1e-4 -q
! ls: cannot access 'z.csv': No such file or directory
! qcontrol: x.csv: the loss rises by 0.0001, --tolerate 0.0001; alone low pass by 0.0001; most is of low pass: optimize --low-pass makes a pulse for it
? 1

# What was not asked for is not named; the rate that costs is.
$ qcontrol export x.h5 --rate 5 --bits 14 --tolerate 1e-6 -o z.csv -q; qcontrol export x.h5 --rate 40 --bits 3 --tolerate 1e-4 -o z.csv -q
! qcontrol: z.csv: the loss rises by 2.6e-06, --tolerate 1e-06; alone sampled by 2.6e-06, quantised by 2.6e-06; most is of sampled: a higher --rate of export lowers it
! qcontrol: z.csv: the loss rises by 0.0020, --tolerate 0.0001; alone quantised by 0.0020; most is of quantised: more --bits of export lower it
? 1

# Another pulse's samples.
$ qcontrol optimize -g x --starts 1 --segments 20 --seed 5 -o o.h5 -q; qcontrol score x.csv -p o.h5 --json | jq -c .cautions
> ["x.csv was written from another pulse than o.h5"]
! qcontrol: x.csv was written from another pulse than o.h5

# Mistakes in one line.
$ qcontrol export x.h5 -o x.foo
! qcontrol: x.foo: its ending says no format, which is .csv, .json, .npy or .qasm; give --format
? 2

$ qcontrol export x.h5 -o y.csv --rate '1 GS/s'
! qcontrol: --rate: found '1 GS/s', but the pulse's time is dimensionless: give a number a unit of time, or how long that is with --unit
? 2

$ qcontrol export x.h5 -o y.csv --rate 1e9
! qcontrol: --rate: 1e+09 samples, expected at most 262144
? 2

$ qcontrol export x.h5 -o y.csv --if 10
! qcontrol: --if: found 10 cycles a unit of time, expected less than half of the rate, 10
? 2

$ qcontrol export x.h5 -o y.csv --if 1,2
! qcontrol: --if: found 2 frequencies, expected one, or 1, one a pair
? 2

$ qcontrol export x.h5 -o y.json -F qua
! qcontrol: --format qua: lengths are in ns, the pulse's time is dimensionless; say how long a unit of it is with --unit
? 2

$ qcontrol export x.h5 -o y.csv --skew z=1
! qcontrol: --skew: found 'z=1', expected a number, or CONTROL=NUMBER with a control of qubit
? 2

# Samples a second in Hz are those in S/s.
$ qcontrol export x.h5 --unit '20 ns' --rate '1 GHz' -q -o hz.csv; qcontrol export x.h5 --unit '20 ns' --rate '1 GS/s' -q -o sps.csv; cmp hz.csv sps.csv; qcontrol export x.h5 --unit '20 ns' --rate '1 GB' -q -o no.csv
! qcontrol: --rate: found '# bytes', expected a number, or one in kS/s, MS/s or GS/s
? 2

$ qcontrol export x.h5 -o y.csv --unit 3m
! qcontrol: --unit: found the unit 'm', expected one of s, ms, us, ns or ps
? 2

$ qcontrol export x.h5 -o x.h5 -F csv
! qcontrol: x.h5: is an input; give another name
? 2

$ echo mine >mine.csv; qcontrol export x.h5 -o mine.csv
! qcontrol: mine.csv: was not written by ketline; give another name, or --force to replace it
? 2

$ qcontrol export
! qcontrol: 0 inputs, expected PULSE.h5; see qcontrol export --help
? 2

$ qcontrol score y.csv
! qcontrol: score: y.csv is no pulse; of samples, give --pulse PULSE.h5, that they are of
? 2

$ qcontrol score absent.csv -p x.h5
! qcontrol: absent.csv: cannot be opened: No such file or directory
? 66

$ sed 's/"rate":50/"rate":51/' y.csv >bad.csv; qcontrol score bad.csv -p x.h5
! qcontrol: bad.csv: line 4: found '0.02', expected the sample's time, its number by the rate
? 65

# As Excel saves them where numbers have commas; a line that is cut could have another number.
$ { printf '\357\273\277'; sed '1!{s/,/;/g;s/\./,/g};s/$/\r/' y.csv; } >excel.csv; sed '1!s/,/\t/g' y.csv >tab.csv; for f in y excel tab; do qcontrol score $f.csv -p x.h5 --tau 0.01 --json | jq -c '[.samples, .designed, .low_pass]'; done | uniq -c | awk '{ print $1 }'
> 3
$ head -c -1 y.csv >cut.csv; qcontrol score cut.csv -p x.h5
! qcontrol: cut.csv: its last line has no end: cut short?
? 65

$ head -n 30 y.csv >cut.csv; qcontrol score cut.csv -p x.h5
! qcontrol: cut.csv: found 28 samples, expected 50
? 65

$ sed 's/wave_x);/wave_z);/' y.qasm >bad.qasm; qcontrol score bad.qasm -p x.h5
! qcontrol: bad.qasm: play(frame_x, wave_z): no such waveform
? 65

$ jq -c '.samples[1][3] = 5000' y.json >bad.json; qcontrol score bad.json -p x.h5
! qcontrol: bad.json: sample 3 of y: found 5000, expected a whole number within +-2047, 12 bits
? 65

$ head -c 300 y.npy >bad.npy; qcontrol score bad.npy -p x.h5
! qcontrol: bad.npy: 172 bytes of samples, expected 400
? 65

$ qcontrol score x.h5 -p x.h5
! qcontrol: x.h5: no samples that qcontrol export wrote: it begins neither with '# ketline: {' nor '// ketline: {', and is no JSON and no array of NumPy
? 65

$ qcontrol score x.csv -p cz.h5
! qcontrol: x.csv: conventions: outputs: found 2, expected 6, one a control
? 65

# A rate that costs more than a tenth of the loss: one line, and the rate that does not, which then says nothing; in JSON too.
$ qcontrol optimize --system transmon -q -o dear.h5; qcontrol export dear.h5 --rate '0.2 GS/s' -o dear.csv 2>err >log; cat err; r=$(sed "s/.*; --rate '\(.*\)' does not/\1/" err); qcontrol export dear.h5 --rate "$r" -f -o dear.csv >log && qcontrol score dear.csv --pulse dear.h5 --json | jq '(.sampled - .designed) / .designed < 0.1'; qcontrol export dear.h5 --rate '0.2 GS/s' -f --json -o dear.csv 2>/dev/null | jq '.cautions | length'
> qcontrol: --rate '200 MS/s' raises the loss from 0.0003 to 0.0044, more than a tenth; --rate '3.2 GS/s' does not
> true
> 1
