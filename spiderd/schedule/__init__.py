"""When URLs are fetched: pure functions of time, state and configuration."""
