# What the standards say of the study's devices: docs/qrng.md has the reference values beside these.
% need $SHARED/data/qrng/AI_2qubits_training_data.txt
$ tournament --nist $SHARED/data/qrng/AI_2qubits_training_data.txt --symbol-bits 2 --permutations 0 --progress none
> 1: 2000 rows of 100 bits
>   SP 800-22    2 of 9 tests passed, 6 not applicable; 1 sequence of 200000 bits
>     frequency                  failed, log10 p -382
>     block frequency            failed, log10 p -140
>     cumulative sums            failed, log10 p -381
>     longest run                failed, log10 p -146
>     non-overlapping templates  failed, log10 p -173
>     approximate entropy        failed, log10 p -276
>     serial                     failed, log10 p -105
>   SP 800-90B   0.5731 bits a bit (compression), 0.8635 if independent, of 200000 where 1000000 are asked for
>   SP 800-90B   1.5934 bits a symbol (t-tuple), 1.5952 if independent, of 100000 where 1000000 are asked for
>   independent  not refuted: log10 p -0.103 of neighbours, -0.355 of parts; not compared with permutations (--permutations 0)
>   extractable  0 bits of a row alone, 0.5731 a bit of long blocks (within 2^-64)
> 2: 2000 rows of 100 bits
>   SP 800-22    1 of 9 tests passed, 6 not applicable; 1 sequence of 200000 bits
>     frequency                  failed, log10 p -739
>     block frequency            failed, log10 p -375
>     cumulative sums            failed, log10 p -738
>     longest run                failed, log10 p -270
>     spectral                   failed, log10 p -11.1
>     non-overlapping templates  failed, log10 p -334
>     approximate entropy        failed, log10 p -576
>     serial                     failed, log10 p -361
>   SP 800-90B   0.5356 bits a bit (compression), 0.8161 if independent, of 200000 where 1000000 are asked for
>   SP 800-90B   1.4692 bits a symbol (t-tuple), 1.4968 if independent, of 100000 where 1000000 are asked for
>   independent  not refuted: log10 p -1.25 of neighbours, -0.0317 of parts; not compared with permutations (--permutations 0)
>   extractable  0 bits of a row alone, 0.5356 a bit of long blocks (within 2^-64)
> 3: 2000 rows of 100 bits
>   SP 800-22    4 of 9 tests passed, 6 not applicable; 1 sequence of 200000 bits
>     frequency                  failed, log10 p -12.5
>     block frequency            failed, log10 p -2.44
>     cumulative sums            failed, log10 p -12.1
>     non-overlapping templates  failed, log10 p -5.01
>     approximate entropy        failed, log10 p -5.92
>   SP 800-90B   0.7216 bits a bit (collision), 0.9685 if independent, of 200000 where 1000000 are asked for
>   SP 800-90B   1.8043 bits a symbol (t-tuple), 1.8467 if independent, of 100000 where 1000000 are asked for
>   independent  not refuted: log10 p -0.539 of neighbours, -0.339 of parts; not compared with permutations (--permutations 0)
>   extractable  0 bits of a row alone, 0.7216 a bit of long blocks (within 2^-64)
> a row tells 0.3950 bits (standard error 0.0086) of 1.5850 about its device, if symbols of 2 bits are independent
> 3 devices, # s; 1 fails frequency, block frequency, cumulative sums, longest run, non-overlapping templates, approximate entropy, serial; 2 fails frequency, block frequency, cumulative sums, longest run, spectral, non-overlapping templates, approximate entropy, serial; 3 fails frequency, block frequency, cumulative sums, non-overlapping templates, approximate entropy
