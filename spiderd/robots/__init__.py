"""robots.txt (RFC 9309) and the robots directives of pages and headers."""

from spiderd.robots.rules import MAX_BODY, Robots, Ruling, parse, product_token

__all__ = ["MAX_BODY", "Robots", "Ruling", "parse", "product_token"]
