"""Runs a command beside a mount that never answers: dead-mount.py MOUNT COMMAND…"""

import ctypes, os, subprocess, sys

device = os.open('/dev/fuse', os.O_RDWR)
options = f'fd={device},rootmode=40000,user_id=0,group_id=0'.encode()
if ctypes.CDLL(None).mount(b'dead', sys.argv[1].encode(), b'fuse.dead', 0, options) != 0:
    sys.exit('not mounted')
sys.exit(subprocess.run(sys.argv[2:]).returncode)
