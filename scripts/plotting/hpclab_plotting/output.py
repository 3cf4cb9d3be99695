# hpclab: SPDX-License-Identifier: Apache-2.0
"""Writes a result file whole or not at all."""

import os

from .errors import UsageError


def write_output(path, data):
    """Replaces `path` by `data` (bytes). Raises UsageError when the place cannot be written."""
    if not os.path.basename(path):
        raise UsageError(f"-o: '{path}' names no file")
    if os.path.exists(path) and not os.path.isfile(path):
        # A device or pipe cannot be replaced; it is written to.
        _write(path, data)
        return
    temporary = f"{path}.partial"
    _write(temporary, data)
    os.replace(temporary, path)


def _write(path, data):
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except OSError as error:
        raise UsageError(f"-o: cannot write '{path}': {error.strerror or error}") from None
