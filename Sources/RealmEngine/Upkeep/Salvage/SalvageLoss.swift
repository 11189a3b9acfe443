/// Something of a damaged database that could not be copied.
public enum SalvageLoss: Sendable {
    /// The newest version: all is from the one before it, which has the number `used`.
    case version(used: UInt64, why: String)
    /// A table of the directory; its name is lost with it.
    case table(slot: Int, why: String)
    /// The name of a class, whose objects are in one called `className` now, or of its property, whose
    /// values are in `property`.
    case name(className: String, property: String?, why: String)
    /// A property of a class, for all its objects.
    case property(className: String, property: String, why: String)
    /// Objects that could not be reached; how many, when something tells.
    case objects(className: String, count: Int?, why: String)
    /// One object.
    case object(className: String, key: ObjectKey, why: String)
    /// `count` objects from `key` on are not as they were last, as far as anybody knows: they are from
    /// another version than the rest.
    case older(className: String, key: ObjectKey, count: Int, why: String)
    /// Values of one property, of neighbouring objects from `key` on, that were copied, though it looks as
    /// if something else had been written over some of them.
    case doubtful(className: String, property: String, key: ObjectKey, count: Int, why: String)
    /// Values of one property, of neighbouring objects from `key` on.
    case values(className: String, property: String, key: ObjectKey, count: Int, why: String)
}

extension ObjectKey {
    /// What stands for the key of an object whose own is lost; no object has it.
    package var isLost: Bool { raw >= 0 && UInt64(raw) >= FoundLeaves.lostKeys }
}

extension SalvageLoss {
    /// The reason.
    public var why: String {
        switch self {
        case .version(_, let why), .table(_, let why), .name(_, _, let why),
            .property(_, _, let why), .objects(_, _, let why), .object(_, _, let why),
            .older(_, _, _, let why), .doubtful(_, _, _, _, let why),
            .values(_, _, _, _, let why):
            why
        }
    }
}

/// What came of a salvage. Every loss that was reported counts in exactly one of the sums.
public struct SalvageSummary: Sendable {
    /// Number of the version that was read; 0 when no root tells.
    public internal(set) var version: UInt64 = 0
    /// That is the version the header selects, and none is there that is newer.
    public internal(set) var isNewest = true
    /// Errors that an integrity check finds in that version.
    package internal(set) var sourceErrors = 0
    /// Objects in the new file, embedded ones left aside.
    public internal(set) var salvaged = 0
    /// Those of them that are from another version than the rest, and may have been changed or deleted
    /// since.
    package internal(set) var older = 0
    /// Values in the new file that something may have been written over.
    package internal(set) var doubtful = 0
    /// Objects of which somebody told how many there were.
    public internal(set) var lostObjects = 0
    public internal(set) var lostValues = 0
    /// The newest version, tables, names, properties, and stretches of objects that nobody counted.
    public internal(set) var lostParts = 0
    /// What became of the bytes of the file, where that was asked for.
    package internal(set) var map: SpaceMap?

    /// Something was reported lost.
    public var hasLosses: Bool {
        lostObjects > 0 || lostValues > 0 || lostParts > 0 || older > 0 || doubtful > 0
    }
    /// All there was is in the new file: nothing was reported lost, and the version that was read is
    /// the newest and as sound as an integrity check can tell. Damage may hide what was there.
    public var isComplete: Bool { !hasLosses && isNewest && sourceErrors == 0 }

    mutating func add(_ loss: SalvageLoss) {
        switch loss {
        case .version, .table, .name, .property, .objects(_, nil, _): lostParts += 1
        case .objects(_, let count?, _): lostObjects += count
        case .object: lostObjects += 1
        case .older(_, _, let count, _): older += count
        case .doubtful(_, _, _, let count, _): doubtful += count
        case .values(_, _, _, let count, _): lostValues += count
        }
    }
}
