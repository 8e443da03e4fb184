# A head as a program in Python; that it computes what qeval does: tests/python/head_in_torch.py.
$ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 -q -o f.h5
+ qtrain f.h5 --epochs 1 --replicas 2 --ansatz real-amplitudes --layers 1 --reduction 8 --no-controls -q -o h.h5 2>&-

$ qconvert h.h5 --replica 1 -o h.py && qconvert h.h5 --replica 1 -o h.py
> h.py: 9 tensors, 4398 values
> h.py: up to date
$ sed -n '/^HEAD/p; /^REPLICA/,/^CLASSES/p; /^@qml/,/dropout/p' h.py
> HEAD = pathlib.Path(__file__).with_name("h.h5")
> REPLICA = 1
> CLASSES = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
> @qml.qnode(qml.device("default.qubit", wires=4), interface="torch", diff_method="backprop")
> def circuit(x, w):
>     """Of inputs x [..., 4] and weights w [8]."""
>     for q in range(4):
>         qml.RY(x[..., q], wires=q)
>     # layer 0
>     for q in range(4):
>         qml.RY(w[q], wires=q)
>     for q in reversed(range(3)):
>         qml.CNOT([q, q + 1])
>     # layer 1
>     for q in range(4):
>         qml.RY(w[q + 4], wires=q)
>     return [
>         *[qml.expval(qml.Z(q)) for q in range(4)],
>     ]
>
>
> class Head(nn.Module):
>     def __init__(self):
>         super().__init__()
>         self.reduce = nn.ModuleList([nn.Linear(512, 8), nn.Linear(8, 4)])
>         self.vqc = nn.ParameterDict({"weight": torch.zeros(8)})
>         self.head = nn.ModuleList([nn.Linear(4, 16), nn.Linear(16, 10)])
>         self.dropout = nn.Dropout(0.2)

# What was edited is not replaced.
$ echo '# mine' >>h.py; qconvert h.h5 --replica 1 -o h.py && tail -1 h.py
! qconvert: h.py: was edited; give another name, or --force to replace it
? 2
$ sed -i '$d' h.py; qconvert h.h5 --replica 1 -o h.py; sed -i 's/"default.qubit"/"lightning.qubit"/' h.py; qconvert h.h5 --replica 1 -o h.py
> h.py: up to date
! qconvert: h.py: was edited; give another name, or --force to replace it
? 2
$ qconvert h.h5 -o h.py --force -q; qtrain f.h5 --epochs 2 --reduction 8 --no-controls -q -o other.h5 2>&-; qconvert other.h5 -o h.py -q; qconvert h.h5 -o h.py -q; echo mine >own.py; qconvert h.h5 -o own.py; grep -c '"default.qubit"\|^REPLICA = 0' h.py
> 2
! qconvert: own.py: was not written by ketline; give another name, or --force to replace it

$ qconvert h.h5 --all-replicas -o a.py
! qconvert: --all-replicas: a program is one head; give --replica, or edit its REPLICA
? 2
$ qconvert - -o a.py <h.h5
! qconvert: -: a program reads its weights from the head's file; name it
? 2
$ qtrain f.h5 --epochs 1 --core twin --reduction 8 --no-controls -q -o twin.h5 2>&-; qconvert twin.h5 -o a.py
! qconvert: twin.h5: has no circuit (core twin); its weights go to NAME.safetensors or NAME.npz
? 2
$ qtrain f.h5 --epochs 1 --shots 10 --noise depolarizing=0.1 --qubits 2 --reduction 8 --no-controls -q -o noisy.h5 2>&-; qconvert noisy.h5 -o noisy.py; grep '^# Trained' noisy.py
> noisy.py: 9 tensors, 4346 values
> # Trained under noise, "depolarizing=0.1"; what is here has none.
> # Trained with 10 shots; what is here are exact expectation values.
! qconvert: noisy.h5: was trained with noise; what is written has neither noise nor shots
