# Names that other libraries have for a choice are told apart; what is not clear is only listed.
$ qtrain f.h5 --ansatz StronglyEntanglingLayers -o x.h5
! qtrain: --ansatz: found 'StronglyEntanglingLayers', expected one of ry-ring|basic-entangler|strongly-entangling|simplified-two-design|real-amplitudes|efficient-su2|brick|qcnn|qlcu; did you mean strongly-entangling?
? 2
$ qtrain f.h5 --ansatz strongly_entangling -o x.h5
! qtrain: --ansatz: found 'strongly_entangling', expected one of ry-ring|basic-entangler|strongly-entangling|simplified-two-design|real-amplitudes|efficient-su2|brick|qcnn|qlcu; did you mean strongly-entangling?
? 2
$ qtrain f.h5 --ansatz EfficientSU2 -o x.h5
! qtrain: --ansatz: found 'EfficientSU2', expected one of ry-ring|basic-entangler|strongly-entangling|simplified-two-design|real-amplitudes|efficient-su2|brick|qcnn|qlcu; did you mean efficient-su2?
? 2
$ qtrain f.h5 --ansatz RandomLayers -o x.h5
! qtrain: --ansatz: found 'RandomLayers', expected one of ry-ring|basic-entangler|strongly-entangling|simplified-two-design|real-amplitudes|efficient-su2|brick|qcnn|qlcu
? 2
$ qtrain f.h5 --embedding IQPEmbedding -o x.h5
! qtrain: --embedding: found 'IQPEmbedding', expected one of angle-y|angle-x|angle-z|basis|iqp|iqp-2|zz|amplitude; did you mean iqp?
? 2
$ qtrain f.h5 --embedding ZZFeatureMap -o x.h5
! qtrain: --embedding: found 'ZZFeatureMap', expected one of angle-y|angle-x|angle-z|basis|iqp|iqp-2|zz|amplitude; did you mean zz?
? 2
$ qtrain f.h5 --embedding AngleEmbedding -o x.h5
! qtrain: --embedding: found 'AngleEmbedding', expected one of angle-y|angle-x|angle-z|basis|iqp|iqp-2|zz|amplitude
? 2
$ qtrain f.h5 --optimizer Adam -o x.h5
! qtrain: --optimizer: found 'Adam', expected one of sgd|adam|adamw|qng|rotosolve|spsa; did you mean adam?
? 2
$ qtrain f.h5 --optimizer AdagradOptimizer -o x.h5
! qtrain: --optimizer: found 'AdagradOptimizer', expected one of sgd|adam|adamw|qng|rotosolve|spsa
? 2
$ qtrain f.h5 --optimizer QNGOptimizer -o x.h5
! qtrain: --optimizer: found 'QNGOptimizer', expected one of sgd|adam|adamw|qng|rotosolve|spsa; did you mean qng?
? 2
$ qtrain f.h5 --diff-method param-shift -o x.h5
! qtrain: --diff-method: found 'param-shift', expected one of adjoint|parameter-shift|finite-diff|spsa; did you mean parameter-shift?
? 2
$ qtrain f.h5 --diff-method backprop -o x.h5
! qtrain: --diff-method: found 'backprop', expected one of adjoint|parameter-shift|finite-diff|spsa
? 2
