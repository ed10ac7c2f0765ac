#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file is not what a command prints: compare_output.py FILE COMMAND [ARGUMENT]..."""

import pathlib
import subprocess
import sys

path, *command = sys.argv[1:]
printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
if pathlib.Path(path).read_bytes() != printed:
    sys.exit(f"{path} is not what {' '.join(command)} prints: write it again")
