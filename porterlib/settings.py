"""Settings from the environment (`PORTERLIB_…`); none of them is a secret that reaches an artifact."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Defaults a user may set once instead of passing them to every verb."""

    model_config = SettingsConfigDict(env_prefix="PORTERLIB_", extra="ignore", frozen=True)

    workspace: Path | None = Field(None, description="Decision folder used when none is passed.")
    analyst: str = Field("offline", description="`offline` (rules) or `local` (model server).")
    model_url: str = Field("http://127.0.0.1:8000/v1", description="OpenAI-compatible endpoint.")
    model_name: str | None = Field(None, description="Model id; the server's first model if absent.")
    model_key: SecretStr | None = Field(None, description="Key, bound to the endpoint's origin.")
    allow_remote_model: bool = Field(False, description="Permit an endpoint outside this machine; recorded.")
    lease_wait_s: float = Field(30.0, gt=0, description="How long a writer waits for the workspace.")
