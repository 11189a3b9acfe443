import ToolKit

/// All forms of `realm-query --format`: forms of records, of a whole file, of changes and of
/// schemas.
enum QueryForms {
    /// Names in the order of the help text.
    static let all: [OutputFormat] =
        RecordForms.all.map { $0.format } + [.html, .diff] + SchemaForms.all.map(\.format)

    /// Names and manual texts of the forms that have a manual text.
    static var manual: [(String, String)] {
        RecordForms.all.map { ("`\($0.format.rawValue)`", $0.manual) } + [
            ("`html`", DatabasePage.manual), ("`diff`", ReadableChanges.manual),
        ]
    }
}
