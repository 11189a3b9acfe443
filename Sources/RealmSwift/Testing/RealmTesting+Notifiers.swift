import Foundation
import RealmEngine

/// Realms that hear of commits when they are told to.
extension RealmTesting {
    /// A realm for the main queue that moves on when it is refreshed, when it writes, and when
    /// `runNotifiers` is called.
    public static func openWithoutNotifier(_ configuration: Realm.Configuration) throws -> Realm {
        Realm(try RealmInstance.open(configuration, on: Scheduler.main, isTold: false))
    }

    public static func runNotifiers(path: String) {
        for realm in RealmInstance.all
        where realm.configuration.fileURL?.path == path && !realm.isTold {
            let engine = Carried(realm.engine)
            _ = realm.engine.confinement.post { engine.value.hearOfCommits() }
        }
    }
}
