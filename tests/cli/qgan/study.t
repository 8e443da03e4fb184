# The published data: what the study trained is KL(grid || uniform), to the digits that its files hold.
% need $SHARED/data/qrng/AI_2qubits_training_data.txt
% need $SHARED/reference/qrng/expected.json
$ qgan $SHARED/data/qrng/AI_2qubits_training_data.txt --reference -o r.h5 | awk '$2 == "v" { print $1, $2, $3,
+   sprintf("%.4f", $4), sprintf("%.4f", $5) }'
> 1 v 2 0.1492 0.1492
> 1 v 3 0.1157 0.1157
> 2 v 3 0.1097 0.1097

# The closed forms, against the reference's own script, to 1e-12.
$ h5dump -y -w 0 -m %.15f -d /scores/divergence_uniform r.h5 | grep -o '0\.[0-9]*' >found
+ jq -r '.qgan_script_kl_equals_kl_grid_to_uniform | .["1v2"], .["1v3"], .["2v3"]' $SHARED/reference/qrng/expected.json |
+   paste - found | awk '{ d = $1 - $2; print (d * d < 1e-24 ? "same" : $0) }'
> same
> same
> same
