internal import Access
internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Synchronization

/// The addresses of the network that tablets and telephones are served at. One that cannot be had, as that of an interface which is not
/// up yet, is tried again: neither the kiosk nor the other addresses wait for it.
final class NetworkListeners: Sendable {
    /// Seconds between two tries, and between two looks at the certificate.
    static let interval = 15.0

    /// One address.
    private struct Place: Sendable {
        let endpoint: Endpoint
        let server: HTTPServer
        let isEncrypted: Bool
        /// What nobody has there, for people.
        let loss: String
        /// What is there, for the log.
        let gain: String
        var isOpen = false
    }

    private let places: Mutex<[Place]>
    private let certificates: CertificateKeeper
    private let health: HealthRoutes
    private let log: Log

    /// - Parameters:
    ///   - settings: of the portal.
    ///   - certificates: for those with TLS.
    ///   - health: is told what is wrong.
    ///   - log: is told when an address is served.
    ///   - tablets: makes a server of the pages.
    ///   - telephones: makes a server of the links.
    /// - Throws: if there are no descriptors left.
    init(
        _ settings: StationSettings.Portal, certificates: CertificateKeeper, health: HealthRoutes, log: Log,
        tablets: () throws -> HTTPServer, telephones: () throws -> HTTPServer
    ) throws {
        var places: [Place] = []
        for endpoint in settings.listen {
            places.append(
                Place(
                    endpoint: endpoint, server: try tablets(), isEncrypted: true,
                    loss: "tablets are not served at \(endpoint)",
                    gain: "the pages are at https://\(endpoint)/ for whoever was paired"))
        }
        if let endpoint = settings.takeHome {
            places.append(
                Place(
                    endpoint: endpoint, server: try telephones(), isEncrypted: false,
                    loss: "telephones do not reach their postcards at \(endpoint)",
                    gain: "telephones fetch their postcards at http://\(endpoint)/"))
        }
        self.places = Mutex(places)
        self.certificates = certificates
        self.health = health
        self.log = log
    }

    var servers: [HTTPServer] { places.withLock { $0.map(\.server) } }

    /// Serves what is not served yet, and renews the certificate where that is due. Blocks.
    func tend() {
        let isDue = certificates.isDue
        var identity: TLSIdentity?
        var fault: String?
        let current = places.withLock { $0 }
        if current.contains(where: { $0.isEncrypted && (!$0.isOpen || isDue) }) {
            do { identity = try certificates.identity() } catch { fault = "\(error)" }
            note(certificate: fault ?? certificates.fault)
        } else if current.contains(where: \.isEncrypted) {
            note(certificate: certificates.fault)
        }
        for (index, place) in current.enumerated() {
            if place.isOpen {
                if isDue, place.isEncrypted, let identity { place.server.replaceIdentity(identity) }
                continue
            }
            if place.isEncrypted, identity == nil {
                note(place, fault: fault ?? "there is no certificate")
                continue
            }
            open(place, index, identity)
        }
    }

    private func open(_ place: Place, _ index: Int, _ identity: TLSIdentity?) {
        do {
            guard !PortalAddresses.isUnspecified(place.endpoint.host) else {
                throw ListenRefusal(
                    description:
                        "\(place.endpoint.host) stands for every address of this machine; name those that devices call it by"
                )
            }
            try place.server.listen(
                onAddress: place.endpoint.host, port: place.endpoint.port, tls: place.isEncrypted ? identity : nil)
            places.withLock { $0[index].isOpen = true }
            note(place, fault: nil)
            log(.notice, place.gain)
        } catch {
            note(place, fault: "\(error)")
        }
    }

    private func note(certificate fault: String?) {
        health.set(
            "certificate",
            [fault].compactMap { $0 }.map {
                PortalFault(
                    code: .certificate, what: $0,
                    remedy: "look at konza portal certificate, and at [Portal] Certificate=, Key= and Names=; then "
                        + "systemctl restart konza-portal")
            })
    }

    private func note(_ place: Place, fault: String?) {
        health.set(
            place.loss,
            [fault].compactMap { $0 }.map {
                PortalFault(
                    code: .address, what: "\(place.loss): \($0)",
                    remedy: "look at [Portal] Listen= and TakeHome=, at ip address, and with ss -ltnp at what else has "
                        + "the port; it is tried again by itself")
            })
    }

    /// Tends them until the task is cancelled.
    func run() async {
        guard !servers.isEmpty else { return }
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.interval))
            await onBlockingThread { self.tend() }
        }
    }
}

private struct ListenRefusal: Error, CustomStringConvertible {
    let description: String
}
