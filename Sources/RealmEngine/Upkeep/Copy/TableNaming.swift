/// Gives each table of a damaged file a name of its own.
struct TableNaming {
    /// Table names that had to be made, without what classes begin with.
    private(set) var made: [String] = []
    private var taken: Set<String> = [""]

    /// The name of the table in `slot`; another than `read` where that is lost, no name of a class once
    /// it is repaired, or another table's.
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
