"""How much a view has to scroll over, told without laying out the screen."""

from textual.geometry import Size
from textual.scroll_view import ScrollView


def set_scrolled_size(view: ScrollView, size: Size) -> None:
    """Tells how much a view has to scroll over; the screen is laid out anew only if a scrollbar
    comes or goes.
    """
    before, height = view.virtual_size, view.size.height
    scrolled = before.height > height, size.height > height
    if view.styles.auto_dimensions or size.width != before.width or scrolled[0] != scrolled[1]:
        view.virtual_size = size
        if height and view.styles.overflow_y == "auto":
            _show_scrollbar(view, shown=scrolled[1])
        return
    view.set_reactive(ScrollView.virtual_size, size)
    if view.show_vertical_scrollbar:
        view.vertical_scrollbar.window_virtual_size = size.height
    view.scroll_y = min(view.scroll_y, view.max_scroll_y)


def _show_scrollbar(view: ScrollView, *, shown: bool) -> None:
    """Shows or hides the scrollbar in the layout to come, which would else ask for another one.

    A hidden scrollbar does not follow the view: it is put where the view is.
    """
    if shown != view.show_vertical_scrollbar:
        view.show_vertical_scrollbar = shown
        view.vertical_scrollbar.display = shown
        view.vertical_scrollbar.position = view.scroll_y
