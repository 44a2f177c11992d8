"""Settings of the documentation site: `sphinx-build -W docs site`."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

project = "Pliant"
author = "the Pliant authors"
project_copyright = "the Pliant authors, Apache-2.0"
release = version = installed("pliant")
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "pages",
    "docstrings",
    "mathml",
]
exclude_patterns = [
    "_build",
    "extensions",
    "generated/commands/plan_keys.md",
    "generated/commands/reading_keys.md",
    "generated/compliant_joint.md",
    "generated/friction_budgets.md",
    "generated/likelihood.md",
    "generated/servo_joint.md",
]
nitpicky = False
suppress_warnings = ["epub.unknown_project_files"]

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "both"
autodoc_typehints_description_target = "documented"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
default_role = "code"
smartquotes_action = "qe"  # no dashes: `--option` stands in the help of commands
html_math_renderer = "mathml"

html_theme = "furo"
html_title = "Pliant"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {
        "color-brand-primary": "#0b6e8a",
        "color-brand-content": "#0b6e8a",
        "font-stack": "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    },
    "dark_css_variables": {
        "color-brand-primary": "#56c2dd",
        "color-brand-content": "#56c2dd",
    },
}
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
