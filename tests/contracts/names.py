"""The public names of every module, read from the source; `make names` writes the list that the test reads."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.contracts.checkout import modules

LIST = Path(__file__).with_name("public_names.txt")


def public_names(source: str) -> list[str]:
    """What `__all__` lists; without it, every name that the module itself defines and does not mark private."""
    defined: list[str] = []
    for node in ast.parse(source).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return sorted(ast.literal_eval(value))
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                return sorted(ast.literal_eval(value))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                defined.append(name)
            case ast.Assign(targets=targets):
                defined += [target.id for target in targets if isinstance(target, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                defined.append(name)
    return sorted({name for name in defined if not name.startswith("_")})


def current() -> list[str]:
    """One line a name, `module.name`, modules whose own name is private left out."""
    return [
        f"{module}.{name}"
        for module, path in modules().items()
        if not any(part.startswith("_") for part in module.split("."))
        for name in public_names(path.read_text(encoding="utf-8"))
    ]


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in current()), encoding="utf-8")
