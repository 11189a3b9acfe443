/// Part of a damaged database that could not be copied, or was copied although it may be wrong.
public enum SalvageLoss: Sendable {
    /// The newest version is lost. All content was read from version `used`, which is the version
    /// before it.
    case version(used: UInt64, why: String)
    /// A whole table is lost; `slot` is its index in the root's list of tables. -1 means that
    /// further tables may be lost, because the search for tables reached its limit.
    case table(slot: Int, why: String)
    /// The name of a class or property is lost, so the new file has another name. `className` and
    /// `property` are the names in the new file; `property` is nil if the name of the class was
    /// lost.
    case name(className: String, property: String?, why: String)
    /// The values of a property are lost for all objects of its class.
    case property(className: String, property: String, why: String)
    /// Objects are lost because they cannot be reached. `count` is nil if their number is unknown.
    case objects(className: String, count: Int?, why: String)
    /// One object is lost.
    case object(className: String, key: ObjectKey, why: String)
    /// `count` objects from `key` on were read from another version than the other objects, and may
    /// be outdated.
    case older(className: String, key: ObjectKey, count: Int, why: String)
    /// The values of one property may be wrong for `count` consecutive objects from `key` on. They
    /// were copied, but some may have been overwritten with other data.
    case doubtful(className: String, property: String, key: ObjectKey, count: Int, why: String)
    /// All values of one property are lost for `count` consecutive objects from `key` on.
    case values(className: String, property: String, key: ObjectKey, count: Int, why: String)
}

extension ObjectKey {
    /// Whether the key is a placeholder for a lost object key. No object has such a key.
    package var isLost: Bool { raw >= 0 && UInt64(raw) >= FoundLeaves.lostKeys }
}

extension SalvageLoss {
    /// The reason of the loss.
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

/// Result of a salvage. Each reported loss is counted in exactly one of `lostObjects`, `lostValues`
/// and `lostParts`.
public struct SalvageSummary: Sendable {
    /// Number of the version that was read; 0 if no root contains it.
    public internal(set) var version: UInt64 = 0
    /// Whether the header selects the version that was read, and no newer version exists.
    public internal(set) var isNewest = true
    /// Number of errors that an integrity check finds in the version that was read.
    package internal(set) var sourceErrors = 0
    /// Number of objects in the new file, without embedded ones.
    public internal(set) var salvaged = 0
    /// Number of objects, among `salvaged`, that were read from another version than the others.
    /// They may have been changed or deleted since.
    package internal(set) var older = 0
    /// Number of values in the new file that may have been overwritten.
    package internal(set) var doubtful = 0
    /// Number of lost objects, as far as it is known.
    public internal(set) var lostObjects = 0
    public internal(set) var lostValues = 0
    /// Number of losses that are neither an object nor a value: the newest version, tables, names,
    /// properties, and ranges of an unknown number of objects.
    public internal(set) var lostParts = 0
    /// Map of the damaged file; nil if none was requested.
    package internal(set) var map: SpaceMap?

    /// Whether any loss was reported.
    public var hasLosses: Bool {
        lostObjects > 0 || lostValues > 0 || lostParts > 0 || older > 0 || doubtful > 0
    }
    /// Whether the new file has all content: no loss was reported, and the version that was read is
    /// the newest and has no errors that an integrity check detects. Some damage cannot be
    /// detected.
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
