import Synchronization

/// Whether this process has seen what an encrypted database holds, which temporary files must not
/// show.
enum Confidence {
    private static let isOwed = Atomic<Bool>(false)

    /// An encrypted database is opened.
    static func begin() { isOwed.store(true, ordering: .relaxed) }

    /// Throws `incompatible` where a temporary file would tell.
    static func check() throws(RealmError) {
        guard isOwed.load(ordering: .relaxed) else { return }
        throw RealmError(
            .incompatible, code: "IllegalOperation", reason: "not-yet",
            "results of an encrypted database larger than the memory allowed are not supported yet",
            hint: "more memory helps: --max-memory")
    }
}
