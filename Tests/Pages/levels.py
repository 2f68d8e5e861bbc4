"""Whether something that is looked at again and again stays level or grows."""
import statistics

# Samples at the beginning that do not count: caches fill.
WARM_UP = 0.1
# What a rise must exceed, of the mean and of its own uncertainty.
LEAST_RISE, LEAST_CERTAINTY = 0.05, 3


def trend(samples):
    """The rise over the samples as a share of their mean, and how certain it is: slope by its standard error."""
    count = len(samples)
    slope, start = statistics.linear_regression(range(count), samples)
    rest = sum((value - start - slope * index) ** 2 for index, value in enumerate(samples)) / (count - 2)
    spread = sum((index - (count - 1) / 2) ** 2 for index in range(count))
    error = (rest / spread) ** 0.5
    return slope * (count - 1) / statistics.fmean(samples), slope / error if error else 0.0


def judge(name, unit, samples):
    """Fits straight lines to both halves: it grows if both rise by more than noise and by more than a twentieth."""
    samples = samples[int(len(samples) * WARM_UP):]
    middle = len(samples) // 2
    halves = [trend(samples[:middle]), trend(samples[middle:])]
    grows = all(rise > LEAST_RISE and certainty > LEAST_CERTAINTY for rise, certainty in halves)
    told = ", ".join(f"{rise:+.1%} ({certainty:+.1f} standard errors)" for rise, certainty in halves)
    print(f"{'GROWS ' if grows else 'flat  '}  {name}: {samples[0]:.1f} to {samples[-1]:.1f} {unit}, at most {max(samples):.1f};"
          f" halves {told}", flush=True)
    return grows


class Levels:
    """The memory of a browser, of its page, and of the station's processes, sample by sample."""

    def __init__(self, browser, processes, **others):
        self.browser, self.processes, self.others = browser, processes, others
        self.found = {}

    def sample(self):
        # A browser that is not told that memory is short keeps decoded pictures for minutes.
        self.browser.devtools("HeapProfiler.collectGarbage")
        self.browser.devtools("Memory.simulatePressureNotification", level="critical")
        tree = self.browser.processes
        self._add("browser", self.processes.resident(*tree))
        for kind in ("renderer", "gpu-process"):
            self._add(f"of it, {kind}", self.processes.resident(*self.processes.named(f"--type={kind}", tree)))
        self._add("page's objects", self.browser.devtools("Runtime.getHeapUsage")["usedSize"] / 1e6)
        self._add("page's nodes", self.browser.devtools("Memory.getDOMCounters")["nodes"])
        for name, process in self.others.items():
            self._add(name, self.processes.resident(process))

    def _add(self, name, value):
        self.found.setdefault(name, []).append(value)

    def __len__(self):
        return len(self.found.get("browser", []))

    def __str__(self):
        return ", ".join(f"{name} {samples[-1]:.1f}" for name, samples in self.found.items())

    def judge(self):
        """How many of them grow."""
        return sum([judge(name, "nodes" if name == "page's nodes" else "MB", samples) for name, samples in self.found.items()])
