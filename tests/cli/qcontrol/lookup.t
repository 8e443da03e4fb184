# The best stored pulse for a task, with bounds; exit status 1 where none fits.
# (What is in use is said before: systems.t.)
~ /^qcontrol: (system|jump|H|control|modulus|pulse|target|spread|       )  ?/d
~ s/st\/[0-9a-f]{2}\/[0-9a-f]{62}/PULSE/g
~ s/[0-9.]+ ms/# ms/
$ qcontrol lookup
! qcontrol: lookup: no store; give --store DIR, or KETLINE_STORE
? 2
$ qcontrol lookup --store st
! qcontrol: store st: cannot be opened: No such file or directory
? 66
# A pulse is no input of it.
$ qcontrol lookup x.h5 --store st
! qcontrol: 1 input, expected none; 'x.h5' is too many (it is for: qcontrol score PULSE.h5 --set); see qcontrol lookup --help
? 2
$ mkdir st && qcontrol lookup --store st
> st: 0 pulses, 0 fit x of qubit (average x), loss of 0 computed; # s
? 1
$ for g in 0.03 0.085; do qcontrol optimize -S 20 --limit 10 --set "gamma_phi=$g gamma_down=0.045" --store st -q -o $g.h5; done
# The purity that is lost meanwhile bounds every pulse.
$ qcontrol lookup -S 20 --limit 10 --set "gamma_phi=0.09 gamma_down=0.045" --store st
> st: 2 pulses, 2 fit x of qubit (average x), loss of 2 computed; # s
> best     PULSE.h5
>          loss 0.0428522 here, 0.041352 where it was made; 20 segments, T 1
> gain     at most 5.09e-05, proven: no pulse of T 1, of any amplitude, loses less than 0.0428013, what decays meanwhile
> start    --start PULSE.h5   loss 0.0428522 here
# Of a state transfer nothing is proven but where a search is believed.
$ qcontrol optimize --fidelity state -S 20 --limit 4 --set "gamma_phi=0.085 gamma_down=0.045" --store st -q -o s.h5
$ qcontrol lookup --fidelity state -S 20 --limit 4 --set "gamma_phi=0.086 gamma_down=0.045" --store st
> st: 3 pulses, 1 fit x of qubit (state x), loss of 1 computed; # s
> best     PULSE.h5
>          loss 0.0106022 here, 0.0105337 where it was made; 20 segments, T 1
> gain     at most 0.0106, the loss itself: of all pulses nothing is proven here
>          at most 0.00057 if the search of PULSE.h5 found the least loss of its own task to 1e-06: a move to this task is proven to change any loss by at most 0.0005
> start    --start PULSE.h5   loss 0.0106022 here
# Limits below what a pulse needs.
$ qcontrol lookup -S 20 --limit 1 --set "gamma_phi=0.09 gamma_down=0.045" --store st
> st: 3 pulses, 0 fit x of qubit (average x), loss of 0 computed; # s
> start    --start PULSE.h5   is cut at the limits
? 1
# Another gate.
$ qcontrol lookup -S 20 -g hadamard --store st --json | jq -c '[.found, .pulses, .fit]'
> [false,3,0]
# The nearest as a start; its content is in the key.
$ start=$(qcontrol lookup -S 20 --limit 10 --set gamma_phi=0.09 --store st --json | jq -r .start)
+ qcontrol optimize -S 20 --limit 10 --set gamma_phi=0.09 --start "$start" -s 1 --json -o again.h5 | jq -c '[.starts, (.loss * 1e7 | round)]'
+ [ "$(qcontrol optimize -S 20 --set gamma_phi=0.09 --start "$start" --key)" = "$(qcontrol optimize -S 20 --set gamma_phi=0.09 --key)" ] || echo other key
> [1,428522]
> other key
! qcontrol: --start PULSE.h5: 3 of its numbers lie beyond the limits, and are cut there
$ qcontrol optimize -S 10 --start s.h5 -o no.h5
! qcontrol: --start s.h5: found 20 segments of 2 controls of qubit, expected 10 of 2 of qubit; -S gives their number
? 2
$ qcontrol optimize -S 20 --system two-qubits --start s.h5 -o no.h5
! qcontrol: --start s.h5: found 20 segments of 2 controls of qubit, expected 20 of 6 of two-qubits
? 2
$ qcontrol optimize -S 20 --start st -o no.h5
! qcontrol: st: is a folder, expected a file
? 66
# Files that are gone are dropped.
$ rm -r st/*; qcontrol lookup -S 20 --store st --json | jq -c '[.found, .pulses]'
> [false,0]
# A search with zero ends says nothing of pulses without; a pulse without fits no task with them.
$ mkdir z && qcontrol optimize --zero-ends -S 4 --limit 2 --store z -q -o z.h5
$ qcontrol lookup -S 4 --limit 2 --store z --json | jq -c '[.fit, .assumed_gain]'
> [1,null]
$ qcontrol lookup --zero-ends -S 4 --limit 2 --store z --json | jq -c '[.fit, .assumed_gain < 2e-6]'
> [1,true]
$ mkdir f && qcontrol optimize -S 4 --limit 2 --store f -q -o f.h5
$ qcontrol lookup --zero-ends -S 4 --limit 2 --store f --json | jq -c '[.pulses, .fit]'
> [1,0]
# Searches that ended too early, or from too few starts, are no premise.
$ for o in '-i 3' '--until 0.5' '-s 3'; do rm -rf e; mkdir e; qcontrol optimize -S 4 --limit 2 $o --store e -q -o e.h5; qcontrol lookup -S 4 --limit 2 --store e --json | jq -c .assumed_gain; done
> null
> null
> null
# A shorter pulse may lose less than all of the task's own duration: no gain is bounded.
$ qcontrol lookup -S 4 --limit 2 --duration 2 --store f | grep gain
> gain     not bounded: the best pulse is shorter than T 2, and what is proven is of pulses of that duration
$ qcontrol lookup -S 4 --limit 2 --duration 2 --store f --json | jq -c '[.found, .proven_gain, .assumed_gain]'
> [true,null,null]
# A pulse that was there before the store, or beside it, is put there when it is found up to date: a later run fetches it.
$ qcontrol optimize -S 4 --limit 2 -q -o older.h5; qcontrol optimize -S 4 --limit 2 --store late -q -o older.h5; qcontrol lookup -S 4 --limit 2 --store late --json | jq -c '[.pulses, .fit]'
+ qcontrol optimize -S 4 --limit 2 --store late -o older.h5 | head -n 1 | cut -d: -f 1,2; qcontrol optimize -S 4 --limit 2 --store late -o new.h5 | head -n 1 | cut -d: -f 1,2; cmp older.h5 new.h5
> [1,1]
> older.h5: up to date
> new.h5: fetched from the shared store
# One that cannot be made is only said: nothing was to be computed.
$ qcontrol optimize -S 4 --limit 2 --store no/such -q -o older.h5; qcontrol optimize -S 4 --limit 2 --store no/such -o older.h5 | head -n 1 | cut -d: -f 1,2
> older.h5: up to date
! qcontrol: shared store: not published there: store no/such: neither it nor its folder exists; make one of them first
