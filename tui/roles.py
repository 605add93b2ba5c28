"""What is drawn has a role ("good", "muted"); this says which role a state, a step and a level have.

The theme gives each role its colour (`ink`), and no role carries a meaning that is not in the words as well.
"""

from __future__ import annotations

from spiderd.states import CrawlState, Step

STATE_ROLES: dict[str, str] = {
    CrawlState.STARTING: "accent",
    CrawlState.RUNNING: "good",
    CrawlState.IDLE: "muted",
    CrawlState.PAUSING: "warn",
    CrawlState.PAUSED: "warn",
    CrawlState.COMPLETE: "accent",
    CrawlState.WAITING: "accent",
    CrawlState.STOPPING: "warn",
}

STEP_ROLES: dict[str, str] = {
    Step.IDLE: "muted",
    Step.RESOLVING: "accent",
    Step.CONNECTING: "accent",
    Step.WAITING: "",
    Step.RECEIVING: "good",
    Step.PARSING: "good",
    Step.STORING: "good",
}

LEVEL_ROLES: dict[str, str] = {"debug": "faint", "info": "", "warning": "warn", "error": "bad"}
