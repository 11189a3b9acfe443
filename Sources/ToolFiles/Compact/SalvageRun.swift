import Glibc
import RealmEngine
import ToolKit

/// `--salvage -o OUT FILE`: copies the readable part of a damaged file to a new file.
struct SalvageRun {
    private let request: CompactRequest

    init(_ request: CompactRequest) { self.request = request }

    func run() throws(RealmError) -> ExitCode {
        let target = request.command.outputPath!
        let key = try request.command.readKey()
        // The output is created first, so that an existing file is reported before the work begins.
        let output = try CompactOutput(request, path: target, force: request.mayReplace)
        let picture = try request.command[CompactOption.spaceMap].map { (path) throws(RealmError) in
            try OutputFile(path: path, force: request.mayReplace)
        }
        let passing = try TemporaryDirectory(in: directory(of: target), for: target)
        let losses = try OutputFile(path: nil, force: false)
        var buffer = ByteBuffer()
        let meter = ProgressCounter()
        let activity = ActivityReporter(
            request.command, file: request.path, doing: "salvaging", meter: meter)
        defer { activity.finish() }
        let source = try restored()
        let summary = try Salvage.run(
            path: source?.folder.database ?? request.path, into: passing.database,
            spillingInto: Terminal.temporaryDirectory, maxMemory: request.options.maxMemory,
            key: key, mapCells: picture == nil ? nil : SpacePicture.cellCount, meter: meter
        ) { (loss) throws(RealmError) in
            loss.json.appendLine(to: &buffer)
            try losses.write(&buffer)
        }
        activity.finish()
        summary.json.appendLine(to: &buffer)
        try losses.flush(&buffer)
        try losses.commit()
        var options = request.options
        options.keepsHistory = false
        try output.write(Database(immutable: passing.database, key: key), options)
        try output.publish()
        if let picture, let map = summary.map {
            var drawing = SpacePicture(file: request.path, map).drawing()
            try picture.flush(&drawing)
            try picture.commit()
        }
        Diagnostics(request.command).summary(
            "\(request.path) -> \(target): \(summary.sentence)")
        if let source { Diagnostics(request.command).notice(source.note) }
        return summary.isComplete ? .ok : .damaged
    }

    /// Restores the file as it was before a filter for text files changed it, for example the line
    /// ends. Returns nil if no filter changed the file. The folder is deleted when the result is
    /// released; `note` is a sentence about the restoration.
    private func restored() throws(RealmError) -> (folder: TemporaryDirectory, note: String)? {
        guard let filter = try filter() else { return nil }
        let target = request.command.outputPath!
        let folder = try TemporaryDirectory(in: directory(of: target), for: target)
        let path = folder.database
        let restoration = try filter.restore(to: path)
        let isSound =
            restoration.uncertain == 0
            && (try? IntegrityCheck.run(path: path, key: request.command.readKey()))?
                .errorCount == 0
        return (
            folder,
            "\(filter.explanation): \(restoration.removed) bytes were taken out, "
                + (isSound
                    ? "and the check finds nothing wrong with the result"
                    : "but the result is not what the file was in each place")
        )
    }

    /// Returns the text filter (such as a conversion of line ends) whose change must be undone. Nil
    /// if the file has no damage, or if the change cannot be undone.
    private func filter() throws(RealmError) -> TextFilter? {
        guard let filter = try TextFilter.find(path: request.path), filter.isReversible else {
            return nil
        }
        let key = try request.command.readKey()
        let report = try? IntegrityCheck.run(path: request.path, level: .quick, key: key)
        return report?.errorCount == 0 ? nil : filter
    }
}

extension SalvageSummary {
    /// Sentence about the result of the salvage, for messages.
    fileprivate var sentence: String {
        "\(Self.count(salvaged, "object")) of \(source); \(losses)"
    }

    private var source: String {
        if version == 0 { return "versions without a root" }
        return isNewest
            ? "version \(version)" : "version \(version), as the newest cannot be read"
    }

    private var losses: String {
        var lost: [String] = []
        if lostObjects > 0 { lost.append(Self.count(lostObjects, "object")) }
        if lostValues > 0 { lost.append(Self.count(lostValues, "value")) }
        if lostParts > 0 { lost.append(Self.count(lostParts, "part")) }
        if older > 0 { lost.append("newer states of \(Self.count(older, "object"))") }
        if doubtful > 0 { lost.append("certainty about \(Self.count(doubtful, "value"))") }
        let found = lost.isEmpty ? "nothing found lost" : "lost " + lost.joined(separator: ", ")
        if sourceErrors == 0 { return lost.isEmpty ? "nothing lost" : found }
        return found
            + ", but the source has \(Self.count(sourceErrors, "error")), which --check lists"
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

extension SalvageLoss {
    /// The loss as a line of the JSON report of the salvage.
    fileprivate var json: JSONItem {
        switch self {
        case .version(let used, let why):
            .object([
                ("lost", .text("version")), ("used", .literal("\(used)")), ("why", .text(why)),
            ])
        case .table(let slot, let why):
            .object([("lost", .text("class")), ("slot", .literal("\(slot)")), ("why", .text(why))])
        case .name(let name, let property, let why):
            Self.json("name", name, property: property, why: why)
        case .property(let name, let property, let why):
            Self.json("property", name, property: property, why: why)
        case .objects(let name, let count, let why):
            Self.json("objects", name, count: count, why: why)
        case .object(let name, let key, let why): Self.json("object", name, key, why: why)
        case .doubtful(let name, let property, let key, let count, let why):
            Self.json("certainty", name, key, count: count, property: property, why: why)
        case .older(let name, let key, let count, let why):
            Self.json("newer", name, key, count: count, why: why)
        case .values(let name, let property, let key, let count, let why):
            Self.json("values", name, key, count: count, property: property, why: why)
        }
    }

    private static func json(
        _ what: String, _ name: String, _ key: ObjectKey? = nil, count: Int? = nil,
        property: String? = nil, why: String
    ) -> JSONItem {
        var members: JSONItem.Members = [("lost", .text(what)), ("class", .text(name))]
        if let key { members.append(("key", key.isLost ? .null : .literal("\(key.raw)"))) }
        if let count { members.append(("count", .count(count))) }
        if let property { members.append(("property", .text(property))) }
        members.append(("why", .text(why)))
        return .object(members)
    }
}

extension SalvageSummary {
    /// The summary as the last line of the JSON report.
    fileprivate var json: JSONItem {
        let summary: JSONItem.Members = [
            ("salvaged", .count(salvaged)), ("lostObjects", .count(lostObjects)),
            ("lostValues", .count(lostValues)), ("lostParts", .count(lostParts)),
            ("older", .count(older)), ("doubtful", .count(doubtful)),
            ("version", .literal("\(version)")), ("newest", .flag(isNewest)),
            ("sourceErrors", .count(sourceErrors)), ("complete", .flag(isComplete)),
        ]
        var members: JSONItem.Members = [("summary", .object(summary))]
        if let map { members.append(("bytes", .object(Self.bytes(map)))) }
        return JSONReport.object("realm-compact", members)
    }

    /// Returns the number of bytes for each kind of use of the file, such as free space.
    private static func bytes(_ map: SpaceMap) -> JSONItem.Members {
        let owners: [(String, SpaceMap.Owner)] = [
            ("copied", .copied), ("older", .older), ("doubtful", .doubtful), ("unused", .unused),
            ("bookkeeping", .bookkeeping), ("free", .free), ("lost", .lost),
        ]
        return owners.map { ($0, .literal("\(map.bytes(of: $1))")) }
    }
}
