import RealmEngine
import Synchronization

/// Counts values that the output format cannot preserve, for a warning at the end. Shared by all
/// threads of a command.
package final class ValueLosses: Sendable {
    private let illFormed = Atomic<Int>(0)
    private let untyped = Atomic<Int>(0)
    private let joined = Atomic<Int>(0)
    private let chosen = Atomic<Int>(0)
    private let hasWarned = Atomic<Bool>(false)

    /// Counts a string that is not UTF-8, whose invalid bytes were printed as U+FFFD.
    func countIllFormed() { illFormed.add(1, ordering: .relaxed) }

    /// Counts values of mixed properties that were printed without their type.
    func countUntyped(_ count: Int = 1) { untyped.add(count, ordering: .relaxed) }

    /// Counts a collection whose elements, joined in one cell, cannot be read back without
    /// ambiguity.
    func countJoined() { joined.add(1, ordering: .relaxed) }

    /// Counts a value that was printed, because of an option, in a way that `realm-write` cannot
    /// read.
    func countChosen() { chosen.add(1, ordering: .relaxed) }

    /// Resets all counts. Called before the output is repeated.
    package func reset() {
        illFormed.store(0, ordering: .relaxed)
        untyped.store(0, ordering: .relaxed)
        joined.store(0, ordering: .relaxed)
        chosen.store(0, ordering: .relaxed)
    }

    /// Prints a warning for each kind of loss that occurred. Later calls print nothing.
    ///
    /// - Parameter file: file name at the beginning of the warnings; nil for none.
    package func warn(_ diagnostics: Diagnostics, file: String? = nil) {
        let subject = file.map { $0 + ": " } ?? ""
        let losses = [
            Self.text(
                illFormed.load(ordering: .relaxed), "string is not UTF-8 and has",
                "strings are not UTF-8 and have", "U+FFFD in place of invalid bytes"),
            Self.text(
                untyped.load(ordering: .relaxed), "mixed value is", "mixed values are",
                "printed without type and would be read as another value"),
            Self.text(
                joined.load(ordering: .relaxed), "collection is", "collections are",
                "joined in a way that would be read as other elements"),
        ].compactMap { $0 }
        let choice = Self.text(
            chosen.load(ordering: .relaxed), "value is", "values are",
            "printed as --time, --binary or --null says and would be read as another value")
        if losses.isEmpty && choice == nil { return }
        if hasWarned.exchange(true, ordering: .relaxed) { return }
        for loss in losses {
            diagnostics.warn(subject + loss + "; --types extended preserves everything")
        }
        if let choice { diagnostics.warn(subject + choice + "; without the option it is kept") }
    }

    private static func text(
        _ count: Int, _ one: String, _ many: String, _ fate: String
    ) -> String? {
        count == 0 ? nil : "\(count) \(count == 1 ? one : many) \(fate)"
    }
}
