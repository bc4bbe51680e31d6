"""`python -m consilience`, the same as the command `consilience`."""

from consilience.cli import main

main()
