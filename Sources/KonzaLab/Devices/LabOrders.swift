internal import Foundation

/// What a scenario on the build machine has done in a ``LabMachine`` that runs, order by order, through their folder.
public final class LabOrders: Sendable {
    /// The machine's command: it takes orders until its power is cut.
    public static let command = """
        mkdir -p /lab/orders; while :; do for order in /lab/orders/*.order; do [ -e "$order" ] || continue; \
        bash "$order" >"${order%.order}.said" 2>&1; echo $? >"$order.ended"; mv "$order.ended" "${order%.order}.status"; \
        rm "$order"; done; sleep 0.2; done
        """

    private let machine: LabMachine
    private let folder: String
    private let count = LockedValue(0)

    /// - Parameter machine: it runs ``command``.
    /// - Throws: if the folder of orders cannot be made.
    public init(_ machine: LabMachine) throws {
        self.machine = machine
        folder = "\(machine.folder)/orders"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Has bash do something in the machine, as root, and waits until it is done.
    ///
    /// - Parameters:
    ///   - order: what bash reads.
    ///   - seconds: the longest wait, seconds of the clock.
    /// - Returns: what it printed, without blanks at its ends.
    /// - Throws: ``Complaint`` if it ended with another status than 0, or not in time.
    @discardableResult public func give(_ order: String, within seconds: Double = 300) throws -> String {
        let number = count.value + 1
        count.set(number)
        let path = "\(folder)/\(number)"
        try "\(order)\n".write(toFile: "\(path).new", atomically: false, encoding: .utf8)
        try FileManager.default.moveItem(atPath: "\(path).new", toPath: "\(path).order")
        let start = ContinuousClock.now
        while !FileManager.default.fileExists(atPath: "\(path).status") {
            guard machine.isOn else {
                throw Complaint("the machine ended with \(machine.waitUntilOff()) during: \(order)")
            }
            guard start.duration(to: .now) < .seconds(seconds) else {
                throw Complaint("the machine has not done in \(Int(seconds)) s: \(order)")
            }
            usleep(100_000)
        }
        let said = try String(contentsOfFile: "\(path).said", encoding: .utf8)
        let status = try String(contentsOfFile: "\(path).status", encoding: .utf8)
        guard status == "0\n" else {
            throw Complaint("in the machine \(order) ended with \(status)\(said.suffix(600))")
        }
        return said.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
