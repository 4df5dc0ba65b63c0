"""The book: `cargo xtask site` builds it, with warnings as errors.

Its sources are the Markdown pages of the repository as they are on disk. Formulas become MathML when it is built, so its pages load nothing from elsewhere.
"""

import re
import textwrap
from pathlib import Path

import latex2mathml.converter
from docutils import nodes

ROOT = Path(__file__).resolve().parents[2]

project = "novikoff"
author = "the novikoff authors"
version = release = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]

extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "papers/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "SECURITY.md",
    "bench/README.md",
    "bench/record/**",
]
exclude_patterns = ["docs/site/**", "docs/examples/**"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
# a dollar beside a space is no formula
myst_dmath_allow_space = False
# every reference must have a target
nitpicky = True

# pages that have others below them in the list of pages: the site adds these lists, so the pages stay plain Markdown elsewhere
CHILDREN = {
    "docs/measuring": ["../bench/README", "../bench/record/*"],
    "docs/README": ["adr/*"],
}
# as wide as help texts are on the page that has them
HELP_WIDTH = 84

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = "novikoff"
html_math_renderer = "mathml"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_permalinks_icon = "#"
html_theme_options = {"top_of_page_buttons": []}


def formula(display):
    """How a formula is written: `display` is inline or block."""

    def visit(self, node):
        formula = latex2mathml.converter.convert(node.astext(), display=display)
        # a bar is a fence, not an operator with space on both sides
        formula = formula.replace('<mo stretchy="false">&#x0007C;</mo>', '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>')
        self.body.append(formula)
        raise nodes.SkipNode

    return visit


def indent(line):
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip())


def wrapped(line):
    """A line of a help text, broken at HELP_WIDTH. Later lines begin where its second column does, or where it does."""
    if len(line) <= HELP_WIDTH:
        return [line]
    column = re.match(r" *(?:\S+ {2,})?", line).end()
    return textwrap.wrap(line, HELP_WIDTH, subsequent_indent=" " * column, drop_whitespace=True, break_long_words=False, break_on_hyphens=False)


def read(app, name, source):
    """Pages as the site has them: lists of pages below a page, and help texts that fit the page."""
    if name in CHILDREN:
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n" + "\n".join(CHILDREN[name]) + "\n```\n"

    def help_text(found):
        lines = []
        for line in (ROOT / "testdata/golden" / found[1]).read_text().splitlines():
            # the command has broken long lines at its own width
            if lines and len(lines[-1]) > 150 and line.strip() and indent(line) == indent(lines[-1]):
                lines[-1] += " " + line.strip()
            else:
                lines.append(line)
        return "```text\n" + "\n".join(part for line in lines for part in wrapped(line)) + "\n```"

    if name == "docs/reference/command":
        source[0] = re.sub(r"```\{literalinclude\} \S*/golden/(\S+)\n:language: text\n```", help_text, source[0])


def mark_short(app, tree, name):
    """Code without long words is not broken at hyphens: `--standardize`."""
    for node in tree.findall(nodes.literal):
        if all(len(word) <= 32 for word in node.astext().split()):
            node["classes"].append("short")


def setup(app):
    app.connect("source-read", read)
    app.connect("doctree-resolved", mark_short)
    app.add_html_math_renderer("mathml", inline_renderers=(formula("inline"), None), block_renderers=(formula("block"), None))
