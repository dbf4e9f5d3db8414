"""One function a check: a validated case enters, findings leave; no check knows of another."""
