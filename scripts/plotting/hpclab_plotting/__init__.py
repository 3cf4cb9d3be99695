# hpclab: SPDX-License-Identifier: Apache-2.0
"""Pictures and reports from hpclab record files (JSON lines, schema 1).

`python -m hpclab_plotting report|plot ...`; the hpclab program calls it so. Reading and checking records
needs the standard library only; drawing needs matplotlib.
"""
