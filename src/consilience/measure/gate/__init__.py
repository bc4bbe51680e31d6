"""May it go out? Thresholds on an evaluation that is not taken at its word."""
