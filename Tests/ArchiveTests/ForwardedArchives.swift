import KonzaTesting

@testable import Forwarding
@testable import Postcards
@testable import Specimens
@testable import Storage

/// A store with everything that the fleet is to have.
struct ForwardedArchives {
    let store: Store
    let postcards: PostcardArchive
    let specimens: SpecimenArchive
    let outbox: ForwardingArchive

    init(_ folder: TemporaryFolder) throws {
        store = try Store(
            folder: folder.path, clock: ManualClock(utc: noon), spaceReserve: 0,
            operations: SystemFileOperations())
        postcards = PostcardArchive(store: store, limits: RetentionLimits(spaceReserve: 0))
        specimens = SpecimenArchive(store: store)
        outbox = ForwardingArchive(store: store)
        store.refresh()
    }
}
