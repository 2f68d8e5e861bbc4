internal import Foundation

/// A thread for each job: a scenario blocks in system calls, and Swift's pool has as few threads as the machine cores.
final class LabExecutor: TaskExecutor {
    static let shared = LabExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
