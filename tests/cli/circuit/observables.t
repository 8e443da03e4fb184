# Observables: how many outputs, and what is refused.
$ for o in z '0.5*ZZII+0.25*XIII-ZIII,IIZZ' 'probs(0,2)' 'probs(3,1), z' 'fidelity(0+1-),fidelity(ghz),fidelity(w)' 'probs(0,1,2,3)' 'zz,x'
+ do circuit stats --observables "$o" --samples 100 --json | jq .outputs; done | xargs
> 4 2 4 8 3 16 10

$ for o in 0.5ZZII 'ZZII+' 'ZZII--XIII' 'ZZII-ZZII' '1e400*ZZII' 'z,,x' 'ZZ+XX' 'ZZAI-ZZII'; do circuit show --observables "$o"; done
! circuit: observables: found '0.5ZZII', expected NUMBER*STRING, as in 0.5*ZZII
! circuit: observables: found '+', expected a letter a qubit as in ZZII, sums such as 0.5*ZZII-XIII, probs(WIRES) or fidelity(STATE)
! circuit: observables: found '--XIII', expected a letter a qubit as in ZZII, sums such as 0.5*ZZII-XIII, probs(WIRES) or fidelity(STATE)
! circuit: observables: 'ZZII-ZZII' is 0
! circuit: observables: found '1e400*ZZII', expected NUMBER*STRING, as in 0.5*ZZII
! circuit: observables: found '', expected a letter a qubit as in ZZII, sums such as 0.5*ZZII-XIII, probs(WIRES) or fidelity(STATE)
! circuit: observables: found 'XX' of 2 letters, expected 4, one a qubit (or z: <Z> of each)
! circuit: observables: found 'A' in 'ZZAI', expected I, X, Y or Z
? 2

$ for o in 'probs(' 'probs(0,)' 'probs(0,0)' 'probs(4)' 'probs,z' 'z,probs'; do circuit show --observables "$o"; done
! circuit: observables: found 'probs(', expected wires in parentheses, as in probs(0,2)
! circuit: observables: found 'probs(0,)', expected wires in parentheses, as in probs(0,2)
! circuit: observables: probs(WIRES): wire 0 is there twice
! circuit: observables: probs(WIRES): found wire 4, the last is 3
! circuit: observables: probs stands alone; beside others write probs(WIRES)
! circuit: observables: probs stands alone; beside others write probs(WIRES)
? 2

$ for o in 'fidelity(0)' 'fidelity(01x+)' 'fidelity(ghz'; do circuit show --observables "$o"; done
! circuit: observables: found fidelity(0), expected ghz, w or 4 characters, one a qubit
! circuit: observables: found 'x' in fidelity(01x+), expected ghz, w, or 0, 1, +, -, r, l, one a qubit
! circuit: observables: found 'fidelity(ghz', expected a letter a qubit as in ZZII, sums such as 0.5*ZZII-XIII, probs(WIRES) or fidelity(STATE)
? 2

$ circuit show --qubits 10 --observables 'probs(1,2,3,4,5,6,7,8,9)'
! circuit: observables: probs(WIRES): found 9 wires, expected at most 8; all wires are probs
? 2

# An OpenQASM circuit takes them too; a plateau's are strings.
$ circuit qasm --layers 1 > c.qasm; circuit stats --circuit-file c.qasm --observables 'probs(0),fidelity(w)' --samples 100 | grep outputs
> outputs               3
$ circuit plateau --qubits 2 --observables 'ZZ+XX'
! circuit: --observables: found 'ZZ+XX', expected local, global or a string of I, X, Y, Z
? 2

# A blank parts no word and no number: "z z" is not zz, probs(0 2) not probs(2); letters may stand in groups.
$ for o in 'z z' 'probs(0 2)' '1 0*ZZII' 'p robs' 'ZZII,x y'; do circuit show --observables "$o"; done
+ circuit show --observables ' 0.5 * ZI II - XIII , fidelity(01 10), probs( 0 , 2 )' | head -1
> ry-ring on angle-y: 4 qubits, 3 layers, 12 weights, 28 gates; measured:  0.5 * ZI II - XIII , fidelity(01 10), probs( 0 , 2 )
! circuit: observables: found a blank between 'z' and 'z' in 'z z', expected a comma, or nothing
! circuit: observables: found a blank between '0' and '2' in 'probs(0 2)', expected a comma, or nothing
! circuit: observables: found a blank between '1' and '0' in '1 0*ZZII', expected a comma, or nothing
! circuit: observables: found a blank between 'p' and 'r' in 'p robs', expected a comma, or nothing
! circuit: observables: found a blank between 'x' and 'y' in 'ZZII,x y', expected a comma, or nothing
