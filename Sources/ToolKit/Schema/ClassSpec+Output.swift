import RealmEngine

extension ClassSpec {
    /// The class as `realm-query --schema` shows it.
    package var text: String {
        var text = "class \(DisplayWidth.printable(name))\(kind == .embedded ? " (embedded)" : "")"
        let names = properties.map { DisplayWidth.printable($0.name) }
        let width = names.map(DisplayWidth.columns).max() ?? 0
        for (property, name) in zip(properties, names) {
            let mark = property.name == primaryKey ? "*" : " "
            let padding = String(repeating: " ", count: width - DisplayWidth.columns(name))
            text += "\n  \(mark)\(name)\(padding)  \(property.typeText)"
        }
        return text
    }

    /// The class as in a schema file.
    package func appendJSON(to out: inout ByteBuffer) {
        out.append("{\"name\":")
        out.append(json: name)
        out.append(",\"kind\":\"" + kind.name)
        out.append("\",\"primaryKey\":")
        if let primaryKey { out.append(json: primaryKey) } else { out.append("null") }
        out.append(",\"properties\":[")
        for (i, property) in properties.enumerated() {
            if i > 0 { out.append(",") }
            property.appendJSON(to: &out)
        }
        out.append("]}")
    }
}

extension PropertyDescription {
    /// The property as in a schema file; what is not so is left out.
    package func appendJSON(to out: inout ByteBuffer) {
        out.append("{\"name\":")
        out.append(json: name)
        out.append(",\"type\":")
        out.append(json: type.name)
        out.append(",\"optional\":")
        out.append(isOptional)
        if let collection {
            out.append(",\"collection\":")
            out.append(json: collection.rawValue)
        }
        if hasIntegerKeys { out.append(",\"keyType\":\"int\"") }
        if let target {
            out.append(",\"target\":")
            out.append(json: target)
        }
        if isIndexed { out.append(",\"indexed\":true") }
        if isFullText { out.append(",\"fulltext\":true") }
        out.append("}")
    }
}
