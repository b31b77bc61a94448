"""Words and numbers that the command line of `kata interview` needs before it knows what is asked. Imports nothing."""

from __future__ import annotations

FEEDBACK = ("full", "properties", "none")
DEFAULT_FEEDBACK = "properties"
CHOICES_OF_DIFFICULTY = ("any", "easy", "medium", "hard")

DEFAULT_PRESET = "standard"
CUSTOM = "custom"  # instead of a preset: so many minutes
PRESETS: dict[str, tuple[float, ...]] = {"screen": (30,), "standard": (45,), "onsite": (45, 45)}
"""Minutes of each round."""
DESCRIPTIONS = {
    "screen": "30 minutes, as a first screening.",
    "standard": "45 minutes, as most interviews are.",
    "onsite": "2 × 45 minutes, one round after the other.",
}
