"""Which settings suit your documents? Tried on what the sources said once, shown on others."""
