import RealmEngine

/// How values are written (realm-tools(7), VALUES).
package struct ValueStyle: Sendable {
    package enum Types: String, CaseIterable, Sendable {
        case plain
        /// Every value says its type, so that nothing is lost.
        case extended
    }

    package enum Time: String, CaseIterable, Sendable {
        case rfc3339
        case unix
        case unixNanoseconds = "unix-ns"
    }

    package enum Binary: String, CaseIterable, Sendable {
        case base64
        case hex
        /// Binary properties are left out; binary values in mixed properties are null.
        case omit
    }

    package var types = Types.plain
    package var time = Time.rfc3339
    package var binary = Binary.base64
    /// Between the elements of a collection in one cell.
    package var join = Array(";".utf8)
    /// What is plain and would be read as something else is extended: change records are applied.
    package var isExact = false
    /// Whether `realm-write` reads the format: values that it would take for others are counted.
    package var isReadBack = true
    /// Embedded objects, and links to objects that are not there, are shown as the links they are.
    package var showsLostLinks = false
    /// What this form could not keep so far.
    package let losses = ValueLosses()

    package init(
        types: Types = Types.plain, time: Time = Time.rfc3339, binary: Binary = Binary.base64,
        join: [UInt8] = Array(";".utf8), isExact: Bool = false
    ) {
        self.types = types
        self.time = time
        self.binary = binary
        self.join = join
        self.isExact = isExact
    }

    /// Counts values of mixed properties that would be read as others.
    func noteUntyped(_ count: Int = 1) { if isReadBack { losses.noteUntyped(count) } }

    /// Counts a collection that would be read as another one.
    func noteJoined() { if isReadBack { losses.noteJoined() } }

    /// Counts a value that would be read as another one because of `--time`, `--binary` or `--null`.
    func noteChosen() { if isReadBack { losses.noteChosen() } }
}
