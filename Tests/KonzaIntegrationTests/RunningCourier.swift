import Foundation
import KonzaTesting

/// A `konza-courier` for a station's folder, ended when the test lets go of it.
final class RunningCourier {
    /// For running the program to its end.
    let arguments: [String]
    let folder: String
    private let credentials: String
    private var process: Process?

    init(folder: String) {
        self.folder = folder
        credentials = "\(folder)/credentials"
        arguments = [
            "--config", "\(folder)/konzad.conf", "--credentials", credentials, "--state", "\(folder)/courier",
        ]
    }

    deinit { end() }

    /// Puts the account's password where the courier looks for it.
    func give(_ password: String, as name: String = "metpetdb-password") throws {
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        try Data(password.utf8).write(to: URL(fileURLWithPath: "\(credentials)/\(name)"))
    }

    func takeBackPassword() throws { try FileManager.default.removeItem(atPath: "\(credentials)/metpetdb-password") }

    /// Starts it, if need be with the account's password.
    @discardableResult func start(password: String? = nil) throws -> Process {
        if let password { try give(password) }
        let process = Process()
        process.executableURL = try Programs.path("konza-courier")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        return process
    }

    func end() {
        if let process { KonzaIntegrationTests.end(process) }
        process = nil
    }
}

extension Station {
    /// The settings of recorded sources and an account at a stand-in of MetPetDB.
    static func recorded(submittingTo server: StandInMetPetDB, _ more: String = "") -> String {
        """
        \(recorded)
        [MetPetDB]
        Submit=yes
        URL=\(server.baseURL)
        Email=\(StandInMetPetDB.email)
        \(more)
        """
    }
}
