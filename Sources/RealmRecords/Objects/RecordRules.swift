/// Rules by which records become objects: modes, field names and limits.
package struct RecordRules {
    /// Effect of a record if its object exists, and if its object does not exist.
    package enum Mode: String, CaseIterable {
        case insert, upsert, merge, update, delete, apply
    }

    /// Effect of a link whose target does not exist.
    package enum LinkMode: String, CaseIterable {
        case strict, create, null
    }

    package var mode = Mode.insert
    package var links = LinkMode.strict
    /// Properties that take their values from a field with another name. If `className` is nil,
    /// an entry applies to all classes that are not embedded.
    package var renamed: [(className: String?, property: String, field: String)] = []
    /// Properties that have the same value in all records. Fields with their names are ignored.
    package var constants: [String] = []
    /// Field that names the class of a record.
    package var classField = "_class"
    package var ignoresUnknown = false
    /// Names of string properties that take JSON numbers: the digits of the number become the
    /// string.
    package var numbersAsText: Set<String> = []
    /// Limit in bytes of the memory of a load.
    package var memoryLimit = 256 << 20
    /// Memory limit in bytes of the transaction's changes; nil for the default of the transaction.
    package var transactionMemory: Int?
    /// Directory of the temporary file for pending links that exceed their memory.
    package var temporaryDirectory = "/tmp"
    /// Whether records must not be written to unencrypted files.
    package var isConfidential = false

    package init() {}
}
