import Foundation
import RealmSwift
import Synchronization

// Classes of the samples (API specification 4). This folder is compiled twice, in the language
// modes of Swift 6 and of Swift 5.

final class Hiker: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var gear: List<Gear>

    convenience init(name: String) {
        self.init()
        self.name = name
    }
}

final class Gear: Object {
    @Persisted var label: String
    @Persisted var grams: Int
}

final class Letter: Object {
    @Persisted var seen: Bool
    @Persisted var subject: String
}

/// The model of the actors guide (ACT-07).
final class Job: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var title: String
    @Persisted var assignee: String
    @Persisted var state: String
    @Persisted var next: Job?
}

/// The samples, which tests run one after the other. Each uses the default configuration, which a
/// test sets to a new file.
public enum Samples {
    public static let types: [ObjectBase.Type] = [Hiker.self, Gear.self, Letter.self, Job.self]

    private static let failed = Mutex<[String]>([])

    /// Returns the checks that failed since the previous call.
    public static func takeFailures() -> [String] {
        failed.withLock { failed in
            defer { failed = [] }
            return failed
        }
    }

    /// Records a failed check. The sample continues, since most checks are made in callbacks.
    static func check(
        _ holds: Bool, _ what: String, file: String = #fileID, line: Int = #line
    ) {
        if !holds { failed.withLock { $0.append("\(file):\(line): \(what)") } }
    }

    /// Waits for a condition that another task or thread makes true, at most 20 s. Returns false on
    /// timeout.
    static func eventually(
        isolation: isolated (any Actor)? = #isolation, _ isSo: () async throws -> Bool
    ) async throws -> Bool {
        for _ in 0..<4000 {
            if try await isSo() { return true }
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        return false
    }

    /// A counter that several threads use.
    final class Counter: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func add(_ more: Int = 1) { number.withLock { $0 += more } }
    }

    /// Runs `body` on a new thread and waits for it.
    static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Runs `body` on a serial queue and waits for it.
    static func on(_ queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Void)
        async throws
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
