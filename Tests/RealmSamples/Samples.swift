import RealmSwift

/// A sample, which runs with the default configuration.
public struct Sample: Sendable {
    public let name: String
    public let run: @Sendable () async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.run = run
    }
}

extension Samples {
    /// All samples, by their names in the specification.
    public static let all: [Sample] = threads + actors + contexts

    private static let threads = [
        Sample("T1", { try await writeAsync() }),
        Sample("T1b", { try await beginAsyncWrite() }),
        Sample("T2", { try await serialQueue() }),
        Sample("T3", { try await wrappedVariable() }),
        Sample("T4", { try await wrappedParameter() }),
        Sample("T5", { try await reference() }),
        Sample("T6 and T7", { try await inBackground() }),
        Sample("T8", { try await refresh() }),
        Sample("T9 and T10", { try await freeze() }),
        Sample("T11", { try await appendThawed() }),
        Sample("copied out", { try await copiedOut() }),
        Sample("moves on by itself", { try await movesOnByItself() }),
    ]

    private static let actors = [
        Sample("A1 and A2", { try await openOnMainActor() }),
        Sample("A3, A8 and A10", { try await actorOwnsRealm() }),
        Sample("A4", { try await globalActor() }),
        Sample("A5 and A6", { try await isolatedParameter() }),
        Sample("A7", { try await referenceAcrossActors() }),
        Sample("A9", { try await primaryKeyAcrossActors() }),
        Sample("A11", { try await observeCollection() }),
        Sample("A12", { try await observeObject() }),
        Sample("A13", { try await refreshAsynchronously() }),
        Sample("writes that suspend", { try await writesSuspend() }),
    ]

    private static let contexts = [
        Sample("C1", { try await keysOnly() }),
        Sample("C2", { try await changeSets() }),
        Sample("C3", { try await backgroundFetch() }),
        Sample("C4", { try await pendingWritesEnd() }),
        Sample("C5", { try await operations() }),
        Sample("C7", { try await droppedInsideWrite() }),
        Sample("unsaved", { try await unsavedIsUnknown() }),
    ]
}
