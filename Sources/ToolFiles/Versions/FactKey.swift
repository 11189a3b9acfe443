import RealmEngine
import ToolKit

/// Name of a fact about a file, such as `live-versions`. Scripts depend on the names, so they must
/// not change.
enum FactKey: String, CaseIterable, Sendable {
    case file
    case bytes
    case logicalBytes = "logical-bytes"
    case format
    case age
    case encrypted
    case schemaVersion = "schema-version"
    case history
    case historyBytes = "history-bytes"
    case historyEntries = "history-entries"
    case version
    case liveVersions = "live-versions"
    case oldestVersion = "oldest-version"
    case freeBytes = "free-bytes"
    case freePercent = "free-percent"
    case pinnedBytes = "pinned-bytes"
    case pinnedPercent = "pinned-percent"
    case liveBytes = "live-bytes"
    case classes
    case objects
    case lockLayout = "lock-layout"
    case openers
    case streaming
    case compact
    case slot
    case previousVersion = "previous-version"
    case applied

    static let names = allCases.map(\.rawValue)

    /// Name of the fact in a JSON report: `logicalBytes` for `logical-bytes`.
    var member: String {
        rawValue.split(separator: "-").enumerated().map { position, word in
            position == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
    }

    /// Whether the fact is a number of bytes.
    var isSize: Bool { rawValue.hasSuffix("bytes") }
}

/// The value of a fact.
enum Fact: Equatable {
    case number(UInt64)
    /// In tenths of a percent.
    case tenths(Int)
    case flag(Bool)
    case text(String)

    /// Value as printed by `--get`.
    var plain: String {
        switch self {
        case .number(let number): String(number)
        case .tenths(let tenths): "\(tenths / 10).\(tenths % 10)"
        case .flag(let flag): String(flag)
        case .text(let text): text
        }
    }

    var json: JSONItem {
        if case .text(let text) = self { return .text(text) }
        return .literal(plain)
    }
}

/// All facts about one file at one point in time.
struct FileFacts {
    let inspection: Inspection
    /// Processes that have the file open; nil if the tool did not search for them.
    let openers: FileHolders.Listing?
    /// For each live version that the inspection found, the processes that may pin the version.
    let attributions: [PinAttribution]

    init(
        _ inspection: Inspection, _ openers: FileHolders.Listing?, _ rows: [ReaderRow],
        late: (FileHolder, UInt64) -> Bool = { _, _ in false }
    ) {
        self.inspection = inspection
        self.openers = openers
        attributions = PinAttribution.all(inspection.versions, rows) { version in
            var listing = openers ?? .none
            listing.openers.removeAll { late($0, version) }
            return listing
        }
    }

    /// Returns a fact; nil if it is unknown or does not apply to the file.
    func value(_ key: FactKey) -> Fact? {
        let found = inspection
        switch key {
        case .file: return .text(found.path)
        case .bytes: return .number(UInt64(found.bytes))
        case .encrypted: return .flag(found.isEncrypted)
        case .format: return found.format.map { .number(UInt64($0)) }
        case .age: return found.format.flatMap(FormatAge.init).map { .text($0.span) }
        case .slot: return found.slot.map { .number(UInt64($0)) }
        case .streaming: return found.isStreaming.map { .flag($0) }
        case .compact: return found.isCompact.map { .flag($0) }
        case .lockLayout: return found.lock?.layout.map { .number(UInt64($0)) }
        case .openers: return openers.map { .number(UInt64($0.openers.count)) }
        case .classes: return found.content.map { .number(UInt64($0.classes)) }
        case .objects: return found.content.map { .number(UInt64($0.objects)) }
        case .schemaVersion: return found.content?.schemaVersion.map { .number($0) }
        case .history: return found.history.map { .text($0.name) }
        case .historyBytes: return found.history.map { .number($0.bytes) }
        case .historyEntries: return found.history?.entries.map { .number(UInt64($0)) }
        default: return size(key) ?? version(key)
        }
    }

    private func size(_ key: FactKey) -> Fact? {
        let space = inspection.space
        switch key {
        case .logicalBytes: return inspection.logicalBytes.map { .number($0) }
        case .freeBytes: return space.map { .number($0.free) }
        case .freePercent: return space.map { share($0.free) }
        case .pinnedBytes: return space.map { .number($0.pinned) }
        case .pinnedPercent: return space.map { share($0.pinned) }
        case .liveBytes: return space.map { .number($0.live) }
        default: return nil
        }
    }

    private func version(_ key: FactKey) -> Fact? {
        switch key {
        case .version: return inspection.version.map { .number($0) }
        case .previousVersion: return inspection.previousVersion.map { .number($0) }
        case .applied: return applied.map { .text($0.text) }
        case .oldestVersion: return inspection.oldestVersion.map { .number($0) }
        case .liveVersions:
            let count = inspection.versions.count
            return count > 0 ? .number(UInt64(count)) : nil
        default: return nil
        }
    }

    /// Position in a stream of changes up to which the changes of another database were applied to
    /// this one.
    private var applied: StreamPosition? {
        guard let version = inspection.version else { return nil }
        let known = try? AppliedVersion(beside: inspection.path)
        return known?.position(at: version) ?? StreamPosition(0)
    }

    /// Returns `bytes` as a share of the file, in tenths of a percent.
    func share(_ bytes: UInt64) -> Fact {
        let whole = Double(max(1, inspection.bytes))
        return .tenths(Int((Double(bytes) / whole * 1000).rounded()))
    }

    /// Number of pins that belong to no living process; nil if unknown.
    var stalePins: Int? {
        guard openers?.isComplete == true else { return nil }
        return attributions.reduce(0) { $0 + ($1.stale ?? 0) }
    }
}
