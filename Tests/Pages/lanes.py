"""Rows side by side: each lane is a process of its own beside a station of its own, and takes the next row when it has done one."""
import contextlib
import functools
import os
import pathlib
import signal
import subprocess
import threading

FOLDER = pathlib.Path(__file__).parent
# Ends what a lane says of its start, and then of each row; after it come the names of its rows, or whether the row passed.
END = "\x04"
# Many times what the longest row takes: a lane that hangs is ended.
ROW_SECONDS = 600


class Lane:
    """A station and a process that runs rows beside it, one after another; a context manager."""

    def __init__(self, arguments):
        # Painting 30 pictures a second, and showing them, would take a fifth of the processor's time of a row.
        self.process = subprocess.Popen([FOLDER / "station", FOLDER / "run", "--lane", *arguments], env=os.environ | {"RATE": "10"},
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                        start_new_session=True)
        # What it said last, a row or its start.
        self.said = []

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        """Waits until the station is away; after an error, such as an interruption, the row under way is ended."""
        if error:
            self._end()
        try:
            self.process.stdin.close()
            self.process.wait(60)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._end()

    def _end(self):
        """Ends everything of the lane; the station takes its folder away, if it still can."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass

    @property
    def is_running(self):
        return self.process.poll() is None

    def _answer(self):
        """What comes after the next END; what was said before it is printed as a whole. None if the lane ended."""
        self.said = []
        late = threading.Timer(ROW_SECONDS, self._end)
        late.start()
        try:
            for line in self.process.stdout:
                if line.startswith(END):
                    return line[1:].rstrip("\n")
                self.said.append(line)
            return None
        finally:
            late.cancel()
            print("".join(self.said), end="", flush=True)

    @functools.cached_property
    def names(self):
        """Of all its rows, once it has started; none if it could not."""
        return [name for name in (self._answer() or "").split("\t") if name]

    def run(self, name, label):
        """Whether the row passes."""
        if name in self.names:
            # One that ended before it was told gives no answer.
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.write(f"{name}\t{label}\n")
                self.process.stdin.flush()
            if answer := self._answer():
                return answer == "passed"
        self._end()
        print(f"failed  {label}: its lane ended without a result", flush=True)
        return False


class Places:
    """So many rows run at a time as there are places; who came first has them first, however many it needs."""

    def __init__(self, count):
        self.free, self.turn = threading.Semaphore(count), threading.Lock()

    @contextlib.contextmanager
    def taken(self, count):
        # One at a time: two that had half of what they need would wait for each other.
        with self.turn:
            for _ in range(count):
                self.free.acquire()
        try:
            yield
        finally:
            self.free.release(count)


class Lanes:
    """Lanes that share the rows, a context manager; without any, rows run in this process, by `here`.

    A row of `own` has a station for itself, which it may leave in any state. One of `punctual`, whose taps are to come in time, runs
    beside one lane less.
    """

    def __init__(self, count, arguments, own, punctual, here):
        self.arguments, self.own, self.punctual, self.here = arguments, own, punctual, here
        self.lanes = [Lane(arguments) for _ in range(count)]
        # What was said of each row that did not pass, at its last try.
        self.words = {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for lane in self.lanes:
            lane.__exit__(*error)

    @property
    def names(self):
        """Of all rows of the first lane."""
        return self.lanes[0].names

    def run(self, name, label=None, number=0):
        """Whether a row passes in the lane of a number; a lane that has ended is begun anew."""
        if name in self.own:
            with Lane(self.arguments) as lane:
                return self._run(lane, name, label)
        if not self.lanes:
            return self.here(name, label or name)
        if not self.lanes[number].is_running:
            self.lanes[number].__exit__(None)
            self.lanes[number] = Lane(self.arguments)
        return self._run(self.lanes[number], name, label)

    def _run(self, lane, name, label):
        passed = lane.run(name, label or name)
        if not passed:
            self.words[name] = "".join(lane.said)
        return passed

    def failed(self, names):
        """The rows that did not pass: in the order given, each in the lane that is free first."""
        if not self.lanes:
            return [name for name in names if not self.run(name)]
        waiting, found = iter(names), []
        lock, places = threading.Lock(), Places(len(self.lanes))

        def take(number):
            while True:
                with lock:
                    name = next(waiting, None)
                if name is None:
                    return
                with places.taken(min(2, len(self.lanes)) if name in self.punctual else 1):
                    passed = self.run(name, number=number)
                if not passed:
                    found.append(name)

        threads = [threading.Thread(target=take, args=(number,), daemon=True) for number in range(len(self.lanes))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


def serve(names, run):
    """What a lane does: tells the names of its rows, runs those that it reads, and says of each whether it passed."""
    print(END + "\t".join(names), flush=True)
    # What a row starts does not read the names.
    told = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for line in told:
        passed = run(*line.rstrip("\n").split("\t"))
        print(f"{END}{'passed' if passed else 'failed'}", flush=True)
