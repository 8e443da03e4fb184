# The figure of both protocols; a file without a discriminator has one too; damaged shapes are refused.
$ awk 'BEGIN { x = 5; for (d = 1; d <= 3; d++) for (r = 0; r < 100; r++) { line = "";
+   for (j = 0; j < 64; j++) { x = (x * 16807) % 2147483647; line = line (x / 2147483647 < 0.45 + 0.05 * d) }
+   print line, d } }' >devices.txt
+ qgan devices.txt -m 4 --epochs 20 -q -o sound.h5; qgan devices.txt -m 4 -l kl --epochs 20 -q -o exact.h5
+ qgan devices.txt --reference -g quantum --epochs 3 -q -o reference.h5

$ for f in sound exact reference; do figures $f.h5 --figure gan -o $f.svg | cut -d : -f 1; grep -c '<svg' $f.svg; done
> sound.svg
> 1
> exact.svg
> 1
> reference.svg
> 1

$ figures sound.h5 --figure gan -o gan.png | cut -d : -f 2; head -c 4 gan.png | tail -c 3; echo
>  1 figure in 1 file, 1 written
> PNG
