# Barren plateaus: a table, a file under a key, the same numbers whatever the threads.
$ circuit plateau --qubits 2-4 --layers 1,2,8 --draws 100
> local: Z on qubit 0; variance of the derivative
> qubits   1 layer  2 layers  8 layers
>      2         0  8.23e-02  6.89e-02
>      3         0  3.94e-02  2.80e-02
>      4         0  5.72e-03  1.33e-02
> x each         -     0.264     0.439
>   from         -     0.191     0.370
>     to         -     0.338     0.519
> global: Z on every qubit; variance of the derivative
> qubits   1 layer  2 layers  8 layers
>      2  1.08e-01  2.46e-02  7.80e-02
>      3         0  1.56e-02  2.88e-02
>      4  4.75e-02  2.14e-02  1.34e-02
> x each     0.662     0.933     0.414
>   from     0.548     0.703     0.345
>     to     0.793     1.270     0.495
! circuit: local does not depend on parameter 0 at 2 qubits, 1 layer (and 2 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all
! circuit: global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all

$ circuit plateau --qubits 2,3 --layers 1,2 --draws 50 --observables ZZ -v
> ZZ
> qubits layers      mean  variance       low      high
>      2      1  8.01e-02  1.16e-01  7.67e-02  1.56e-01
>      2      2 -2.44e-03  2.44e-02  7.40e-03  4.49e-02
>      3      1  1.86e-02  3.35e-02  1.70e-02  5.01e-02
>      3      2  1.12e-02  2.65e-02  1.58e-02  3.66e-02
> qubits   1 layer  2 layers
>      2  1.16e-01  2.44e-02
>      3  3.35e-02  2.65e-02
> x each     0.289     1.083
>   from     0.136     0.442
>     to     0.532     3.768

# RY on every qubit and nothing else: 1/2 for a local observable, 2^-n for the global one
$ circuit plateau --ansatz real-amplitudes --initial-ry 0 --layers 0 --qubits 1-3 --draws 20000 | cut -c1-16
> local: Z on qubi
> qubits  0 layers
>      1  5.03e-01
>      2  5.05e-01
>      3  4.98e-01
> x each     0.995
>   from     0.989
>     to     1.002
> global: Z on eve
> qubits  0 layers
>      1  5.03e-01
>      2  2.55e-01
>      3  1.26e-01
> x each     0.499
>   from     0.493
>     to     0.505

$ circuit plateau --qubits 2-4 --layers 1,2 -o p.h5 | tail -n 1
+ circuit plateau --qubits 2-4 --layers 1,2 -o p.h5
> p.h5: 2 observables, 6 circuits of 200 draws, # s
> p.h5: up to date
> local: Z on qubit 0; variance of the derivative
> qubits   1 layer  2 layers
>      2         0  8.33e-02
>      3         0  3.67e-02
>      4         0  8.16e-03
> x each         -     0.313
>   from         -     0.260
>     to         -     0.367
> global: Z on every qubit; variance of the derivative
> qubits   1 layer  2 layers
>      2  1.06e-01  2.63e-02
>      3         0  1.99e-02
>      4  4.53e-02  2.16e-02
> x each     0.653     0.906
>   from     0.569     0.740
>     to     0.753     1.125
> p.h5: 2 observables, 6 circuits of 200 draws, # s
! circuit: local does not depend on parameter 0 at 2 qubits, 1 layer (and 2 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all
! circuit: global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all
! circuit: local does not depend on parameter 0 at 2 qubits, 1 layer (and 2 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all
! circuit: global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all

$ for j in 1 2 5; do circuit plateau --qubits 2-5 --layers 1,3 --parameter all -q -j $j --no-provenance -o $j.h5; done
+ cmp 1.h5 2.h5; cmp 1.h5 5.h5

$ for i in 1 2; do circuit plateau --qubits 2-4 --layers 1,2 --seed 1 --json -o p.h5 | jq -c 'del(.variances, .slopes)'; done
> {"output":"p.h5","key":"HEX64","status":"computed","observables":2,"cells":6,"draws":200}
> {"cells":6,"draws":200,"key":"HEX64","observables":2,"output":"p.h5","status":"up to date","cautions":["local does not depend on parameter 0 at 2 qubits, 1 layer (and 2 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all","global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all"]}
! circuit: local does not depend on parameter 0 at 2 qubits, 1 layer (and 2 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all
! circuit: global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all
! circuit: local does not depend on parameter 0 at 2 qubits, 1 layer (and 2 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all
! circuit: global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all

$ circuit plateau --qubits 2-4 --layers 1,2 --seed 1 --dry-run -o p.h5 | head -n 1
+ circuit plateau --qubits 2-4 --layers 1,2 --seed 2 --dry-run -o p.h5 | grep seed
> hit: the target has this key
>   parts.seed: "1" -> "2"

$ cache show p.h5 | grep -c variance_low
> 1

$ circuit plateau --qubits 2-4 --layers 1,2 -q -o - | cat > q.h5; cache verify q.h5
> q.h5: whole

$ circuit plateau --qubits 2,3 --layers 1 --draws 10 --spread 0.1 -q --json | jq -c 'del(.variances, .slopes)'
> {"output":"","key":"HEX64","status":"computed","observables":2,"cells":2,"draws":10}

# with --json the numbers of the table, which are those of the file
$ circuit plateau --qubits 2,3 --layers 1,2 --draws 10 --json -o j.h5 > j.json; cache show j.h5 --json | jq .tables > tables.json
+ for f in j tables; do jq -c '.variances[], .slopes[] | del(.mean) | map_values(numbers |= (. * 1e5 | round))' $f.json > $f; done
+ cmp j tables; wc -l < j; jq -c '.variances[1]' j.json
> 12
> {"observable":"local","qubits":2,"layers":2,"mean":-0.0135627,"variance":0.0313755,"variance_low":0.00727755,"variance_high":0.0510433}
! circuit: local does not depend on parameter 0 at 2 qubits, 1 layer (and 1 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all
! circuit: global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all

$ figures p.h5 --figure plateau -o p.svg; figures p.h5 -o folder; ls folder
> p.svg: 1 figure in 1 file, 1 written
> folder: 1 figure in 2 files, 2 written
> plateau.png
> plateau.svg

# three panels a row
$ circuit plateau --observables X,Y,Z,ZZ --qubits 2 --layers 1 -q -o four.h5; figures four.h5 -o four
> four: 1 figure in 2 files, 2 written

# a table needs no output, also where a shared store is set
$ KETLINE_STORE=$PWD/store circuit plateau --qubits 2 --layers 1 --observables Z | head -1; circuit plateau --qubits 2 --layers 1 -q --json | jq .cells
> Z; variance of the derivative
> 1
! circuit: Z does not depend on parameter 0 at 2 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all

$ circuit plateau --qubits 2-
! circuit: --qubits: found '2-', expected numbers and ranges, as in 2-6,8,10
? 2

$ circuit plateau --qubits 4,2
! circuit: --qubits: found 2 after 4, expected rising numbers
? 2

$ circuit plateau --qubits 2-21
! circuit: --qubits: found '2-21', expected numbers from 1 to 20
? 2

$ circuit plateau --layers 1,,2
! circuit: --layers: found '1,,2', expected numbers and ranges, as in 2-6,8,10
? 2

$ circuit plateau --observables locale
! circuit: --observables: found 'locale', expected local, global or a string of I, X, Y, Z
? 2

$ circuit plateau --observables ZZ,local,ZZ
! circuit: --observables: 'ZZ' is there twice
? 2

$ circuit plateau --observables ZZZ --qubits 2-4
! circuit: --observables: 'ZZZ' has more letters than 2 qubits
? 2

$ circuit plateau --parameter 12 --qubits 2 --layers 2
! circuit: --parameter 12: 2 layers on 2 qubits have 12 parameters
? 2

$ circuit plateau --parameter first
! circuit: --parameter: found 'first', expected a number from 0, or all
? 2

$ circuit plateau --ansatz qcnn --qubits 2-4 --layers 1
! circuit: ansatz qcnn: found 3 qubits and 1 layers, expected a multiple of 2^layers
? 2

$ circuit plateau --draws 1
! circuit: --draws: found 1, expected a whole number from 2 to 100000
? 2

$ circuit plateau head.h5
! circuit: 1 input, expected none; 'head.h5' is too many; see circuit plateau --help
? 2

$ circuit plateau --force
! circuit: no output; give -o PLATEAU.h5
? 2

$ printf 'notes\n' > notes.txt; circuit plateau --qubits 2 --layers 1 -o notes.txt; cat notes.txt
> notes
! circuit: notes.txt: was not written by ketline; give another name, or --force to replace it

# A line that a logarithmic axis cannot show is named in its panel: "1 layer: 0".
$ for l in 1,4 2,4; do circuit plateau --qubits 2-4 --layers $l --observables local --draws 20 -q -o z.h5; figures z.h5 --figure plateau -q -o z.svg; grep -c '<use' z.svg; done
> 141
> 131
