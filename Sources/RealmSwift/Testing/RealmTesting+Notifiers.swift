import Foundation
import RealmEngine

/// Realms that are notified of commits only on request.
extension RealmTesting {
    /// Opens a realm on the main queue that advances only on `refresh`, when it begins to write,
    /// and on `runNotifiers`.
    public static func openWithoutNotifier(_ configuration: Realm.Configuration) throws -> Realm {
        Realm(try RealmInstance.open(configuration, on: Scheduler.main, receivesNotices: false))
    }

    /// Notifies the realms of the file at `path` that `openWithoutNotifier` opened, on the main
    /// queue.
    public static func runNotifiers(path: String) {
        for realm in RealmInstance.all
        where realm.configuration.fileURL?.path == path && !realm.receivesNotices {
            let engine = ThreadTransfer(realm.engine)
            _ = realm.engine.confinement.post { engine.value.simulateCommitNotice() }
        }
    }
}
