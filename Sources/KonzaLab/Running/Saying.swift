internal import Foundation

/// A line on standard output, at once: the process may be ended at any moment.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
