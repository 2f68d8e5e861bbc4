internal import KonzaModel

// A libFuzzer target over the resumption of event streams: the history against one that is kept in plain lists, and the
// reader of `Last-Event-ID`. Its sources are compiled beside it, for they are internal to their module.

private struct Model {
    struct Event {
        let number: UInt64
        let count: Int
    }

    let most: Int
    let keptBytes: Int
    let passingBytes: Int
    var kept: [Event] = []
    var passing: [Event] = []
    var last: UInt64 = 0
    var dropped: UInt64 = 0

    mutating func append(_ count: Int, isKept: Bool) {
        last += 1
        let event = Event(number: last, count: count)
        if isKept {
            kept.append(event)
            while kept.count > most || bytes(kept) > keptBytes { dropped = kept.removeFirst().number }
        } else {
            passing.append(event)
            while passing.count > most || bytes(passing) > passingBytes { passing.removeFirst() }
        }
    }

    func bytes(_ events: [Event]) -> Int { events.reduce(0) { $0 + $1.count } }

    func first(after number: UInt64, joined: UInt64) -> UInt64? {
        let passed = passing.filter { $0.number > joined }
        return (kept + passed).map(\.number).filter { $0 > number }.min()
    }
}

private let epoch = "e1"

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let steps = unsafe input(bytes, count)
    guard steps.count >= 3 else { return 0 }
    let limits = steps[0..<3].map { Int($0) }
    var history = EventHistory(kept: limits[0] % 16, keptBytes: limits[1], passingBytes: limits[2])
    var model = Model(most: limits[0] % 16, keptBytes: limits[1], passingBytes: limits[2])
    var place = 3
    func next() -> Int {
        defer { place += 1 }
        return place < steps.count ? Int(steps[place]) : 0
    }
    while place < steps.count {
        let step = next()
        switch step % 4 {
        case 0, 1:
            let size = next() % 64
            history.append("e", FrameData([UInt8](repeating: 0, count: size)), isKept: step % 4 == 0)
            model.append(size, isKept: step % 4 == 0)
        case 2:
            let (number, joined) = (UInt64(next()), UInt64(next()))
            guard history.first(after: number, joined: joined)?.number == model.first(after: number, joined: joined)
            else { fail("another event comes next") }
            guard history.hasGap(after: number) == (number < model.dropped) else { fail("another gap") }
        default:
            // The rest is the id of a client that comes back, with the right epoch or without.
            let rest = String(decoding: steps[min(place, steps.count)...], as: UTF8.self)
            place = steps.count
            for id in [rest, "\(epoch)-\(rest)", "\(epoch)-\(step / 4)"] {
                let digits = id.hasPrefix("\(epoch)-") ? id.utf8.dropFirst(epoch.utf8.count + 1) : "".utf8[...]
                let isNumber = (1...20).contains(digits.count) && digits.allSatisfy { (48...57).contains($0) }
                let number = isNumber ? UInt64(String(Substring(digits))) : nil
                let expected = number.flatMap { $0 <= model.last ? $0 : nil }
                guard history.number(of: id, epoch: epoch) == expected else { fail("another number in an id") }
            }
        }
        guard history.last == model.last, history.bytes == model.bytes(model.kept) + model.bytes(model.passing) else {
            fail("other events are kept")
        }
    }
    return 0
}
