# Checkpoints as metaqctrl saves them; what the pickle names is looked up, never called.
$ W=$ROOT/tests/golden/weights; qcontrol import $W/maml.pt -o maml.h5 && qcontrol import $W/maml_policy.pt --json -o plain.h5 | jq -c '[.status, .parameters, (.loss_before * 1e4 | round), (.loss_adapted * 1e4 | round)]'
> maml.h5: 812 parameters, 6 segments; loss 0.6597, adapted 0.6596 on 20 tasks
> ["computed",812,6597,6596]
$ qcontrol import $ROOT/tests/golden/weights/maml.pt -o maml.h5
> maml.h5: up to date: 812 parameters, 6 segments; loss 0.6597, adapted 0.6596 on 20 tasks
$ cache show maml.h5 | grep -E '^(segments|parameters)'
> segments             6
> parameters           812
$ qcontrol import $ROOT/tests/golden/weights/maml_call.pt -o call.h5 2>&1 | sed 's|^.*/maml|maml|'
> maml_call.pt: the pickle in it is refused: it names posix.system, which no state dictionary of tensors needs (a whole model?); nothing was executed; in PyTorch: torch.save(model.state_dict(), FILE)
$ qcontrol import $ROOT/tests/golden/weights/maml.pt --detuning-range=-1,1 -o other.h5
! qcontrol: --task-feature-dim: found 3, expected 4: that many numbers tell a task of these options; 0: any
? 2
$ qcontrol import $ROOT/tests/golden/weights/strong.pth -o other.h5 2>&1 | sed 's|^.*/strong|strong|'
> strong.pth: found 0 tensors network.0.weight, network.2.weight, ..., expected 2 to 12, the last with two outputs a segment
$ qcontrol import nothing.pt -o other.h5
! qcontrol: nothing.pt: cannot open the weights: No such file or directory
? 66
$ qcontrol import -o other.h5
! qcontrol: 0 inputs, expected CHECKPOINT.pt; see qcontrol import --help
? 2
