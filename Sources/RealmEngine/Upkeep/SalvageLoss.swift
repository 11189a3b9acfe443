/// Something of a damaged database that could not be copied.
public enum SalvageLoss: Sendable {
    /// A table of the directory; its name is lost with it.
    case table(slot: Int, why: String)
    /// A property of a class, for all its objects.
    case property(className: String, property: String, why: String)
    /// Objects that could not be reached; how many, when something tells.
    case objects(className: String, count: Int?, why: String)
    /// One object.
    case object(className: String, key: ObjectKey, why: String)
    /// Values of one property, of neighbouring objects from `key` on.
    case values(className: String, property: String, key: ObjectKey, count: Int, why: String)
}

/// What came of a salvage.
public struct SalvageSummary: Sendable {
    /// Objects in the new file, embedded ones left aside.
    public internal(set) var salvaged = 0
    /// As far as somebody told how many there were.
    public internal(set) var lostObjects = 0
    public internal(set) var lostValues = 0
    /// Tables and properties.
    public internal(set) var lostParts = 0
    public internal(set) var hasLosses = false

    mutating func add(_ loss: SalvageLoss) {
        hasLosses = true
        switch loss {
        case .table, .property: lostParts += 1
        case .objects(_, let count, _): lostObjects += count ?? 0
        case .object: lostObjects += 1
        case .values(_, _, _, let count, _): lostValues += count
        }
    }
}
