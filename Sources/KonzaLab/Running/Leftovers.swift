internal import Foundation

/// The processes that a scenario started and did not end: they carry its mark in their environment, orphans too.
struct Leftovers {
    static let variable = "KONZA_LAB_RUN"
    let mark: String

    /// Ends them all, and nothing else.
    func end() {
        for _ in 0..<100 {
            let marked = marked()
            if marked.isEmpty { return }
            for process in marked { kill(process, SIGKILL) }
            usleep(20_000)
        }
    }

    private func marked() -> [pid_t] {
        let wanted = Data("\(Self.variable)=\(mark)\0".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            // What has ended and was not waited for has an empty environment.
            FileManager.default.contents(atPath: "/proc/\(process)/environ")?.range(of: wanted) != nil
        }
    }
}
