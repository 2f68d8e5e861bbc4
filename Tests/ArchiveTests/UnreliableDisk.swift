import Foundation
import Glibc
import KonzaTesting
import Synchronization

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

/// The file system with faults: any step can fail, everything can stop after any step as in a crash, and a power cut
/// can undo what was not flushed: names that no flush of their folder made durable, bytes that no flush of their file
/// did (POSIX fsync(2) promises nothing else).
final class UnreliableDisk: FileOperations {
    struct Plan {
        /// The step, counted from 1, that fails without having happened, and its error.
        var failAt: (count: Int, code: Int32)?
        /// Steps of these kinds fail always.
        var failing: [FileStep: Int32] = [:]
        /// The step, counted from 1, after which nothing happens any more.
        var crashAfter: Int?
        /// What the disk claims to have free; nil for the truth.
        var free: Int64?
        /// How many files the disk claims to take; nil for the truth.
        var freeFiles: Int64?
        /// What happens, once, between the disk's answer about its space and its arrival.
        var afterNextMeasure: (@Sendable () -> Void)?
    }

    /// A change of a folder that no flush has made durable.
    private enum Change {
        case created(String)
        case renamed(from: String, to: String, replaced: String?)
        case removed(String, shadow: String)
        case madeFolder(String)

        var folder: String {
            switch self {
            case .created(let path), .removed(let path, _), .madeFolder(let path), .renamed(_, let path, _):
                String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            }
        }
    }

    private struct State {
        var plan = Plan()
        var steps = 0
        var taken: [FileStep] = []
        var hasCrashed = false
        var changes: [Change] = []
        /// Files whose bytes were written and not flushed.
        var unflushed: Set<String> = []
    }

    private let system = SystemFileOperations()
    private let state = Mutex(State())
    /// Where removed files are kept until their removal is durable.
    private let shadows: String

    init(shadows: String) { self.shadows = shadows }

    func plan(_ change: (inout Plan) -> Void) { state.withLock { change(&$0.plan) } }

    /// Counts steps from 1 again.
    func restartCount() {
        state.withLock { state in
            state.steps = 0
            state.taken = []
        }
    }

    var stepCount: Int { state.withLock { $0.steps } }
    var stepsTaken: [FileStep] { state.withLock { $0.taken } }
    var hasCrashed: Bool { state.withLock { $0.hasCrashed } }

    /// Takes one step unless the plan says otherwise.
    private func step<Value>(
        _ kind: FileStep, _ path: String, _ action: () throws(FileError) -> Value
    ) throws(FileError) -> Value {
        try state.withLock { state throws(FileError) in
            if state.hasCrashed { throw FileError(step: kind, path: path, code: EIO) }
            state.steps += 1
            state.taken.append(kind)
            if let fault = state.plan.failAt, fault.count == state.steps {
                throw FileError(step: kind, path: path, code: fault.code)
            }
            if let code = state.plan.failing[kind] { throw FileError(step: kind, path: path, code: code) }
        }
        let value = try action()
        state.withLock { state in
            if let last = state.plan.crashAfter, state.steps >= last { state.hasCrashed = true }
        }
        return value
    }

    private func note(_ change: Change) { state.withLock { $0.changes.append(change) } }

    func makeFolder(_ path: String) throws(FileError) {
        try step(.makeFolder, path) { () throws(FileError) in
            let isNew = !Folder.exists(path)
            try system.makeFolder(path)
            if isNew { note(.madeFolder(path)) }
        }
    }

    func create(_ path: String) throws(FileError) -> Int32 {
        try step(.create, path) { () throws(FileError) in
            let descriptor = try system.create(path)
            note(.created(path))
            return descriptor
        }
    }

    func write(_ pieces: FileContent, to descriptor: Int32, path: String) throws(FileError) {
        try step(.write, path) { () throws(FileError) in
            state.withLock { _ = $0.unflushed.insert(path) }
            try system.write(pieces, to: descriptor, path: path)
        }
    }

    func synchronize(_ descriptor: Int32, path: String) throws(FileError) {
        try step(.synchronize, path) { () throws(FileError) in state.withLock { _ = $0.unflushed.remove(path) } }
    }

    func close(_ descriptor: Int32) { system.close(descriptor) }

    func renameNew(_ source: String, to target: String) throws(FileError) {
        try step(.rename, target) { () throws(FileError) in
            try system.renameNew(source, to: target)
            moved(source, target, replaced: nil)
        }
    }

    func renameReplacing(_ source: String, to target: String) throws(FileError) {
        try step(.rename, target) { () throws(FileError) in
            let shadow = Folder.exists(target) ? self.shadow(of: target) : nil
            try system.renameReplacing(source, to: target)
            moved(source, target, replaced: shadow)
        }
    }

    private func moved(_ source: String, _ target: String, replaced: String?) {
        state.withLock { state in
            state.changes.append(.renamed(from: source, to: target, replaced: replaced))
            if state.unflushed.remove(source) != nil { state.unflushed.insert(target) }
        }
    }

    private func shadow(of path: String) -> String {
        let shadow = "\(shadows)/\(UUID().uuidString)"
        _ = link(path, shadow)
        return shadow
    }

    func synchronizeFolder(_ path: String) throws(FileError) {
        try step(.synchronizeFolder, path) { () throws(FileError) in
            state.withLock { $0.changes.removeAll { $0.folder == path } }
        }
    }

    func remove(_ path: String) throws(FileError) {
        try step(.remove, path) { () throws(FileError) in
            let shadow = Folder.exists(path) ? self.shadow(of: path) : nil
            try system.remove(path)
            if let shadow { note(.removed(path, shadow: shadow)) }
        }
    }

    func removeEmptyFolder(_ path: String) {
        // A folder's removal that a power cut undoes leaves it empty, as it was: nothing to remember.
        if !hasCrashed { system.removeEmptyFolder(path) }
    }

    func space(ofFolder path: String) throws(FileError) -> DiskSpace {
        try step(.measure, path) { () throws(FileError) in
            var space = try system.space(ofFolder: path)
            if let free = state.withLock({ $0.plan.free }) { space.free = free }
            if let files = state.withLock({ $0.plan.freeFiles }) { space.freeFiles = files }
            state.withLock { $0.plan.afterNextMeasure.take() }?()
            return space
        }
    }

    func willCommit(in folder: String) throws(FileError) { try step(.commit, folder) {} }

    func didCommit(in folder: String) throws(FileError) { try step(.commit, folder) {} }

    /// The power goes: of each folder a random tail of the changes that were not flushed is undone, and of each file
    /// that was not flushed a random part is lost.
    func cutPower(using generator: inout SeededGenerator) {
        let (changes, unflushed) = state.withLock { state in
            state.hasCrashed = true
            return (state.changes, state.unflushed.sorted())
        }
        for path in unflushed where Folder.exists(path) {
            let size = Folder.status(path)?.byteCount ?? 0
            _ = truncate(path, off_t(Int64.random(in: 0...max(0, size), using: &generator)))
        }
        // A journal keeps the order of one folder's changes, so what is undone is a tail.
        for folder in Set(changes.map(\.folder)).sorted() {
            let own = changes.filter { $0.folder == folder }
            for change in own.suffix(Int.random(in: 0...own.count, using: &generator)).reversed() { undo(change) }
        }
    }

    private func undo(_ change: Change) {
        switch change {
        case .created(let path): _ = unlink(path)
        case .renamed(let source, let target, let replaced):
            _ = rename(target, source)
            if let replaced { _ = rename(replaced, target) }
        case .removed(let path, let shadow): _ = rename(shadow, path)
        case .madeFolder(let path): try? FileManager.default.removeItem(atPath: path)
        }
    }
}
