"""The documentation site: ``python -m sphinx -W -b html docs OUT``."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import littlestone

project = "littlestone"
author = "The littlestone developers"
copyright = "2026, the littlestone developers"  # noqa: A001 - Sphinx's name
version = release = littlestone.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "site_pages",
]
exclude_patterns = ["_build", "conftest.py", "gallery/**/*.md"]
templates_path = ["_templates"]
default_role = "py:obj"
# a reference at the end of a docstring need not be named in its text; a bare name may mean several
# objects
suppress_warnings = ["ref.footnote", "ref.python"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
autosummary_context = {"top": littlestone.__all__, "theory": littlestone.theory.__all__}
autodoc_typehints = "none"  # the docstrings say what each parameter is
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_custom_sections = ["Guarantee", "Constants"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("matplotlib", "pictures.written"),
    "doc_module": ("littlestone",),
    "backreferences_dir": "gallery/backreferences",
    "capture_repr": (),
    "download_all_examples": True,
    "min_reported_time": 0,
    "write_computation_times": False,  # each page says its own; a table would load from the network
    "plot_gallery": True,
    "remove_config_comments": True,
    "show_memory": False,
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "littlestone"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_end": ["versions", "theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": []}
# versions of the site that lie beside this one, each in a folder of its name: "0.2.0 0.1.0"
versions = os.environ.get("SITE_VERSIONS", release).split()
html_context = {"versions": versions, "default_mode": "auto"}
