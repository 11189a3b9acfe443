/// Gives each table of a damaged file a unique name.
struct TableNaming {
    /// Replacement names that were given to classes, without the prefix `class_`.
    private(set) var made: [String] = []
    private var taken: Set<String> = [""]

    /// Returns a name for the table in `slot`: the name `read`, or a replacement if `read` is
    /// missing, is not valid for a class, or is used by another table.
    mutating func name(_ read: String?, slot: Int) -> String {
        let read = read ?? ""
        var name = SchemaReader.fitting(read)
        let isOther = name != read && !name.hasPrefix(TableInfo.classPrefix)
        if isOther || taken.contains(name) { name = other(slot) }
        taken.insert(name)
        if name != read { made.append(TableInfo.className(of: name)) }
        return name
    }

    private func other(_ slot: Int) -> String {
        var name = TableInfo.classPrefix + "Table\(slot)"
        while taken.contains(name) { name += "_" }
        return name
    }
}
