"""The book: `cargo xtask site` builds it, with warnings as errors.

Its sources are the Markdown pages of the repository as they are on disk. Formulas become MathML when it is built, so its pages load nothing from elsewhere.
"""

import re
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

html_theme = "furo"
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
        self.body.append(latex2mathml.converter.convert(node.astext(), display=display))
        raise nodes.SkipNode

    return visit


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(formula("inline"), None), block_renderers=(formula("block"), None))
