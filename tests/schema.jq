# SPDX-License-Identifier: MIT
# As much of JSON Schema as docs/schema needs. Input: a value; $schema: an array with the schema. Output: what is wrong, one a line;
# nothing if nothing is. A member that is not described is wrong, unlike in JSON Schema.
def kind: if type == "number" and . == floor then "integer" else type end;
def is($wanted): . as $value | [$wanted] | flatten | any(. == ($value | kind) or . == ($value | type));
def wrong($s; $at):
    . as $value
    | (if $s.type and (is($s.type) | not) then "\($at): found \(kind), expected \($s.type)" else empty end),
      (if ($s | has("const")) and $value != $s.const then "\($at): found \($value), expected \($s.const)" else empty end),
      (if $s.enum and ($s.enum | index([$value]) | not) then "\($at): found \($value), expected one of \($s.enum)" else empty end),
      (if $s.pattern and type == "string" and (test($s.pattern) | not) then "\($at): \($value) is not \($s.pattern)" else empty end),
      (if type == "array" and $s.items then to_entries[] | .key as $i | .value | wrong($s.items; "\($at)[\($i)]") else empty end),
      (if type == "object" and ($s.properties or $s.additionalProperties) then
          ($s.required // [] | .[] | select(. as $name | $value | has($name) | not) | "\($at): no member \(.)"),
          (to_entries[] | .key as $name | ($s.properties[$name] // $s.additionalProperties) as $of
              | if $of then .value | wrong($of; "\($at).\($name)") else "\($at): \($name) is not described" end)
       else empty end),
      (if $s.anyOf then . as $it | [$s.anyOf[] | . as $form | [$it | wrong($form; "\($at) (\($form.title))")]] | sort_by(length)
          | if .[0] | length > 0 then .[0][] else empty end else empty end);
wrong($schema[0]; "$")
