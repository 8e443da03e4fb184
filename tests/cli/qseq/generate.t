# three people, the last at 128 Hz, the first with a short last recording; a second time nothing is written
$ qseq generate people -n 3 --channels 8 --trials 4 --odd-rate --short -o people && ls people
$ qseq inspect people/S001R12.edf people/S003R04.edf
$ qseq generate people -n 3 --channels 8 --trials 4 --odd-rate --short -o people
$ jq -c '[.seed, .effect, .people[].name, (.people | map(.rate))]' people/truth.json

# the bytes depend on neither threads nor on how many people there are; another seed gives other ones
$ for j in 1 3; do qseq generate people -n 2 --channels 8 --trials 4 -j $j -q -o $j; done; diff -r 1 3 && cmp 1/S002R04.edf people/S002R04.edf
$ qseq generate people -n 1 --channels 8 --trials 4 --seed 1 -q -o 4; cmp -s 1/S001R04.edf 4/S001R04.edf
? 1

# one file damaged or gone: it alone is made again
$ rm people/S002R08.edf && truncate -s 1000 people/S003R12.edf && qseq generate people -n 3 --channels 8 --trials 4 --odd-rate --short --json -o people | jq -c '[.people, .recordings, .written]'

# a recording of another origin stays
$ cp "$ROOT/tests/fuzz/edf/plain" people/S001R04.edf && qseq generate people -n 3 --channels 8 --trials 4 --odd-rate --short -o people
$ qseq generate people -n 3 --channels 8 --trials 4 --odd-rate --short --force -o people

# what cannot be
$ qseq generate people
$ qseq generate persons -o a
$ qseq generate -o a
$ qseq generate people --mains 80 --odd-rate -o a
$ qseq generate people --rate 160.5 -o a
$ qseq generate people --channels 7 -o a
$ touch file && qseq generate people -n 1 -o file
$ qseq generate people -n 1 -o no/folder
