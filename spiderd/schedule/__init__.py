"""When and in which order URLs are fetched: pure functions of time, state and configuration."""
