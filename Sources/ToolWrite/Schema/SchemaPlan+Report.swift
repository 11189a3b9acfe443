import RealmEngine
import ToolKit

/// A plan as people and scripts see it.
extension SchemaPlan {
    /// `schema 7 -> 8` and a line for each change.
    func appendText(to out: inout ByteBuffer) {
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
            // The properties of a new class come with it.
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

    /// One line of JSON.
    func appendJSON(to out: inout ByteBuffer) {
        JSONReport.begin("realm-write", to: &out)
        out.append(",\"schema\":{\"fromVersion\":")
        Self.append(oldVersion, to: &out)
        out.append(",\"version\":")
        Self.append(newVersion, to: &out)
        out.append(",\"changes\":[")
        for (i, change) in changes.enumerated() {
            if i > 0 { out.append(",") }
            out.append("{\"action\":")
            JSONText.append(change.action, to: &out)
            out.append(",\"subject\":")
            JSONText.append(change.subject, to: &out)
            if let note = change.note {
                out.append(",\"note\":")
                JSONText.append(note, to: &out)
            }
            out.append(",\"losesData\":")
            out.append(change.losesData)
            out.append("}")
        }
        out.append("]}}\n")
    }

    private static func append(_ version: UInt64?, to out: inout ByteBuffer) {
        if let version { out.append(number: version) } else { out.append("null") }
    }
}
