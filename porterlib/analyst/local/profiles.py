"""Stores capability profiles outside any workspace, one file for each model of an endpoint."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pydantic import ValidationError

from porterlib.contracts.model import CapabilityProfile
from porterlib.hashing import digest

FOLDER = "porterlib/model-profiles"


def profile_folder() -> Path:
    """Return the folder of profiles, by the XDG base directory rules."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".config") / FOLDER


def profile_path(origin: str, model: str, folder: Path | None = None) -> Path:
    """Return the file of one model on one endpoint."""
    return (folder or profile_folder()) / f"{digest('model-profile', [origin, model])[:24]}.json"


def load_profile(
    origin: str, model: str, *, detail: str = "", folder: Path | None = None
) -> CapabilityProfile | None:
    """Return the stored profile, or None where there is none, it is unreadable, or the model has changed."""
    try:
        text = profile_path(origin, model, folder).read_text(encoding="utf-8")
        profile = CapabilityProfile.model_validate_json(text)
    except (OSError, ValidationError):
        return None
    return profile if profile.origin == origin and profile.fits(model, detail) else None


def save_profile(profile: CapabilityProfile, folder: Path | None = None) -> Path:
    """Write a profile (mode 0600) in one step and return its file."""
    path = profile_path(profile.origin, profile.model, folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}.tmp")
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(profile.to_dict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)
    return path
