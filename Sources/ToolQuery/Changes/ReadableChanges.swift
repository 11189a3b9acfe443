import Glibc
import RealmEngine
import ToolKit

extension OutputFormat { static let diff = Self(rawValue: "diff") }

/// Output format `-f diff`: changes as text for people.
struct ReadableChanges: ChangeForm {
    static let format = OutputFormat.diff
    static let manual =
        "With `--diff`: changes for people, one property per line, in colour on a terminal. A line "
        + "with `+` is a value in OTHER, a line with `-` a value in FILE, and a line with `~` "
        + "an object that both have and that differs."

    private enum Mark {
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

    init(_ request: ChangeRequest) {
        let command = request.request.command
        let descriptor = command.outputPath == nil ? STDOUT_FILENO : -1
        isColored = Terminal.usesColor(command.color, descriptor)
    }

    func append(
        _ change: ObjectChange, _ object: ChangedObject, version: UInt64, to out: inout ByteBuffer
    ) throws(RealmError) {
        let mark = change == .inserted ? Mark.added : .removed
        try appendHead(mark, object, to: &out)
        for column in object.table.columns { try appendValue(mark, object, column, to: &out) }
    }

    func append(
        _ object: ChangedObject, _ changed: [Int], before: ChangedObject,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        try appendHead(.changed, object, to: &out)
        for column in changed {
            for earlier in object.table.columns([column], in: before.table.info) {
                try appendValue(.removed, before, earlier, to: &out)
            }
            try appendValue(.added, object, column, to: &out)
        }
    }

    func append(_ step: SchemaDifference.Step, version: UInt64, to out: inout ByteBuffer) {
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
        _ mark: Mark, _ object: ChangedObject, to out: inout ByteBuffer
    ) throws(RealmError) {
        begin(mark, to: &out)
        out.append(" \(DisplayWidth.printable(object.table.className)) ")
        try object.side.appendKey(object.key, of: object.table.info, to: &out)
        end(to: &out)
    }

    private func appendValue(
        _ mark: Mark, _ object: ChangedObject, _ column: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        let info = object.table.info
        begin(mark, to: &out)
        out.append("    \(DisplayWidth.printable(info.columns[column].name)): ")
        var value = ByteBuffer(capacity: 256)
        try object.side.append(object.key, of: info, column, to: &value)
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
