import RealmEngine
import ToolKit

/// Prints a schema plan as text and as JSON.
extension SchemaPlan: ReportDocument {
    /// Appends `schema 7 -> 8` and a line for each change.
    package func appendText(_ style: RecordStyle, to out: inout ByteBuffer) {
        func name(_ version: UInt64?) -> String { version.map { "\($0)" } ?? "(no version)" }
        out.append("schema \(name(oldVersion))")
        if newVersion != oldVersion { out.append(" -> \(name(newVersion))") }
        out.append("\n")
        var added: Set<String> = []
        for planned in changes {
            if case .addClass(let spec) = planned.change { added.insert(spec.name) }
        }
        let shown = changes.filter { planned in
            switch planned.change {
            case .setVersion: false
            // The properties of a new class are shown together with the class.
            case .addProperty(let table, _): !added.contains(table)
            default: true
            }
        }
        let actions = shown.map(\.action.count).max() ?? 0
        let subjects = shown.filter { $0.note != nil }.map(\.subject.count).max() ?? 0
        for change in shown {
            out.append("  " + Self.padded(change.action, actions) + "  ")
            if let note = change.note {
                out.append(Self.padded(change.subject, subjects) + "  (\(note))\n")
            } else {
                out.append(change.subject + "\n")
            }
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    package var json: JSONItem {
        let changes = changes.map { change -> JSONItem in
            var members: JSONItem.Members = [
                ("action", .text(change.action)), ("subject", .text(change.subject)),
            ]
            if let note = change.note { members.append(("note", .text(note))) }
            members.append(("losesData", .flag(change.losesData)))
            return .object(members)
        }
        let schema: JSONItem.Members = [
            ("fromVersion", .known(oldVersion)), ("version", .known(newVersion)),
            ("changes", .list(changes)),
        ]
        return JSONReport.object("realm-write", [("schema", .object(schema))])
    }
}
