# three people, the last at 128 Hz, the first with a short last recording; a second time nothing is written
$ qseq generate people --people 3 --channels 8 --trials 4 --odd-rate --short -o people && ls people
> people: 3 people, 9 recordings of 8 channels and truth.json; 10 written, 0 there already; # s
> S001R04.edf
> S001R08.edf
> S001R12.edf
> S002R04.edf
> S002R08.edf
> S002R12.edf
> S003R04.edf
> S003R08.edf
> S003R12.edf
> truth.json
$ qseq inspect people/S001R12.edf people/S003R04.edf
> people/S001R12.edf: EDF+C, 8 signals at 160 Hz, # s, from DATE
>   channels: C3,C4,Cz,Fp1,Fp2,O1,O2,Pz
>   annotations: 2 T0, 2 T1
> people/S003R04.edf: EDF+C, 8 signals at 128 Hz, # s, from DATE
>   channels: C3,C4,Cz,Fp1,Fp2,O1,O2,Pz
>   annotations: 4 T0, 2 T1, 2 T2
$ qseq generate people --people 3 --channels 8 --trials 4 --odd-rate --short -o people
> people: 3 people, 9 recordings of 8 channels and truth.json; 0 written, 10 there already; # s
$ jq -c '[.seed, .effect, .people[].name, (.people | map(.rate))]' people/truth.json
> [0,0.6,"S001","S002","S003",[160,160,128]]

# the bytes depend on neither threads nor on how many people there are; another seed gives other ones
$ for j in 1 3; do qseq generate people --people 2 --channels 8 --trials 4 -j $j -q -o $j; done; diff -r 1 3 && cmp 1/S002R04.edf people/S002R04.edf
$ qseq generate people --people 1 --channels 8 --trials 4 --seed 1 -q -o 4; cmp -s 1/S001R04.edf 4/S001R04.edf
? 1

# one file damaged or gone: it alone is made again
$ rm people/S002R08.edf && truncate -s 1000 people/S003R12.edf && qseq generate people --people 3 --channels 8 --trials 4 --odd-rate --short --json -o people | jq -c '[.people, .recordings, .written]'
> [3,9,2]

# a recording of another origin stays
$ cp "$CORPUS/edf/plain" people/S001R04.edf && qseq generate people --people 3 --channels 8 --trials 4 --odd-rate --short -o people
! qseq: people/S001R04.edf: was not written by ketline; give another name, or --force to replace it
? 2
$ qseq generate people --people 3 --channels 8 --trials 4 --odd-rate --short --force -o people
> people: 3 people, 9 recordings of 8 channels and truth.json; 1 written, 9 there already; # s

# recordings of others in the folder stay, and are named
$ qseq generate people --people 2 --channels 8 --trials 4 --short -o people
> people: 2 people, 6 recordings of 8 channels and truth.json; 1 written, 6 there already; # s
! qseq: people: holds 3 recordings that are not of this run and stay there, S003R04.edf the first
$ cp people/S001R04.edf people/own.edf && qseq generate people --people 3 --channels 8 --trials 4 --odd-rate --short -o people
> people: 3 people, 9 recordings of 8 channels and truth.json; 1 written, 9 there already; # s
! qseq: people: holds 1 recording that is not of this run and stays there, own.edf

# what cannot be
$ qseq generate people
! qseq: no output; give -o FOLDER
? 2
$ qseq generate persons -o a
! qseq: generate: found 'persons', expected people
? 2
$ qseq generate -o a
! qseq: 0 inputs, expected people; see qseq generate --help
? 2
$ qseq generate people --mains 80 --odd-rate -o a
! qseq: --mains: 80 Hz at 128 samples a second would be another frequency; at most 64
? 2
$ qseq generate people --rate 160.5 -o a
! qseq: --rate: found '160.5', expected a whole number
? 2
$ qseq generate people --channels 7 -o a
! qseq: --channels: found 7, expected a whole number from 8 to 64
? 2
$ touch file && qseq generate people --people 1 -o file
! qseq: file: is a file, expected a folder or a new name
? 2
$ qseq generate people --people 1 -o no/folder
! qseq: no/folder: No such file or directory
? 74
