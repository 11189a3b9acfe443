import Glibc
import RealmEngine
import ToolKit

/// The report as text.
extension FileReport {
    func appendText(_ style: RecordStyle, to out: inout ByteBuffer) {
        ErrorText.appendPrintable(facts.inspection.path, to: &out)
        out.append("\n")
        let left = [
            ("format", text(.format)), ("encrypted", encryption), ("version", versionText),
        ]
        let right = [
            ("schema version", text(.schemaVersion)), ("history", history), ("objects", objects),
        ]
        let width = max(left.map(\.1.count).max() ?? 0, 16)
        for (a, b) in zip(left, right) {
            out.append("  \(Self.padded(a.0, 14))  \(Self.padded(a.1, width))")
            out.append("   \(Self.padded(b.0, 14))  \(b.1)\n")
        }
        out.append("  \(Self.padded("file", 14))  \(Self.padded(fileSize, width))")
        out.append("   \(Self.padded("lock file", 14))  \(lock)\n")
        if let age = facts.inspection.format.flatMap(FormatAge.init), let advice = age.advice {
            out.append("  \(Self.padded("age", 14))  written by SDKs of \(age.span)\n")
            out.append("  \(Self.padded("", 14))  \(advice)\n")
        }
        if uuidOrder == .dotnet || hasBothUUIDOrders {
            let amount = hasBothUUIDOrders ? "some " : ""
            out.append(
                "  \(Self.padded("guids", 14))  \(amount)in the byte order of .NET SDKs before 10.10\n"
            )
            out.append("  \(Self.padded("", 14))  realm-query --guid dotnet prints them\n")
        }
        appendSpace(to: &out)
        if let damage = facts.inspection.damage {
            out.append("  damaged         ")
            ErrorText.appendPrintable(damage.message, to: &out)
            out.append("\n")
        }
        appendVersions(style, to: &out)
        if showsGrowth { appendGrowth(style, to: &out) }
        if let slots { append(slots, style, to: &out) }
        appendPins(style, to: &out)
        appendOpeners(style, to: &out)
    }

    private func text(_ key: FactKey) -> String { facts.value(key)?.plain ?? "-" }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func padded(left text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private var encryption: String { facts.inspection.isEncrypted ? "yes" : "no" }

    private var versionText: String {
        guard let version = facts.inspection.version else { return "-" }
        return "\(version)" + (facts.inspection.isStreaming == true ? ", streamed" : "")
    }

    private var objects: String {
        guard let content = facts.inspection.content else { return "-" }
        let noun = content.classes == 1 ? "class" : "classes"
        return "\(content.objects) in \(content.classes) \(noun)"
    }

    private var history: String {
        guard let history = facts.inspection.history else { return "-" }
        var parts = [history.name]
        if let entries = history.entries, history.type != 0 {
            parts.append("\(entries) \(entries == 1 ? "entry" : "entries")")
        }
        if history.type != 0 { parts.append(Quantity.bytes(Int(clamping: history.bytes))) }
        return parts.joined(separator: ", ")
    }

    private var fileSize: String { Quantity.bytes(facts.inspection.bytes) }

    private var lock: String {
        guard let lock = facts.inspection.lock else { return "none" }
        let use = lock.isInUse ? "in use" : "not in use"
        guard let layout = lock.layout else { return "cannot be read, \(use)" }
        if !lock.isInUse { return use }
        return "layout \(layout)" + (lock.isKnown ? "" : " (unknown)") + ", " + use
    }

    private func appendSpace(to out: inout ByteBuffer) {
        guard let space = facts.inspection.space else { return }
        for (name, bytes) in [
            ("live data", space.live), ("free", space.free), ("pinned", space.pinned),
        ] {
            let size = Self.padded(Quantity.bytes(Int(clamping: bytes)), 10)
            let share = Self.padded(left: facts.share(bytes).plain + "%", 7)
            out.append("  \(Self.padded(name, 14))  \(size)\(share)")
            if name == "pinned", bytes > 0 {
                out.append("  cannot be reused until old versions are released")
            } else if name == "free", isMostlyFree(space) {
                out.append("  commits use it, but only realm-compact makes the file smaller")
            }
            out.append("\n")
        }
    }

    /// Whether the file is much larger than its data, for example after many objects were deleted.
    /// False for small files.
    private func isMostlyFree(_ space: Inspection.Space) -> Bool {
        space.free >= 1 << 20 && space.free > space.live + space.pinned
    }

    // MARK: Tables

    private func append(
        _ names: [String], numbers: [Bool], _ rows: [[Report.Cell]], _ style: RecordStyle,
        to out: inout ByteBuffer
    ) {
        if rows.isEmpty { return }
        out.append("\n")
        Report(headings: names, isNumber: numbers, rows: rows).append(style, to: &out)
    }

    private func appendVersions(_ style: RecordStyle, to out: inout ByteBuffer) {
        guard facts.inspection.lock?.isInUse == true else { return }
        let rows = facts.inspection.versions.map { version -> [Report.Cell] in
            [
                .literal("\(version.version)"), .literal("\(version.behind)"),
                .count(version.live), .count(version.frozen), .count(version.full),
                .text("0x" + String(version.top, radix: 16)), Self.size(version.releases),
            ]
        }
        append(
            ["version", "behind", "live", "frozen", "full", "top ref", "releasing it frees"],
            numbers: [true, true, true, true, true, false, false], rows, style, to: &out)
    }

    private static func size(_ bytes: UInt64?) -> Report.Cell {
        bytes.map { .text(Quantity.bytes(Int(clamping: $0))) } ?? .null
    }

    private func appendGrowth(_ style: RecordStyle, to out: inout ByteBuffer) {
        let rows = pinning.map { version -> [Report.Cell] in
            [
                .literal("\(version.version)"), .literal("\(version.behind)"),
                Self.size(version.releases), Self.size(growth(since: version)),
                Self.size(version.bytesWithout),
            ]
        }
        append(
            ["version", "behind", "keeps from reuse", "file grew since", "file without it"],
            numbers: [true, true, true, true, true], rows, style, to: &out)
        if rows.isEmpty { out.append("\nno old version keeps space from being used\n") }
    }

    private func append(_ slots: [HeaderSlot], _ style: RecordStyle, to out: inout ByteBuffer) {
        let rows = slots.map { slot -> [Report.Cell] in
            let state: String
            if slot.isEmpty {
                state = "empty"
            } else {
                state = slot.problem ?? "verified"
            }
            return [
                .count(slot.index), .text(slot.isSelected ? "selected" : "previous"),
                slot.isEmpty ? .null : .count(slot.format),
                slot.version.map { .literal("\($0)") } ?? .null,
                slot.isEmpty ? .null : .text("0x" + String(slot.top, radix: 16)),
                .text(state),
            ]
        }
        append(
            ["slot", "role", "format", "version", "top ref", "state"],
            numbers: [true, false, true, true, false, false], rows, style, to: &out)
    }

    /// Appends a table of the pins that processes have announced in the reader table.
    private func appendPins(_ style: RecordStyle, to out: inout ByteBuffer) {
        let now = Int64(time(nil))
        let commands = Dictionary(
            (facts.openers?.openers ?? []).map { ($0.process.pid, $0.command) },
            uniquingKeysWith: { first, _ in first })
        let pins = facts.attributions.flatMap { Self.grouped($0.announced) }
        let rows = pins.map { pin, count -> [Report.Cell] in
            let age = WallTime.age(Int(clamping: now - pin.since / 1_000_000_000))
            return [
                .literal("\(pin.version)"), .count(Int(pin.process.pid)), .count(Int(pin.thread)),
                .text(pin.isStale ? "(ended)" : commands[pin.process.pid] ?? "-"),
                .text(pin.kind.text + (count > 1 ? " x\(count)" : "")), .text(age),
                pin.label.isEmpty ? .null : .text(pin.label),
            ]
        }
        append(
            ["version", "pid", "thread", "command", "pin", "age", "label"],
            numbers: [true, true, true, false, false, false, false], rows, style, to: &out)
    }

    private func appendOpeners(_ style: RecordStyle, to out: inout ByteBuffer) {
        guard let openers = facts.openers else { return }
        let rows = openers.openers.map { opener -> [Report.Cell] in
            [
                .count(Int(opener.pid)), .text(opener.command), .text(opener.user),
                .text(WallTime.age(opener.age)), held(by: opener.pid),
                possible(for: opener.pid),
            ]
        }
        append(
            ["pid", "command", "user", "running", "holds", "could hold"],
            numbers: [true, false, false, false, false, false], rows, style, to: &out)
        for line in remarks(openers) { out.append(line + "\n") }
    }

    private func held(by pid: UInt32) -> Report.Cell {
        list(facts.attributions.filter { $0.isHeld(by: pid) })
    }

    private func possible(for pid: UInt32) -> Report.Cell {
        list(facts.attributions.filter { $0.candidates.contains(pid) && !$0.isHeld(by: pid) })
    }

    private func list(_ attributions: [PinAttribution]) -> Report.Cell {
        let displayName = attributions.prefix(8).map { "\($0.version)" }
        if displayName.isEmpty { return .null }
        let rest = attributions.count - displayName.count
        return .text(displayName.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : ""))
    }

    /// Returns sentences for people about pins and processes, which the tables do not contain.
    private func remarks(_ openers: FileHolders.Listing) -> [String] {
        guard facts.inspection.lock?.isInUse == true else { return [] }
        var lines: [String] = []
        let pins = facts.inspection.versions.reduce(0) { $0 + $1.pins }
        let count = openers.openers.count { $0.participants > 0 }
        let unknown = facts.attributions.filter { $0.candidates.count > 1 }.map { "\($0.version)" }
        var line = "\(count) \(count == 1 ? "process holds" : "processes hold") "
        line += "\(pins) \(pins == 1 ? "pin" : "pins")"
        if !unknown.isEmpty {
            line += "; the lock file does not record whose those of "
            line += unknown.prefix(4).joined(separator: ", ")
            line += unknown.count > 4 ? " and others are" : " are"
        }
        lines.append(line)
        if let stale = facts.stalePins, stale > 0 {
            let those = stale == 1 ? "1 pin is" : "\(stale) pins are"
            lines.append("\(those) stale, left by a crash; closing the file everywhere clears them")
        }
        if !openers.isComplete {
            lines.append("some processes could not be looked at; there may be more openers")
        }
        return lines
    }
}

extension ReaderRow.Kind {
    /// Name of the kind of reader in reports, such as `frozen`.
    var text: String {
        switch self {
        case .live: "live"
        case .frozen: "frozen"
        case .full: "full"
        case .writer: "writer"
        }
    }
}

extension PinAttribution {
    /// Whether the process certainly pins the version: it has announced a pin in the reader table,
    /// or it is the only process that can have made a pin that was not announced.
    func isHeld(by pid: UInt32) -> Bool {
        let isOnlyOne = candidates == [pid] && stale != nil
        return isOnlyOne || announced.contains { $0.process.pid == pid && !$0.isStale }
    }
}

// MARK: One row for each file

/// Reports on several files.
struct FileReports: ReportDocument {
    let reports: [FileReport]
    /// Whether the command line names a single file.
    let isSingle: Bool

    var json: JSONItem {
        let items = lines
        return isSingle && items.count == 1 ? items[0] : .list(items)
    }

    var lines: [JSONItem] { reports.map { $0.json() } }

    var rows: Report? {
        Report(
            headings: [
                "file", "format", "encrypted", "schema", "version", "bytes", "free", "pinned",
                "versions", "openers",
            ],
            isNumber: [false, true, false, true, true, true, true, true, true, true],
            rows: reports.map { $0.row })
    }

    func appendText(_ style: RecordStyle, to out: inout ByteBuffer) {
        for (position, report) in reports.enumerated() {
            if position > 0 { out.append("\n") }
            report.appendText(style, to: &out)
        }
    }
}

extension FileReport {
    fileprivate var row: [Report.Cell] {
        func cell(_ key: FactKey, _ unit: String = "") -> Report.Cell {
            facts.value(key).map { .literal($0.plain + unit) } ?? .null
        }
        return [
            .text(facts.inspection.path), cell(.format),
            .text(facts.inspection.isEncrypted ? "yes" : "no"), cell(.schemaVersion),
            cell(.version), .text(Quantity.bytes(facts.inspection.bytes)),
            cell(.freePercent, "%"), cell(.pinnedPercent, "%"), cell(.liveVersions),
            cell(.openers),
        ]
    }
}
