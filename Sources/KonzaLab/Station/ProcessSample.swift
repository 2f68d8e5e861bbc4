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

/// Samples over time.
struct UsageSeries: Sendable {
    enum Quantity: String, CaseIterable, Sendable {
        case heap, resident, descriptors, threads, disk

        /// What is still called flat. Nil for what is only reported.
        var bounds: Growth.Bounds? {
            switch self {
            case .heap: Growth.Bounds(perHour: 1e6, step: 3e6)
            case .resident: Growth.Bounds(perHour: 4e6, step: 8e6)
            case .descriptors, .threads: Growth.Bounds(perHour: 2, step: 3)
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

    private var samples: [(seconds: Double, sample: ProcessSample)] = []

    var count: Int { samples.count }

    mutating func add(_ sample: ProcessSample, at seconds: Double) { samples.append((seconds, sample)) }

    /// - Parameters:
    ///   - quantity: one of those sampled.
    ///   - warmUp: seconds at the beginning that do not count.
    /// - Returns: how it grows in the two halves of the rest.
    /// - Throws: ``Complaint`` if there are too few samples.
    func growth(of quantity: Quantity, after warmUp: Double) throws -> Growth {
        try Growth(samples.filter { $0.seconds >= warmUp }.map { ($0.seconds, quantity.value($0.sample)) })
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

extension Growth {
    /// "heap 9.78, then 9.80 MB, at most 11.48, slopes 0.55 ± 0.10 and 0.02 ± 0.11 MB/h".
    func words(_ quantity: UsageSeries.Quantity) -> String {
        let unit = quantity.unit
        func text(_ value: Double) -> String { String(format: "%.2f", value / unit.size) }
        let name = unit.name.isEmpty ? "" : " \(unit.name)"
        return "\(quantity.rawValue) \(text(first.mean)), then \(text(second.mean))\(name), at most "
            + "\(text(max(first.most, second.most))), slopes \(text(first.slope)) ± \(text(first.error)) and "
            + "\(text(second.slope)) ± \(text(second.error))\(name)/h"
    }
}
