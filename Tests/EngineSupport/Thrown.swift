@testable import RealmEngine

/// The error that a call threw.
enum Thrown {
    static func error(_ body: () throws -> Void) -> RealmError? {
        do { try body() } catch { return error as? RealmError }
        return nil
    }
}
