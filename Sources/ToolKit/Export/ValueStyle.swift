import RealmEngine

/// Options for the notation of values (realm-tools(7), VALUES).
package struct ValueStyle: Sendable {
    package enum Types: String, CaseIterable, Sendable {
        case plain
        /// Every value names its type, so that nothing is lost.
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
    /// Text between the elements of a collection in one cell.
    package var join = Array(";".utf8)
    /// Whether a value is written in extended form if its plain form would be read as another
    /// value. Needed for change records, which are applied to other databases.
    package var isExact = false
    /// Order of the bytes of UUIDs in the database.
    package var guid = UUIDOrder.standard
    /// Whether `realm-write` can read the output format. If so, `losses` counts the values that
    /// `realm-write` would read as other values.
    package var isReadBack = true
    /// Whether embedded objects and links to missing objects are printed as links.
    package var showsLostLinks = false
    /// Counts of values that the output could not preserve.
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

    /// Counts values of mixed properties that `realm-write` would read as other values.
    func countUntyped(_ count: Int = 1) { if isReadBack { losses.countUntyped(count) } }

    /// Counts a list or set whose cell `realm-write` would read as a different list or set.
    func countJoined() { if isReadBack { losses.countJoined() } }

    /// Counts a value that `realm-write` would read as another value because of `--time`,
    /// `--binary` or `--null`.
    func countChosen() { if isReadBack { losses.countChosen() } }
}
