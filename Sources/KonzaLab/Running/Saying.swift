internal import Foundation

/// A line on standard output, at once: the process may be ended at any moment. What nobody reads any more is lost, and the
/// work goes on.
func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
