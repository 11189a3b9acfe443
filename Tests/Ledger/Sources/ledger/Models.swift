import RealmSwift

final class Account: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var balance: Int
    @Persisted(originProperty: "accounts") var transfers: LinkingObjects<Transfer>
}

final class Transfer: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var amount: Int
    @Persisted var source: String
    /// The account that the amount came from, followed by the one that it went to.
    @Persisted var accounts: List<Account>
}

/// Rules that every version of the file must satisfy: transfers move money, and the total never
/// changes.
enum Rules {
    static let accounts = 100
    static let total = accounts * 1000

    /// Violation of a rule in the version that `realm` shows; nil if there is none.
    static func violation(in realm: Realm) -> String? {
        let accounts = realm.objects(Account.self)
        guard accounts.count == Self.accounts else { return "\(accounts.count) accounts" }
        let sum: Int = accounts.sum(of: \.balance)
        if sum != total { return "\(sum) in all accounts, not \(total)" }
        if let last = realm.objects(Transfer.self).last {
            if last.accounts.count != 2 { return "a transfer between \(last.accounts.count)" }
            if !last.accounts[0].transfers.contains(last) {
                return "a transfer unknown to its account"
            }
        }
        return nil
    }

    /// Moves money between two accounts, in an open write transaction.
    static func transfer(_ amount: Int, from: Int, to: Int, by source: String, in realm: Realm) {
        guard from != to, let giver = realm.object(ofType: Account.self, forPrimaryKey: from),
            let taker = realm.object(ofType: Account.self, forPrimaryKey: to)
        else { return }
        giver.balance -= amount
        taker.balance += amount
        let transfer = Transfer()
        (transfer.amount, transfer.source) = (amount, source)
        transfer.accounts.append(objectsIn: [giver, taker])
        realm.add(transfer)
    }
}
