"""The SVG builder: whatever text goes in, well-formed XML that says the same comes out."""

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from svg import Element, picture, text_width, wrap

# surrogates included: a column name may come from a file name
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_survives_as_content_and_as_attribute(content, attribute):
    group = Element("g")
    group.add("text", content, data_name=attribute)
    parsed = ET.fromstring(str(group))[0]
    assert readable(parsed.text or "") == readable(content)
    assert readable(parsed.get("data-name")) == readable(attribute)


def readable(text):
    """Leave out what XML may change: forbidden characters and kinds of white space."""
    return "".join(c for c in text if c > " " and c.isprintable()).replace("�", "")


@given(ANY_TEXT, ANY_TEXT)
def test_picture_is_well_formed_and_named(title, desc):
    svg = picture(Element("g"), width=10, height=10, title=title, desc=desc)
    root = ET.fromstring(svg)
    names = {element.tag.rpartition("}")[2]: element for element in root}
    assert root.get("role") == "img"
    referred = root.get("aria-labelledby").split()
    assert referred == [names["title"].get("id"), names["desc"].get("id")]
    assert "prefers-color-scheme:dark" in names["style"].text


def test_pictures_of_one_page_have_different_ids():
    one, two = (
        picture(Element("g", name=name), width=1, height=1, title="", desc="") for name in "ab"
    )
    assert one != two
    assert ET.fromstring(one)[0].get("id") != ET.fromstring(two)[0].get("id")
    again = picture(Element("g", name="a"), width=1, height=1, title="", desc="")
    assert one == again


def test_numbers_are_short_and_never_in_exponent_form():
    assert str(Element("r", x=1 / 3, y=2.0, z=1e-9, w=10**6)) == (
        '<r x="0.33" y="2" z="0" w="1000000"/>'
    )


@given(st.text(max_size=200), st.floats(20, 300))
def test_wrapped_lines_fit_and_lose_nothing(text, width):
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(text_width(line) <= width or len(line) == 1 for line in lines)


def test_wide_characters_are_wide():
    assert text_width("漢字") > text_width("ab")
    assert text_width("ab", bold=True) > text_width("ab")
