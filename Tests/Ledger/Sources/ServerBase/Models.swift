import Foundation
import RealmSwift

package final class Account: Object {
    @Persisted(primaryKey: true) package var number: Int
    @Persisted package var balance: Int
}

package final class Transfer: Object {
    /// Identifier that the client has chosen, so that a repeated request has no further effect.
    @Persisted(primaryKey: true) package var id: String
    @Persisted package var from: Int
    @Persisted package var to: Int
    @Persisted package var amount: Int
}

/// The file of the server.
package enum Store {
    package static let accounts = 1000
    package static let openingBalance = 1_000_000

    package static func configuration(_ path: String) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [Account.self, Transfer.self])
    }
}
