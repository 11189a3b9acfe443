import ToolKit

/// The forms of `realm-query --format`: of records, of a whole file, of changes and of schemas.
enum QueryForms {
    /// Names in the order of help.
    static let all: [OutputFormat] =
        RecordForms.all.map { $0.format } + [.html, .diff] + SchemaForms.all.map(\.format)

    /// Name and text of the manual for each form that has one there.
    static var manual: [(String, String)] {
        RecordForms.all.map { ("`\($0.format.rawValue)`", $0.manual) } + [
            ("`html`", DatabasePage.manual), ("`diff`", ReadableChanges.manual),
        ]
    }
}
