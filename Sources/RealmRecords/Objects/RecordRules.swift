/// Rules by which records become objects.
package struct RecordRules {
    /// Treatment of a record whose object exists, and of one whose object does not.
    package enum Mode: String, CaseIterable {
        case insert, upsert, merge, update, delete, apply
    }

    /// Treatment of links to missing objects.
    package enum LinkMode: String, CaseIterable {
        case strict, create, null
    }

    package var mode = Mode.insert
    package var links = LinkMode.strict
    /// Names of the fields from which properties take their values; without a class for the classes
    /// of all records, but not for objects inside them.
    package var renamed: [(className: String?, property: String, field: String)] = []
    /// Properties whose values do not come from the records.
    package var constants: [String] = []
    /// Field that names the class of a record.
    package var classField = "_class"
    package var ignoresUnknown = false
    /// String properties that store the digits of JSON numbers.
    package var numbersAsText: Set<String> = []
    /// Limit in bytes of the memory of a load.
    package var memoryLimit = 256 << 20
    /// Limit in bytes of the changes of the transaction; nil to leave the limit as it is.
    package var transactionMemory: Int?
    /// Directory of the file to which pending links are spilled.
    package var temporaryDirectory = "/tmp"
    /// Whether records must not be written to unencrypted files.
    package var isConfidential = false

    package init() {}
}
