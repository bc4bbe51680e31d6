"""The packs that ship: chess, finance, general, research and travel. The core imports none."""
