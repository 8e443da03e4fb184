# files of the fuzz corpus (tests/fuzz/corpus/recordings.py), one trap each; all are told, also behind one that is refused
$ cd "$CORPUS/edf" && qseq inspect two gap duplicate
> two: EDF+C, 2 signals at 8 Hz, # s, from DATE
>   channels: C3,C4
>   annotations: 1 T0, 1 T1
> gap: EDF+D, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   no data from 2 to # s
> duplicate: EDF+C, 3 signals at 8 Hz, # s, from DATE
>   channels: C3,C3#2,C3#3
>   annotations: 1 T0, 1 T1
>   3 signals are called C3: the others are C3#2 and on
$ cd "$CORPUS/edf" && qseq inspect rates inverted unit latin1 malformed minus-one gap-in-c no-records
> rates: EDF+C, 1 signal at 8 Hz, 1 at 1 Hz, # s, from DATE
>   channels: C3
>   no EEG: Temp (other)
>   annotations: 1 T0, 1 T1
> inverted: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   annotations: 1 T0, 1 T1
>   C3: physical minimum 500 above maximum -500: its values are turned over, as the standard says
> unit: EDF+C, 2 signals at 8 Hz, # s, from DATE
>   channels: C3,C4
>   annotations: 1 T0, 1 T1
>   1 signal in no known unit of voltage: C3 '.V'
> latin1: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   annotations: 1 links über
>   1 annotation: no UTF-8, taken for Latin-1
> malformed: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   record 1: a malformed annotation 'x?no?' is left out
>   record 2: a malformed annotation '+1' is left out
>   record 3: a malformed annotation '+1?-2?no?' is left out
> minus-one: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   annotations: 1 T0, 1 T1
>   the header says -1 records: 3 are there by the file's length
> gap-in-c: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   no data from 2 to # s
>   EDF+C says that it is continuous, but its records say gaps: the first from 2 to # s
> no-records: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
$ cd "$CORPUS/edf" && qseq inspect fault-comma plain bad-truncated
> fault-comma: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   annotations: 1 T0, 1 T1
>   1 signal cannot be read, C3: physical minimum: found '-500,0', expected a number with a decimal point
> plain: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   annotations: 1 T0, 1 T1
! qseq: bad-truncated: the file ends in record 3 of 3, after 883 of 888 bytes; fetch it again
! qseq: 1 of 3 recordings cannot be read
? 65
$ cd "$CORPUS/edf" && qseq inspect fault-equal
> fault-equal: EDF+C, 1 signal at 8 Hz, # s, from DATE
>   channels: C3
>   annotations: 1 T0, 1 T1
>   1 signal cannot be read, C3: physical minimum and maximum are both -500: its samples have no values
$ cd "$CORPUS/edf" && qseq inspect bad-pointer -q
! qseq: bad-pointer: a pointer of Git LFS, not the file: git lfs pull
? 65
$ cd "$CORPUS/edf" && qseq inspect bdf -q

$ cd "$CORPUS/edf" && qseq inspect gap --json
> {"annotations":[],"beside":{},"bytes":888,"discontinuous":true,"file":"gap","format":"EDF+D","gaps":[{"from":2.0,"to":22.0}],"record_seconds":1.0,"records":3,"remarks":[],"seconds": #,"signals":[{"digital_max":32767.0,"digital_min":-32768.0,"fault":null,"inverted":false,"label":"C3","name":"C3","physical_max":500.0,"physical_min":-500.0,"rate": #,"samples":24,"to_volts":9.9999999999999995e-7,"type":"EEG","unit":"uV"}],"start":"DATE"}
$ cd "$CORPUS/edf" && qseq inspect bad-gdf plain --json | jq -c '[.file, .format, .refused]'
+ exit ${PIPESTATUS[0]}
> ["bad-gdf",null,"bad-gdf: no recording in EDF or BDF, by its first eight characters, 'GDF 2.20'; convert it from GDF"]
> ["plain","EDF+C",null]
! qseq: bad-gdf: no recording in EDF or BDF, by its first eight characters, 'GDF 2.20'; convert it from GDF
! qseq: 1 of 2 recordings cannot be read
? 65

# what is no recording, or none at all
$ qseq inspect absent.edf
! qseq: absent.edf: No such file or directory
? 66
$ qseq inspect .
! qseq: .: is a folder, expected a file
? 66
$ qseq inspect
! qseq: 0 inputs, expected RECORDING...; see qseq inspect --help
? 2
$ qseq inspect "$ROOT/LICENSE"
! qseq: ROOT/LICENSE: no recording in EDF or BDF, by its first eight characters, 'MIT Lice'
? 65
$ qseq inspect -o a.h5 x
! qseq: -o: no such option; --help lists them
? 2
# Files of MNE-Python, EEGLAB and Neuroscan are turned over by whoever reads them.
$ printf '%-300s' 'Version 3.0' >a.cnt; qseq inspect a.cnt
! qseq: a.cnt: no recording in EDF or BDF, by its first eight characters, 'Version'; MNE-Python reads it and writes EDF: mne.export.export_raw('F.edf', raw)
? 65
