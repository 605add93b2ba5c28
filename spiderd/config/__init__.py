"""Configuration: declaration, file, environment, flags."""

from spiderd.config.declaration import Config

__all__ = ["Config"]
