# Pulses, a policy and what adapting it is worth: every figure, twice the same bytes, and a page.
$ qcontrol optimize -S 12 -s 4 --limit 8 --spread 'detuning=0.3 amplitude=0.05' --members 3 -i 20 -q -o x.h5; qcontrol optimize --system two-qubits -S 8 -s 2 -i 20 -q -o cz.h5
$ figures x.h5 -o one --format svg; ls one; figures x.h5 -o two -q --format svg; diff -r one two
> one: 5 figures in 5 files, 5 written
> bloch.svg
> filter-function.svg
> landscape.svg
> pulse.svg
> starts.svg
$ figures cz.h5 -o cz; figures cz.h5 --figure bloch -o b.svg
> cz: 3 figures in 6 files, 6 written
! figures: cz.h5 holds no Bloch vectors, which a system of two levels has
? 65
$ qcontrol train -i 40 --hidden-dim 8 --n-segments 8 --val-interval 10 --detuning-range=-0.5,0.5 -q -o p.h5; qcontrol regret p.h5 -t 8 -s 2 --scales 3 -q -o r.h5
$ figures p.h5 r.h5 -o more; ls more
> more: 3 figures in 6 files, 6 written
> adaptation.png
> adaptation.svg
> meta-learning.png
> meta-learning.svg
> tasks.png
> tasks.svg
$ figures x.h5 cz.h5 p.h5 r.h5 --report page.html; grep -c '<figure>' page.html; sed -n 's/.*<a href="#file[0-9]">\([a-z.0-9]*\)<.a>, \([a-z]*\): .*/\1 \2/p' page.html
> page.html: a page of 4 files
> 11
> x.h5 pulse
> cz.h5 pulse
> p.h5 policy
> r.h5 regret

# The loss of an ensemble is told as that over its law, as the terminal has it; of a pulse alone it is its own.
$ for e in 'detuning=0.3' ''; do qcontrol optimize -g x -S 6 -s 1 --spread "$e" -o e.h5 -f 2>/dev/null | grep -oE 'loss [0-9.]+( over the law)? .average' >told; figures e.h5 --report e.html -q; grep -oE 'x of qubit, loss [0-9.]+( over the law)? .average' e.html | uniq | sed 's/.*, //' | cmp - told && grep -c law told; done
> 1
> 0
? 1
