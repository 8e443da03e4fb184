#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--help, the manual page and the schema of --config say the same of every option of every tool and mode, and what the schema
takes or refuses is what the tool takes or refuses, with the line and what was expected. Shells: tests/completion.sh."""
import json
import os
import re
import subprocess
import sys
import tempfile

TOOLS = sorted(name[:-2] for name in os.listdir(os.path.join(os.environ["ROOT"], "tools")))


def run(command, *words):
    return subprocess.run([*command, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def text(command, *words):
    done = run(command, *words)
    assert done.returncode == 0 and not done.stderr, (command, words, done)
    return done.stdout


def joined(choices):
    return choices.replace(" ", "").split("|")


def of_help(command):
    """Name -> (letter, choices or None), from --help -v."""
    table = {}
    rows = re.split(r"\n(?=  (?:-\w,|   ) --)", "\n" + text(command, "--help", "-v"))[1:]
    for row in rows:
        row = re.split(r"\n\n", row)[0]
        letter, name = re.match(r"  (?:-(\w),|   ) --([A-Za-z0-9-]+)", row).groups()
        choices = re.search(r":\s+((?:[A-Za-z0-9_-]+\|\s*)+[A-Za-z0-9_-]+)\s*(?:\[\S*\])?\s*$", row)
        table[name] = (letter, joined(re.sub(r"\s", "", choices[1])) if choices else None)
    return table


def of_manual(command):
    page = text(command, "--emit", "man").replace("\\-", "-").replace("\\&", "").split(".Sh OPTIONS")[1]
    table = {}
    for row in re.split(r"\n(?=\.It (?:Fl \w , )?Fl -)", page)[1:]:
        letter, name = re.match(r"\.It (?:Fl (\w) , )?Fl -([A-Za-z0-9-]+)", row).groups()
        choices = re.search(r"One of\n((?:\.Cm \S+ [,.](?:\n|$))+)", row)
        table[name] = (letter, re.findall(r"\.Cm (\S+)", choices[1]) if choices else None)
    return table


def of_schema(schema):
    return {name: one.get("enum") for name, one in schema["properties"].items() if "description" in one}


def config(command, line, folder):
    path = os.path.join(folder, "run.yaml")
    with open(path, "w") as file:
        file.write(line + "\n")
    return run(command, "--config", path, "--print-config"), path


def check_values(command, schema, folder):
    """Bounds and choices: taken up to them, refused beyond, where and why."""
    for name, one in schema["properties"].items():
        values, beyond = one.get("enum", []), ["nonsense"] if "enum" in one else []
        if "minimum" in one:
            values = [one["minimum"], one["maximum"]]
            step = 1 if one["type"] == "integer" else abs(one["maximum"]) / 8 + 1
            beyond = [one["minimum"] - step, one["maximum"] + step]
            beyond = [int(value) for value in beyond] if one["type"] == "integer" else beyond
        if one.get("type") == "boolean":
            values, beyond = ["true", "false"], ["1"]
        if "pattern" in one:
            values, beyond = ["auto", "cpu", "cuda", "cuda:12"], ["gpu", "cuda0", "cuda:1x", "Auto"]
            assert all(re.search(one["pattern"], word) for word in values), one
            assert not any(re.search(one["pattern"], word) for word in beyond), one
        for value in values:
            done, path = config(command, f"{name}: {value}", folder)
            beside = path not in done.stderr and " and --" in done.stderr  # taken, but not with another one's default
            assert done.returncode == 0 or beside, (command, name, value, done)
        for value in beyond:
            done, path = config(command, f"# a remark\n{name}: {value}", folder)
            assert done.returncode == 2 and f"{path}:2: {name}" in done.stderr, (command, name, value, done)
            assert "expected" in done.stderr, done


def check_names(command, schema, folder):
    """Every name and spelling is read; no other is."""
    for name, one in schema["properties"].items():
        own = schema["properties"][one["$ref"].split("/")[-1]] if "$ref" in one else one
        kinds = own["type"]
        value = "true" if kinds == "boolean" else own["enum"][0] if "enum" in own else own.get("maximum", 1)
        value = own.get("default", value) if isinstance(kinds, list) or "pattern" in own else value
        if kinds != "boolean" and value == "true":
            value = "'true'"  # a text that YAML would read as a truth value
        done, path = config(command, f"{name}: {value}", folder)
        assert done.returncode == 0 or path not in done.stderr and " and --" in done.stderr, (command, name, done)
    done, path = config(command, "jsno: true", folder)
    assert done.returncode == 2 and done.stderr.strip().endswith("did you mean json?" if "json" in schema["properties"] else
                                                                 "jsno: no such option"), done
    for answer in ("help", "version", "print-config", "config", "emit"):
        done, path = config(command, f"{answer}: true", folder)
        assert done.returncode == 2 and f"{path}:1: {answer}" in done.stderr, done
        assert answer not in schema["properties"]


def check_printed(command, schema, folder):
    """What --print-config writes, the schema describes, with the same defaults; and it is read back as it was."""
    printed = text(command, "--print-config")
    done, _ = config(command, printed.rstrip("\n"), folder)
    assert done.returncode == 0 and done.stdout == printed, (command, done)
    for line in printed.splitlines():
        name, value = line.split(": ", 1)
        one = schema["properties"][name]
        value = json.loads(value)
        assert one.get("default", "") == value or one["type"] == "number" and float(one["default"]) == value, (command, line)


def modes_of(tool):
    """The words that select a table of its own: --help names them, and so does the manual page, with their pages."""
    line = re.search(r"\nModes, .*: (.*)\n", text([tool], "--help"))
    modes = line[1].split(", ") if line else []
    page = text([tool], "--emit", "man").replace("\\-", "-")
    section = re.search(r"\.Sh MODES\n(.*?)\n\.Sh", page, re.S)
    named = re.findall(r"\.It (Cm |Fl -)(\S+)\n", section[1]) if section else []
    assert [kind[3:].replace("-", "--") + name for kind, name in named] == modes, (tool, modes, named)
    for mode in modes:
        name = f"{tool}-{mode.lstrip('-')}"
        assert f".Xr {name} 1" in page, (tool, mode)
        own = text([tool, mode], "--emit", "man")
        assert f".Dt {name.upper()} 1\n" in own and f".Xr {tool} 1\n" in own, own
        if mode.startswith("--"):  # it stands in its table, and not in the tool's
            assert mode[2:] in of_help([tool, mode]) and mode[2:] not in of_help([tool]), (tool, mode)
    return modes


def check(command, folder):
    schema = json.loads(text(command, "--emit", "schema"))
    helps, manual, schemed = of_help(command), of_manual(command), of_schema(schema)
    assert len(helps) >= 7, helps  # those that every table has
    assert helps == manual, (command, set(helps) ^ set(manual),
                             {k: (helps[k], manual.get(k)) for k in helps if helps[k] != manual.get(k)})
    answers = {"help", "version", "print-config", "config"}
    assert set(schemed) == set(helps) - answers, (command, set(schemed) ^ set(helps))
    for name, choices in schemed.items():
        assert choices == helps[name][1], (command, name)
    check_values(command, schema, folder)
    check_names(command, schema, folder)
    check_printed(command, schema, folder)
    return len(helps)


with tempfile.TemporaryDirectory() as work:
    n = n_modes = 0
    for tool in TOOLS:
        modes = modes_of(tool)
        n_modes += len(modes)
        for one in [[tool]] + [[tool, mode] for mode in modes]:
            n += check(one, work)
assert n > 100 and n_modes > 7, (n, n_modes)
print(f"{n} options of {len(TOOLS)} tools and {n_modes} modes agree")
