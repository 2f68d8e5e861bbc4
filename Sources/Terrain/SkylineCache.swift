internal import KonzaModel
internal import Synchronization

/// The last few skylines. One is computed at a time: a second request for the same waits, and finds it.
final class SkylineCache: Sendable {
    /// Places within a decimetre share a skyline.
    struct Key: Equatable {
        private let latitude: Int
        private let longitude: Int
        private let height: Int
        private let azimuths: Int

        init(_ place: Coordinate, height: Double, azimuths: Int) {
            latitude = Int((place.latitude * 1e6).rounded())
            longitude = Int((place.longitude * 1e6).rounded())
            self.height = Int((height * 10).rounded())
            self.azimuths = azimuths
        }
    }

    /// 720 points have 29 kB.
    private static let most = 8
    private let kept = Mutex<[(key: Key, skyline: Skyline)]>([])

    func value(_ key: Key, make: () -> Skyline) -> Skyline {
        kept.withLock { kept in
            if let index = kept.firstIndex(where: { $0.key == key }) {
                let hit = kept.remove(at: index)
                kept.append(hit)
                return hit.skyline
            }
            let made = make()
            if kept.count == Self.most { kept.removeFirst() }
            kept.append((key, made))
            return made
        }
    }
}
