import ToolKit

/// All output formats of `realm-query --format`: for records, for a whole file, for changes and for
/// schemas.
enum QueryForms {
    /// Names of the formats in the order of the help text.
    static let all: [OutputFormat] =
        RecordForms.all.map { $0.format } + [.html, .diff] + SchemaForms.all.map(\.format)

    /// Names and descriptions of the formats for the manual.
    static var manual: [(String, String)] {
        RecordForms.all.map { ("`\($0.format.rawValue)`", $0.manual) } + [
            ("`html`", DatabasePage.manual), ("`diff`", ReadableChanges.manual),
        ]
    }
}
