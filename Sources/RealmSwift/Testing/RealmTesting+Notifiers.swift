import Foundation
import RealmEngine

/// Realms that are notified of commits only when the test requests it.
extension RealmTesting {
    /// Opens a realm on the main queue that is not notified of commits. It advances only when
    /// `refresh` or `runNotifiers` is called, and when it begins to write.
    ///
    /// - Throws: the same errors as `Realm(configuration:)`.
    public static func openWithoutNotifier(_ configuration: Realm.Configuration) throws -> Realm {
        Realm(try RealmInstance.open(configuration, on: Scheduler.main, receivesNotices: false))
    }

    /// Notifies the realms that `openWithoutNotifier` opened for the file at `path` that other
    /// realms have committed. Must be called on the main queue.
    public static func runNotifiers(path: String) {
        for realm in RealmInstance.all
        where realm.configuration.fileURL?.path == path && !realm.receivesNotices {
            let engine = ThreadTransfer(realm.engine)
            _ = realm.engine.confinement.post { engine.value.simulateCommitNotice() }
        }
    }
}
