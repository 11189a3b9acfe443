@testable import EngineSupport
@testable import RealmEngine

/// A database with an instance on a loop of the calling thread, which delivers only when the test
/// runs it, and a diary of notifications.
final class LoopLab {
    let lab: InstanceLab
    let loop = ThreadLoop()
    let instance: Instance
    let diary = Diary()
    private var tokens: [ObservationToken] = []

    /// - Parameter count: number of initial objects, whose ages are 0, 1, 2 and so on.
    init(_ count: Int = 0, autorefresh: Bool = false) throws {
        lab = try InstanceLab()
        lab.configuration.autorefresh = autorefresh
        instance = try lab.open(on: loop.confinement)
        // Background evaluations run synchronously.
        instance.observers.evaluate = { $0() }
        try write { (_) throws(RealmError) in
            for age in 0..<count { _ = try lab.add(instance, age: Int64(age)) }
        }
    }

    var keys: [ObjectKey] { (try? instance.snapshot().table(lab.table).keys()) ?? [] }

    func link(_ index: Int) -> ObjectLink { ObjectLink(table: lab.table, key: keys[index]) }

    func write(_ body: (WriteTransaction) throws(RealmError) -> Void) throws {
        try instance.write(body)
    }

    func setAge(_ index: Int, _ age: Int64) throws {
        let key = keys[index]
        try write { (transaction) throws(RealmError) in
            try transaction.set(lab.table, key, 0, .int(age))
        }
    }

    /// Records notifications of the instance.
    func observeInstance() {
        let diary = diary
        tokens.append(instance.observe { diary.note("instance \($0)") })
    }

    /// Records notifications of an object.
    @discardableResult
    func observeObject(_ index: Int) -> ObservationToken {
        let diary = diary
        tokens.append(instance.observe(object: link(index)) { diary.note($0.text("object")) })
        return tokens.last!
    }

    /// Records notifications of a query, after `initial`.
    func observe(_ query: Query? = nil) throws {
        let diary = diary
        tokens.append(
            try instance.observe(table: lab.table, query) { diary.note($0.text("objects")) })
        deliverInitial()
    }

    /// Waits for the evaluation and delivers the initial call.
    func deliverInitial() {
        let before = diary.all.count
        while diary.all.count == before { loop.run(milliseconds: 100) }
    }

    /// Returns the events since the last call.
    func news() -> [String] {
        let all = diary.all
        defer { seen = all.count }
        return Array(all[seen...])
    }
    private var seen = 0

    func release() { tokens = [] }

    func audit() throws {
        release()
        instance.close()
        try lab.audit()
    }
}

extension CollectionNotice {
    /// Short text: deleted, inserted and modified indexes.
    func text(_ what: String) -> String {
        switch self {
        case .initial: "\(what) initial"
        case .changed(let change):
            "\(what) -\(change.deletions) +\(change.insertions) *\(change.modifications)"
        case .changedKeys(let change):
            "\(what) -\(change.deletions) +\(change.insertions) *\(change.modifications)"
        case .deleted: "\(what) deleted"
        }
    }
}

extension ObjectNotice {
    /// Short text: the changed columns.
    func text(_ what: String) -> String {
        switch self {
        case .changed(let change): "\(what) changed(\(change.columns))"
        case .deleted: "\(what) deleted"
        }
    }
}

/// Suspends until a condition becomes true.
func eventually(_ isTrue: @Sendable () async -> Bool) async throws {
    while !(await isTrue()) { try await Task.sleep(for: .milliseconds(1)) }
}
