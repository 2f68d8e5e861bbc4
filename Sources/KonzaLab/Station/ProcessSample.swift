internal import Foundation

/// What konzad's process uses at one moment.
struct ProcessSample: Sendable {
    /// Allocated and not freed, bytes, by konzad's own account.
    let heap: Double
    /// Resident memory, bytes, by the kernel's account.
    let resident: Double
    let descriptors: Double
    let threads: Double
    /// What the postcards, their index and its log take on the disk, bytes.
    let disk: Double

    /// - Parameter station: whose konzad runs.
    /// - Throws: ``Complaint`` if it does not.
    init(_ station: LabStation) throws {
        guard let id = try station.processID() else { throw Complaint("konzad does not run") }
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        func number(_ name: String) throws -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
            guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
            else { throw Complaint("/proc/\(id)/status has no \(name)") }
            return number
        }
        heap = try station.metric("konza_heap_bytes")
        resident = try number("VmRSS") * 1024
        threads = try number("Threads")
        descriptors = Double(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count)
        disk = Self.bytes(under: station.state)
    }

    private static func bytes(under folder: String) -> Double {
        // A file may be deleted between the two looks at it.
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return sum + ((attributes?[.size] as? NSNumber)?.doubleValue ?? 0)
        }
    }
}

/// Samples over time, and the straight lines through them.
struct UsageSeries: Sendable {
    enum Quantity: String, CaseIterable, Sendable {
        case heap, resident, descriptors, threads, disk

        /// The slope, an hour, that is still called flat. Nil for what is only reported.
        var mostPerHour: Double? {
            switch self {
            case .heap: 1e6
            case .resident: 4e6
            case .descriptors, .threads: 2
            case .disk: nil
            }
        }

        /// What one of the numbers in words is.
        var unit: (name: String, size: Double) {
            switch self {
            case .heap, .resident, .disk: ("MB", 1e6)
            case .descriptors, .threads: ("", 1)
            }
        }

        fileprivate func value(_ sample: ProcessSample) -> Double {
            switch self {
            case .heap: sample.heap
            case .resident: sample.resident
            case .descriptors: sample.descriptors
            case .threads: sample.threads
            case .disk: sample.disk
            }
        }
    }

    /// The straight line of least squares.
    struct Line: Sendable {
        let mean: Double
        let most: Double
        /// Per hour.
        let slope: Double
        /// The slope's standard error, per hour. It takes the samples' deviations to be independent.
        let error: Double

        func words(_ quantity: Quantity) -> String {
            let unit = quantity.unit
            func text(_ value: Double) -> String { String(format: "%.2f", value / unit.size) }
            let name = unit.name.isEmpty ? "" : " \(unit.name)"
            return "\(quantity.rawValue) \(text(mean))\(name), at most \(text(most)), slope \(text(slope)) "
                + "± \(text(error))\(name)/h"
        }
    }

    private var samples: [(seconds: Double, sample: ProcessSample)] = []

    var count: Int { samples.count }

    mutating func add(_ sample: ProcessSample, at seconds: Double) { samples.append((seconds, sample)) }

    /// - Parameters:
    ///   - quantity: one of those sampled.
    ///   - warmUp: seconds at the beginning that do not count.
    /// - Returns: the line of least squares through the others.
    /// - Throws: ``Complaint`` if there are fewer than ten.
    func line(of quantity: Quantity, after warmUp: Double) throws -> Line {
        let points = samples.filter { $0.seconds >= warmUp }
            .map { (x: $0.seconds / 3600, y: quantity.value($0.sample)) }
        guard points.count >= 10 else { throw Complaint("\(points.count) samples are too few for a slope") }
        let count = Double(points.count)
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
        let residue = points.reduce(0) { sum, point in
            let distance = point.y - meanY - slope * (point.x - meanX)
            return sum + distance * distance
        }
        return Line(
            mean: meanY, most: points.map(\.y).max() ?? 0, slope: slope,
            error: (residue / (count - 2) / spread).squareRoot())
    }

    /// One line for each sample.
    var csv: String {
        let names = Quantity.allCases.map(\.rawValue).joined(separator: ",")
        let lines = samples.map { entry in
            "\(entry.seconds)," + Quantity.allCases.map { "\(Int($0.value(entry.sample)))" }.joined(separator: ",")
        }
        return (["seconds,\(names)"] + lines).joined(separator: "\n") + "\n"
    }
}
