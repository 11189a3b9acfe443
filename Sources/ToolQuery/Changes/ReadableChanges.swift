import Glibc
import RealmEngine
import ToolKit

extension OutputFormat { static let diff = Self(rawValue: "diff") }

/// Changes for people: `-f diff`.
struct ReadableChanges {
    static let manual =
        "With `--diff`: changes for people, a property a line, in colour on a terminal. `+` is what OTHER "
        + "has, `-` what FILE has, `~` an object that both have."

    enum Mark {
        case added, removed, changed

        fileprivate var sign: StaticString {
            switch self {
            case .added: "+"
            case .removed: "-"
            case .changed: "~"
            }
        }

        fileprivate var color: StaticString {
            switch self {
            case .added: "\u{1B}[32m"
            case .removed: "\u{1B}[31m"
            case .changed: "\u{1B}[36m"
            }
        }
    }

    private let isColored: Bool

    init(_ request: QueryRequest) {
        let descriptor = request.command.outputPath == nil ? STDOUT_FILENO : -1
        isColored = Terminal.usesColor(request.command.color, descriptor)
    }

    /// An object that one side alone has.
    func append(
        _ mark: Mark, _ key: ObjectKey, _ table: TableInfo, _ side: ChangeSide, _ columns: [Int],
        to out: inout ByteBuffer
    ) throws(RealmError) {
        try appendHead(mark, key, table, side, to: &out)
        for column in columns { try appendValue(mark, key, table, column, side, to: &out) }
    }

    /// An object whose properties differ.
    func append(
        _ key: ObjectKey, _ table: TableInfo, _ columns: [Int], _ side: ChangeSide,
        before: (key: ObjectKey, table: TableInfo, side: ChangeSide), to out: inout ByteBuffer
    ) throws(RealmError) {
        try appendHead(.changed, key, table, side, to: &out)
        for column in columns {
            if let earlier = before.table.columnIndex(named: table.columns[column].name) {
                try appendValue(
                    .removed, before.key, before.table, earlier, before.side, to: &out)
            }
            try appendValue(.added, key, table, column, side, to: &out)
        }
    }

    func append(_ step: SchemaDifference.Step, to out: inout ByteBuffer) {
        begin(.changed, to: &out)
        out.append(" schema")
        if let name = step.className { out.append(" \(DisplayWidth.printable(name))") }
        if let property = step.change.property {
            out.append(".\(DisplayWidth.printable(property))")
        }
        out.append(": ")
        out.append(step.change.recordName)
        switch step.change {
        case .addProperty(_, let property):
            out.append(" \(DisplayWidth.printable(property.typeText))")
        case .setVersion(let version): out.append(" \(version)")
        case .setIndex(_, _, let kind):
            out.append(" ")
            out.append(kind.recordName)
        default: break
        }
        end(to: &out)
    }

    private func appendHead(
        _ mark: Mark, _ key: ObjectKey, _ table: TableInfo, _ side: ChangeSide,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        begin(mark, to: &out)
        out.append(" \(DisplayWidth.printable(table.className)) ")
        try side.appendKey(key, of: table, to: &out)
        end(to: &out)
    }

    private func appendValue(
        _ mark: Mark, _ key: ObjectKey, _ table: TableInfo, _ column: Int, _ side: ChangeSide,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        begin(mark, to: &out)
        out.append("    \(DisplayWidth.printable(table.columns[column].name)): ")
        var value = ByteBuffer(capacity: 256)
        try side.append(key, of: table, column, to: &value)
        out.append(DisplayWidth.printable(value.bytes))
        end(to: &out)
    }

    private func begin(_ mark: Mark, to out: inout ByteBuffer) {
        if isColored { out.append(mark.color) }
        out.append(mark.sign)
    }

    private func end(to out: inout ByteBuffer) {
        if isColored { out.append("\u{1B}[0m") }
        out.append("\n")
    }
}
