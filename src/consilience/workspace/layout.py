"""How does a folder become a workspace, and how is one found?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from consilience import plugins
from consilience.errors import MissingWorkspace, StoreError, UsageError
from consilience.pack import Pack
from consilience.settings import FILE

STORE = ".consilience"
GATE = "gate.toml"
SAMPLE = "sample"
"""The folder in a workspace that a sample is copied to."""
_TEMPLATE = """\
# A Consilience workspace. `consilience settings` lists every setting with its meaning.
pack = "{pack}"
"""


def find_workspace(start: Path) -> Path:
    """The nearest folder upwards that has a `consilience.toml`."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder
    raise MissingWorkspace(
        f"no {FILE} in {start} or above it; make a workspace with `consilience init DIR`, "
        "or name one with -w DIR"
    )


def init_workspace(folder: Path, *, pack: str = "general") -> Path:
    """Make a workspace of a folder; one that is there already is refused."""
    chosen: Pack = plugins.load("packs", pack)
    chosen.ready()
    if (folder / FILE).exists():
        raise UsageError(f"{folder} is a workspace already; add to it with `consilience add`")
    try:
        (folder / STORE).mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(_template(chosen), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot make a workspace in {folder}: {error.strerror}") from error
    return folder


def _template(pack: Pack) -> str:
    """What stands in the file of a new workspace: its pack, and what the pack sets."""
    sections: dict[str, list[str]] = {}
    for name, value in sorted(pack.settings.items()):
        section, _, key = name.rpartition(".")
        text = json.dumps(value) if isinstance(value, str) else repr(value)
        sections.setdefault(section, []).append(f"{key} = {text}")
    told = (f"\n[{name}]\n" + "\n".join(lines) + "\n" for name, lines in sections.items())
    return _TEMPLATE.format(pack=pack.name) + "".join(told)


def copy_sample(folder: Path, pack: str) -> Path:
    """Copy a pack's sample, golden sets and gate into a workspace; the folder of the files."""
    chosen: Pack = plugins.load("packs", pack)
    if chosen.sample is None:
        raise UsageError(f"the pack {pack!r} has no sample; leave out --sample")
    target = folder / SAMPLE
    shutil.copytree(chosen.sample.folder, target, dirs_exist_ok=True)
    golden = chosen.sample.golden
    if golden is not None:
        beside, name = golden.parent, f"{golden.stem}*{golden.suffix}"
        for one in (*beside.glob(name), *beside.glob(GATE)):
            if not (folder / one.name).exists():
                shutil.copyfile(one, folder / one.name)
    return target


def store_folder(folder: Path) -> Path:
    """The folder of a workspace's stores, made if need be."""
    store = folder / STORE
    try:
        store.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make {store}: {error.strerror}; is the disk read-only?"
        ) from error
    return store
