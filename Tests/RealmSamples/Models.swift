import Foundation
import RealmSwift
import Synchronization

// The classes of the samples (API specification 4). This folder is compiled twice, in the language modes
// of Swift 6 and of Swift 5.

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

/// The model of the guide (ACT-07).
final class Job: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var title: String
    @Persisted var assignee: String
    @Persisted var state: String
    @Persisted var next: Job?
}

/// The samples, run one after the other by tests: each on the default configuration, which tests set to a
/// file of its own.
public enum Samples {
    public static let types: [ObjectBase.Type] = [Hiker.self, Gear.self, Letter.self, Job.self]

    private static let failed = Mutex<[String]>([])

    /// What did not hold since this was asked last.
    public static func takeFailures() -> [String] {
        failed.withLock { failed in
            defer { failed = [] }
            return failed
        }
    }

    /// Notes what does not hold; nobody is stopped, since most of it is called back.
    static func check(
        _ holds: Bool, _ what: String, file: String = #fileID, line: Int = #line
    ) {
        if !holds { failed.withLock { $0.append("\(file):\(line): \(what)") } }
    }

    /// Waits until something that happens elsewhere is so, 20 s at most.
    static func eventually(
        isolation: isolated (any Actor)? = #isolation, _ isSo: () async throws -> Bool
    ) async throws -> Bool {
        for _ in 0..<4000 {
            if try await isSo() { return true }
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        return false
    }

    /// What several threads count.
    final class Counter: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func add(_ more: Int = 1) { number.withLock { $0 += more } }
    }

    /// Runs on a thread of its own, and waits for it.
    static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Runs on a serial queue.
    static func on(_ queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Void)
        async throws
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
