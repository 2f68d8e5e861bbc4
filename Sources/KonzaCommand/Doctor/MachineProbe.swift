internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// Looks at the machine, without changing anything.
enum MachineProbe {
    static func facts(socketPath: String, environment: [String: String]) -> MachineFacts {
        let folders = ["/var/lib/konza", SocketChoice.stateFolder(environment)].compactMap { $0 }
        let folder = folders.first { unsafe access($0, F_OK) == 0 } ?? environment["HOME"]
        return MachineFacts(
            socketPath: socketPath, socket: socketFile(socketPath), user: userName(environment), userID: geteuid(),
            groups: groups(), cameras: cameras(), gpsd: GPSDProbe.look(), folder: folder,
            freeBytes: folder.flatMap(freeBytes), now: SystemClock().utc(), isSynchronized: SystemClock.isSynchronized,
            hasPortal: ["/lib", "/usr/lib", "/etc"].contains {
                SocketChoice.fileExists("\($0)/systemd/system/konza-portal.service")
            })
    }

    private static func socketFile(_ path: String) -> MachineFacts.SocketFile {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return .init(kind: errno == EACCES ? .hidden : .absent) }
        return .init(
            kind: status.st_mode & S_IFMT == S_IFSOCK ? .socket : .other,
            isWritable: unsafe access(path, W_OK) == 0, ownerID: status.st_uid, group: groupName(status.st_gid))
    }

    private static func userName(_ environment: [String: String]) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard unsafe getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return environment["USER"] ?? "user \(geteuid())"
        }
        return unsafe String(cString: entry.pw_name)
    }

    private static func groupName(_ id: gid_t) -> String? {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard unsafe getgrgid_r(id, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return nil
        }
        return unsafe String(cString: entry.gr_name)
    }

    /// The groups of this process: those of the log-in, not those of /etc/group by now.
    private static func groups() -> [String] {
        var ids = [gid_t](repeating: 0, count: 1024)
        let count = unsafe getgroups(Int32(ids.count), &ids)
        return (ids.prefix(Int(max(count, 0))) + [getegid()]).compactMap(groupName)
    }

    private static func cameras() -> [MachineFacts.CameraNode] {
        (0..<64).compactMap { number in
            let path = "/dev/video\(number)"
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            return .init(
                path: path, isUsable: unsafe access(path, R_OK | W_OK) == 0, group: groupName(status.st_gid))
        }
    }

    private static func freeBytes(_ folder: String) -> Int64? {
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0 else { return nil }
        return Int64(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }
}
