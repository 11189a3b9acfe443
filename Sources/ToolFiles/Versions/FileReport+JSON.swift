import RealmEngine
import ToolKit

/// The report as a JSON object. Scripts depend on the member names, so they must not change.
extension FileReport {
    /// Returns the report as JSON.
    ///
    /// - Parameter time: time of the observation, with `--watch`; otherwise nil.
    func json(time: String? = nil) -> JSONItem {
        var members = JSONReport.members("realm-versions")
        if let time { members.append(("time", .text(time))) }
        for key in FactKey.allCases where key != .openers {
            members.append((key.member, facts.value(key)?.json ?? .null))
        }
        members.append(("lockFileInUse", .flag(facts.inspection.lock?.isInUse ?? false)))
        let versions = zip(facts.inspection.versions, facts.attributions)
        members.append(("versions", .list(versions.map { Self.json($0, $1) })))
        if let openers = facts.openers {
            members.append(("openers", .list(openers.openers.map(Self.json))))
            members.append(("openersComplete", .flag(openers.isComplete)))
            members.append(("stale", .known(facts.stalePins.map { UInt64($0) })))
        }
        if showsGrowth { members.append(("growth", .list(pinning.map(growth)))) }
        if hasBothUUIDOrders { members.append(("guids", .text("mixed"))) }
        if let uuidOrder { members.append(("guids", .text(uuidOrder.rawValue))) }
        if let slots { members.append(("slots", .list(slots.map(Self.json)))) }
        if let damage = facts.inspection.damage {
            members.append(("damage", .text(damage.message)))
        }
        return .object(members)
    }

    private static func json(
        _ version: Inspection.LiveVersion, _ attribution: PinAttribution
    ) -> JSONItem {
        .object([
            ("version", .number(version.version)), ("behind", .number(version.behind)),
            ("live", .count(version.live)), ("frozen", .count(version.frozen)),
            ("full", .count(version.full)), ("topRef", .number(version.top)),
            ("releasedBytes", .known(version.releases)), ("releases", .known(version.releases)),
            ("candidates", .list(attribution.processes.map { .count(Int($0)) })),
            ("stale", .known(attribution.stale.map { UInt64($0) })),
            ("pins", .list(grouped(attribution.announced).map { json($0, count: $1) })),
        ])
    }

    private static func json(_ pin: ReaderRow, count: Int) -> JSONItem {
        .object([
            ("pid", .count(Int(pin.process.pid))), ("thread", .count(Int(pin.thread))),
            ("kind", .text(pin.kind.text)), ("since", .text(WallTime.text(pin.since))),
            ("label", .text(pin.label)), ("stale", .flag(pin.isStale)), ("count", .count(count)),
        ])
    }

    private static func json(_ opener: FileHolder) -> JSONItem {
        .object([
            ("pid", .count(Int(opener.pid))), ("command", .text(opener.command)),
            ("user", .text(opener.user)), ("seconds", .count(opener.age)),
            ("age", .count(opener.age)),
            ("participants", .count(opener.participants)),
        ])
    }

    private func growth(_ version: Inspection.LiveVersion) -> JSONItem {
        let grown = JSONItem.number(growth(since: version))
        return .object([
            ("version", .number(version.version)), ("behind", .number(version.behind)),
            ("releasedBytes", .known(version.releases)), ("releases", .known(version.releases)),
            ("grownBytes", grown), ("grownSince", grown),
            ("remainingBytes", .known(version.bytesWithout)),
            ("bytesWithout", .known(version.bytesWithout)),
        ])
    }

    /// Returns the number of bytes by which the database has grown since `version`. Compares the
    /// ends of the file space that `version` and the newest version manage. 0 if the newest version
    /// ends earlier.
    func growth(since version: Inspection.LiveVersion) -> UInt64 {
        let now = facts.inspection.logicalBytes ?? 0
        return now - min(now, version.logicalBytes)
    }

    private static func json(_ slot: HeaderSlot) -> JSONItem {
        var members: [(name: String, value: JSONItem)] = [
            ("slot", .count(slot.index)), ("selected", .flag(slot.isSelected)),
            ("format", .count(slot.format)), ("topRef", slot.isEmpty ? .null : .number(slot.top)),
            ("version", .known(slot.version)),
            ("verified", .flag(!slot.isEmpty && slot.problem == nil)),
        ]
        if let problem = slot.problem { members.append(("problem", .text(problem))) }
        return .object(members)
    }
}

extension ChangeSummary {
    var json: JSONItem {
        .object([
            ("version", .number(version)), ("bytes", .count(bytes)),
            ("tables", .list(tables.map(\.json))),
        ])
    }
}

extension ChangeSummary.Table {
    fileprivate var json: JSONItem {
        var members: [(name: String, value: JSONItem)] = [
            ("class", name.map { .text(ClassName.displayName($0)) } ?? .null),
            ("key", .count(Int(key.raw))),
        ]
        for (name, count) in [
            ("inserted", inserted), ("updated", updated), ("removed", removed),
            ("columns", columnChanges),
        ] where count > 0 { members.append((name, .count(count))) }
        if isNew { members.append(("created", .flag(true))) }
        if isErased { members.append(("erased", .flag(true))) }
        return .object(members)
    }
}

/// Names of classes in reports.
enum ClassName {
    /// Returns the name of the class that a table stores. For other tables, returns the stored
    /// name.
    static func displayName(_ table: String) -> String {
        let prefix = "class_"
        return table.hasPrefix(prefix) ? String(table.dropFirst(prefix.count)) : table
    }
}

/// Formatting of times and durations.
enum WallTime {
    /// Formats a time as RFC 3339 in UTC, with milliseconds.
    static func text(_ nanoseconds: Int64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        var buffer = ByteBuffer(capacity: 64)
        buffer.append(
            rfc3339: Timestamp(seconds: seconds, nanoseconds: Int32(rest * 1_000_000)))
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Formats a duration: `3d 04:12:10`, `00:41:02`.
    static func age(_ seconds: Int) -> String {
        let seconds = max(0, seconds)
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        let days = seconds / 86400
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(two)
        return (days > 0 ? "\(days)d " : "") + clock.joined(separator: ":")
    }
}
