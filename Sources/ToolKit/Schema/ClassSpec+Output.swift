import RealmEngine

extension ClassSpec {
    /// The class in the text form of `realm-query --schema`.
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

    /// The class in the JSON form of schema files.
    package var json: JSONItem {
        .object([
            ("name", .text(name)), ("kind", .text(kind.name)), ("primaryKey", .known(primaryKey)),
            ("properties", .list(properties.map(\.json))),
        ])
    }
}

extension PropertyDescription {
    /// The property in the JSON form of schema files; flags that are false are left out.
    package var json: JSONItem {
        var members: JSONItem.Members = [
            ("name", .text(name)), ("type", .text(type.name)), ("optional", .flag(isOptional)),
        ]
        if let collection { members.append(("collection", .text(collection.rawValue))) }
        if hasIntegerKeys { members.append(("keyType", .text("int"))) }
        if let target { members.append(("target", .text(target))) }
        if isIndexed { members.append(("indexed", .flag(true))) }
        if isFullText { members.append(("fulltext", .flag(true))) }
        return .object(members)
    }
}
