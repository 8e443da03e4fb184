# 14 channels: six bits of x, f(x), six bits of y, g(y); every pair is a person of its own
$ qseq forrelation --pairs 40 -T 30 -o a.h5 | sed 's/; [0-9.]* s$//'
> a.h5: 40 pairs of 6 bits, 30 points of each; mean Phi 0.615 of high ones, 0.036 of low ones
$ qseq forrelation --pairs 40 -T 30 -o a.h5
> a.h5: up to date: 40 pairs of 6 bits, 30 points of each; mean Phi 0.615 of high ones, 0.036 of low ones; # s
$ cache show a.h5 | sed -n '/^  /p'; cache verify a.h5
>   channel_names                        string   14
>   channel_positions                    float64  14 x 2
>   class_names                          string   2
>   labels                               int32    40
>   onset                                float64  40
>   phi                                  float64  40
>   recording                            int32    40
>   recording_names                      string   40
>   subject                              int32    40
>   subject_names                        string   40
>   x                                    float32  40 x 14 x 30
> a.h5: whole
$ qseq forrelation --pairs 400 -b 4 --seed 2 --json -o b.h5 | jq -c '[.pairs, .bits, .steps, .phi_high > 0.5, (.phi_low | fabs) < 0.02]'
> [400,4,50,true,true]

# the reference's first pairs: a mean tells the label, which is said and kept with the file
$ qseq forrelation --pairs 40 --reference -o c.h5 | sed 's/; [0-9.]* s$//'
> c.h5: 40 pairs of 6 bits, 50 points of each; mean Phi 0.125 of high ones, 0.042 of low ones
! qseq: --reference: the mean of f gives the label away (high: -1 but at one point), and what is sampled of g is its transform
$ cache show c.h5 | grep -i caution -A 2
> caution    --reference: the mean of f gives the label away (high: -1 but at one point), and what is sampled of g is its transform
> key        HEX64
> content    HEX64

# another seed is another key
$ [ "$(qseq forrelation --pairs 4 --seed 1 --key)" != "$(qseq forrelation --pairs 4 --seed 2 --key)" ] && echo differ; qseq forrelation --pairs 4 -q -o s.h5; qseq forrelation --pairs 4 --seed 1 -q --json -o s.h5 | jq -r .status
> differ
> computed

# what cannot be
$ qseq forrelation
! qseq: no output; give -o WINDOWS.h5
? 2
$ qseq forrelation pairs -o d.h5
! qseq: 1 input, expected none; 'pairs' is too many; see qseq forrelation --help
? 2
$ qseq forrelation -b 1 -o d.h5
! qseq: -b: found 1, expected a whole number from 2 to 12
? 2
$ qseq forrelation --device cpu -o d.h5
! qseq: --device: no such option; --help lists them
? 2
