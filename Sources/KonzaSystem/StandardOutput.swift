internal import Glibc

/// Hands what was printed on, also where standard output is a file or a pipe.
public func flushStandardOutput() {
    fflush(nil)
}
