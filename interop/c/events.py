"""Lines of JSON, as the Go programs print them."""

import json
import sys
import time


def emit(event, **fields):
    line = json.dumps({"event": event, "at": time.time() * 1000, **fields})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
