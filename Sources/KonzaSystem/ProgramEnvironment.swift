internal import Glibc

/// What a program was started with beside its arguments.
public enum ProgramEnvironment {
    /// A variable of the environment.
    ///
    /// - Parameter name: of the variable.
    /// - Returns: nil if it is not set or is empty.
    public static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// A path from the root.
    ///
    /// - Parameter path: from the root, or from the current folder.
    /// - Returns: nil if it is relative and the system does not tell the current folder.
    public static func absolute(_ path: String) -> String? {
        guard !path.hasPrefix("/") else { return path }
        guard let here = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(here) }
        return unsafe "\(String(cString: here))/\(path)"
    }
}
