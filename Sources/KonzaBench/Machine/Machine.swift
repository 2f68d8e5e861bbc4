internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// What the figures were measured on.
enum Machine {
    static var facts: [String: String] {
        var facts = [
            "measuredAt": SystemClock().utc().rfc3339, "processors": "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))",
        ]
        if let text = try? Files.text("/proc/cpuinfo") {
            let line = text.split(separator: "\n").first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }
            if let name = line?.split(separator: ":").last { facts["model"] = String(name.drop { $0 == " " }) }
        }
        if let load = try? Files.text("/proc/loadavg") {
            facts["loadAverage"] = load.split(separator: " ").prefix(3).joined(separator: " ")
        }
        return facts
    }
}
