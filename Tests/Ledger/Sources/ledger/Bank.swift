import RealmSwift

/// An actor that owns the realm through which clients write.
actor Bank {
    private var realm: Realm!

    init() async throws { realm = try await Realm(actor: self) }

    func open() async throws {
        try await realm.asyncWrite {
            for number in 0..<Rules.accounts {
                realm.create(Account.self, value: ["number": number, "balance": 1000])
            }
        }
    }

    /// Suspends until the transfer is durable. Transfers of several tasks share a disk sync.
    func transfer(_ amount: Int, from: Int, to: Int) async throws {
        try await realm.asyncWrite {
            Rules.transfer(amount, from: from, to: to, by: "client", in: realm)
        }
    }

    /// Changes data and then throws; nothing of the change may remain.
    func fail() async throws {
        try await realm.asyncWrite {
            realm.objects(Account.self).first!.balance = -1_000_000
            throw CancellationError()
        }
    }

    func reference(to number: Int) -> ThreadSafeReference<Account>? {
        realm.object(ofType: Account.self, forPrimaryKey: number).map {
            ThreadSafeReference(to: $0)
        }
    }

    var balances: [Int] { realm.objects(Account.self).map(\.balance) }
    var transfers: Int { realm.objects(Transfer.self).count }
    var violation: String? { Rules.violation(in: realm) }

    func close() { realm = nil }
}

/// Keeps a copy of the balances up to date by applying changes, without reading the realm
/// otherwise.
actor Watcher {
    private(set) var balances: [Int] = []
    private(set) var updates = 0

    func heard(_ change: RealmCollectionChange<Results<Account>>) {
        switch change {
        case .initial(let accounts): balances = accounts.map(\.balance)
        case .update(let accounts, let deletions, let insertions, let modifications):
            for i in deletions.reversed() { balances.remove(at: i) }
            for i in insertions { balances.insert(accounts[i].balance, at: i) }
            for i in modifications { balances[i] = accounts[i].balance }
            updates += 1
        case .error: balances = []
        }
    }
}
