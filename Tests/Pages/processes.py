"""What the kernel says of processes (proc(5)): memory in megabytes of 1 000 000 bytes, time in seconds."""
import pathlib
import time


def tree(root):
    """A process and all that descend from it."""
    children = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        children.setdefault(parent, []).append(int(folder.name))
    found, wanted = [], [root]
    while wanted:
        one = wanted.pop()
        found.append(one)
        wanted += children.get(one, [])
    return found


def named(argument, processes):
    """Those that have an argument."""
    found = []
    for process in processes:
        try:
            arguments = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        # Chromium's own processes write theirs anew, with spaces between.
        if argument in arguments.replace("\0", " ").split(" "):
            found.append(process)
    return found


def resident(*processes):
    """Resident memory, of all together; a page that two share counts twice."""
    total = 0
    for process in processes:
        try:
            lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
    return total / 1e6


def processor(*processes):
    """Time on the processor since the start, of all together, with threads that have ended: a process's own clock
    (clock_getcpuclockid(3)), as the ticks of proc(5) are a hundredth of a second."""
    total = 0
    for process in processes:
        try:
            total += time.clock_gettime((~process << 3) | 2)
        except OSError:
            continue
    return total
