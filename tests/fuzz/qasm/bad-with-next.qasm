qubit q;
@ketline.with_next
x q;
