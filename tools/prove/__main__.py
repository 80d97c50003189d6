"""`python -m prove`: see runner.py."""

import sys

from .runner import main

# Processes of the runner import this, too.
if __name__ == '__main__':
    sys.exit(main())
