# The published data: what the study trained is KL(grid || uniform), to the digits that its files hold.
% need $SHARED/data/qrng/AI_2qubits_training_data.txt
$ qgan $SHARED/data/qrng/AI_2qubits_training_data.txt --reference -o r.h5 | awk '$1 ~ /^[123]v/ { print $1,
+   sprintf("%.4f", $2), sprintf("%.4f", $3) }'
> 1v2 0.1492 0.1492
> 1v3 0.1157 0.1157
> 2v3 0.1097 0.1097
