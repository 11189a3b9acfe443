/// Binds constants that identify objects, such as `obj('Person', 1)` (query language 2.6).
extension QueryBinder {
    func link(_ link: ObjectLink) -> Typed { (.link(link), .link(link.table)) }

    /// Binds an object key such as `O5`. The class of the object is the class of the link on the
    /// other side of the comparison.
    func objectKey(
        _ key: Int64, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        guard case .link(let table) = target else {
            throw invalid("linkOperand", range, "an object key can only be compared with a link")
        }
        return link(ObjectLink(table: table, key: ObjectKey(key)))
    }

    /// Binds `obj('Class', key)`. If the object does not exist, the constant equals no object.
    func object(
        _ name: [UInt8], _ key: QueryConstant, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        let info = try objectClass(name, range)
        guard let column = info.primaryKey else {
            throw invalid(
                "linkOperand", range, "class \(info.className) has no primary key to find by")
        }
        let type = BoundColumn(info.columns[column]).type
        let value = try typed(key, type, range)
        guard value.type == type || value.type == .null else {
            throw invalid(
                "linkOperand", range,
                "the primary key of \(info.className) is of type \(type.name), "
                    + "not \(value.type.name)")
        }
        pool.namesObjects = true
        let found = try snapshot.table(info).find(primaryKey: value.value)
        return link(ObjectLink(table: info.key, key: found ?? .none))
    }

    private func objectClass(
        _ name: [UInt8], _ range: SourceRange
    ) throws(RealmError) -> TableInfo {
        let text = String(decoding: name, as: UTF8.self)
        if let info = schema.table(named: text) { return info }
        if text.hasPrefix(TableInfo.classPrefix),
            let info = schema.table(named: String(text.dropFirst(TableInfo.classPrefix.count)))
        {
            return info
        }
        let near = NearestNames.to(text, among: schema.classes.map(\.className))
        let advice = near.isEmpty ? "" : " (near: \(near.joined(separator: ", ")))"
        throw invalid("unknownClass", range, "there is no class '\(text)'\(advice)")
    }
}
