import RealmEngine

/// How values are written (realm-tools(7), VALUES).
struct ValueStyle: Sendable {
    enum Types: String, Sendable {
        case plain
        /// Every value says its type, so that nothing is lost.
        case extended
    }

    enum Time: String, Sendable {
        case rfc3339
        case unix
        case unixNanoseconds = "unix-ns"
    }

    enum Binary: String, Sendable {
        case base64
        case hex
        /// Binary properties are left out; binary values in mixed properties are null.
        case omit
    }

    var types = Types.plain
    var time = Time.rfc3339
    var binary = Binary.base64
    /// Between the elements of a collection in one cell.
    var join = Array(";".utf8)
    /// Null in a cell; nil for what the format has by default.
    var null: [UInt8]?
    /// What is plain and would be read as something else is extended: change records are applied.
    var isExact = false
    /// What this form could not keep so far.
    let losses = ValueLosses()
}
