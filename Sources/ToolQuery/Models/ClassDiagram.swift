import RealmEngine
import ToolKit

/// Classes and the links between them, as a graph that another program draws.
struct ClassDiagram {
    struct Node {
        let id: String
        let name: String
        let kind: TableKind
        let lines: [Line]
    }

    struct Line {
        let name: String
        let type: String
        /// `key`, `index` or `fulltext`; nil for other properties.
        let mark: String?
    }

    struct Edge {
        let origin, target: String
        let name: String
        /// Number of objects to which one object links: `0..1` or `*`.
        let multiplicity: String
        /// Whether the link property contains embedded objects.
        let isPart: Bool
    }

    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []

    init(_ tables: [TableInfo], _ schema: Schema) {
        let ids = Dictionary(
            uniqueKeysWithValues: tables.enumerated().map { ($1.className, "class\($0)") })
        for table in tables {
            let id = ids[table.className] ?? ""
            nodes.append(
                Node(
                    id: id, name: table.className, kind: table.kind,
                    lines: table.columns.enumerated().map { index, column in
                        Line(
                            name: column.name, type: PropertyDescription(column, schema).typeText,
                            mark: index == table.primaryKey ? "key" : Self.mark(column))
                    }))
            for column in table.columns where column.type == .link {
                guard let target = schema.table(column.target), let other = ids[target.className]
                else { continue }
                edges.append(
                    Edge(
                        origin: id, target: other, name: column.name,
                        multiplicity: column.collection == nil ? "0..1" : "*",
                        isPart: target.kind == .embedded))
            }
        }
    }

    private static func mark(_ column: ColumnInfo) -> String? {
        switch column.index {
        case .none: nil
        case .general: "index"
        case .fullText: "fulltext"
        }
    }
}

/// Output format: a class diagram in the language of Mermaid, which GitHub and many editors render.
enum MermaidDiagram: SchemaForm {
    static func append(_ subject: SchemaSubject, to out: inout ByteBuffer) {
        let diagram = ClassDiagram(subject.tables, subject.schema)
        out.append("classDiagram\n")
        for node in diagram.nodes {
            out.append("    class \(node.id)[\"\(escaped(node.name))\"] {\n")
            if node.kind != .topLevel { out.append("        <<\(node.kind.name)>>\n") }
            for line in node.lines {
                let mark = line.mark.map { " [\($0)]" } ?? ""
                out.append("        \(escaped(line.type + " " + line.name + mark))\n")
            }
            out.append("    }\n")
        }
        for edge in diagram.edges {
            let arrow = edge.isPart ? "*--" : "-->"
            out.append(
                "    \(edge.origin) \(arrow) \"\(edge.multiplicity)\" \(edge.target) : "
                    + "\(escaped(edge.name))\n")
        }
    }

    /// Replaces characters that may have a meaning in Mermaid by entities.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", " ", ".", "?", "-":
                result.unicodeScalars.append(scalar)
            case _ where scalar.properties.isAlphabetic: result.unicodeScalars.append(scalar)
            default: result += "#\(scalar.value);"
            }
        }
        return result.isEmpty ? " " : result
    }
}

/// Output format: a graph in the language of Graphviz `dot`.
enum DotDiagram: SchemaForm {
    static func append(_ subject: SchemaSubject, to out: inout ByteBuffer) {
        let diagram = ClassDiagram(subject.tables, subject.schema)
        out.append(
            "digraph schema {\n    rankdir=LR;\n    node [shape=plain, fontname=Helvetica];\n")
        out.append("    edge [fontname=Helvetica, fontsize=10];\n")
        for node in diagram.nodes {
            out.append(
                "    \(node.id) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">\n")
            let kind = node.kind == .topLevel ? "" : " (\(node.kind.name))"
            out.append(
                "        <tr><td bgcolor=\"lightgrey\"><b>\(escaped(node.name))</b>\(kind)</td></tr>\n"
            )
            for line in node.lines {
                let mark = line.mark.map { " <i>\($0)</i>" } ?? ""
                out.append(
                    "        <tr><td align=\"left\">\(escaped(line.name)): \(escaped(line.type))"
                        + "\(mark)</td></tr>\n")
            }
            out.append("    </table>>];\n")
        }
        for edge in diagram.edges {
            let tail = edge.isPart ? ", dir=both, arrowtail=diamond" : ""
            out.append(
                "    \(edge.origin) -> \(edge.target) [label=<\(escaped(edge.name))>, "
                    + "headlabel=\"\(edge.multiplicity)\"\(tail)];\n")
        }
        out.append("}\n")
    }

    /// Escapes text for an HTML-like label.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in DisplayWidth.printable(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result.isEmpty ? " " : result
    }
}
