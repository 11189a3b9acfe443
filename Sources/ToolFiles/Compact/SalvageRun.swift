import Glibc
import RealmEngine
import ToolKit

/// `--salvage -o OUT FILE`: what can be read of a damaged file, in a new one.
struct SalvageRun {
    private let request: CompactRequest

    init(_ request: CompactRequest) { self.request = request }

    func run() throws(RealmError) -> ExitCode {
        let target = request.command.outputPath!
        let key = try request.command.readKey()
        // Made first, so that an output that exists ends it before the work.
        let output = try CompactOutput(request, path: target, force: request.mayReplace)
        let picture = try request.command[CompactOption.spaceMap].map { (path) throws(RealmError) in
            try OutputFile(path: path, force: request.mayReplace)
        }
        let passing = try TemporaryDirectory(in: directory(of: target), for: target)
        let losses = try OutputFile(path: nil, force: false)
        let printer = LossPrinter()
        var buffer = ByteBuffer()
        let meter = ProgressCounter()
        let activity = ActivityReporter(
            request.command, file: request.path, doing: "salvaging", meter: meter)
        defer { activity.finish() }
        let summary = try Salvage.run(
            path: request.path, into: passing.database,
            spillingInto: Terminal.temporaryDirectory, maxMemory: request.options.maxMemory,
            key: key, mapCells: picture == nil ? nil : SpacePicture.cellCount, meter: meter
        ) { (loss) throws(RealmError) in
            printer.append(loss, to: &buffer)
            try losses.write(&buffer)
        }
        activity.finish()
        printer.append(summary, to: &buffer)
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
        return summary.isComplete ? .ok : .damaged
    }
}

extension SalvageSummary {
    /// What people are told.
    fileprivate var sentence: String {
        "\(Self.count(salvaged, "object")) of \(source); \(losses)"
    }

    private var source: String {
        if version == 0 { return "versions that no root names" }
        return isNewest
            ? "version \(version)" : "version \(version), as the newest cannot be read"
    }

    private var losses: String {
        var lost: [String] = []
        if lostObjects > 0 { lost.append(Self.count(lostObjects, "object")) }
        if lostValues > 0 { lost.append(Self.count(lostValues, "value")) }
        if lostParts > 0 { lost.append(Self.count(lostParts, "part")) }
        if older > 0 { lost.append("what is newer of \(Self.count(older, "object"))") }
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

/// Losses as lines of JSON.
private struct LossPrinter {
    func append(_ loss: SalvageLoss, to buffer: inout ByteBuffer) {
        switch loss {
        case .version(let used, let why):
            buffer.append("{\"lost\":\"version\",\"used\":\(used)")
            end(why, to: &buffer)
        case .table(let slot, let why):
            buffer.append("{\"lost\":\"class\",\"slot\":\(slot)")
            end(why, to: &buffer)
        case .name(let name, let property, let why):
            begin("name", name, to: &buffer)
            if let property { append(property: property, to: &buffer) }
            end(why, to: &buffer)
        case .property(let name, let property, let why):
            begin("property", name, to: &buffer)
            append(property: property, to: &buffer)
            end(why, to: &buffer)
        case .objects(let name, let count, let why):
            begin("objects", name, to: &buffer)
            if let count { buffer.append(",\"count\":\(count)") }
            end(why, to: &buffer)
        case .object(let name, let key, let why):
            begin("object", name, to: &buffer)
            append(key, to: &buffer)
            end(why, to: &buffer)
        case .doubtful(let name, let property, let key, let count, let why):
            begin("certainty", name, to: &buffer)
            append(key, to: &buffer)
            buffer.append(",\"count\":\(count)")
            append(property: property, to: &buffer)
            end(why, to: &buffer)
        case .older(let name, let key, let count, let why):
            begin("newer", name, to: &buffer)
            append(key, to: &buffer)
            buffer.append(",\"count\":\(count)")
            end(why, to: &buffer)
        case .values(let name, let property, let key, let count, let why):
            begin("values", name, to: &buffer)
            append(key, to: &buffer)
            buffer.append(",\"count\":\(count)")
            append(property: property, to: &buffer)
            end(why, to: &buffer)
        }
    }

    func append(_ summary: SalvageSummary, to buffer: inout ByteBuffer) {
        JSONReport.begin("realm-compact", to: &buffer)
        buffer.append(
            ",\"summary\":{\"salvaged\":\(summary.salvaged),"
                + "\"lostObjects\":\(summary.lostObjects),"
                + "\"lostValues\":\(summary.lostValues),\"lostParts\":\(summary.lostParts),"
                + "\"older\":\(summary.older),\"doubtful\":\(summary.doubtful),"
                + "\"version\":\(summary.version),"
                + "\"newest\":\(summary.isNewest),\"sourceErrors\":\(summary.sourceErrors),"
                + "\"complete\":\(summary.isComplete)}")
        if let map = summary.map { append(map, to: &buffer) }
        buffer.append("}\n")
    }

    /// Bytes by what became of them.
    private func append(_ map: SpaceMap, to buffer: inout ByteBuffer) {
        let sums: [(String, SpaceMap.Owner)] = [
            ("copied", .copied), ("older", .older), ("doubtful", .doubtful), ("unused", .unused),
            ("bookkeeping", .bookkeeping), ("free", .free), ("lost", .lost),
        ]
        let parts = sums.map { "\"\($0)\":\(map.bytes(of: $1))" }
        buffer.append(",\"bytes\":{\(parts.joined(separator: ","))}")
    }

    private func begin(_ what: String, _ name: String, to buffer: inout ByteBuffer) {
        buffer.append("{\"lost\":\"\(what)\",\"class\":")
        JSONText.append(name, to: &buffer)
    }

    private func append(_ key: ObjectKey, to buffer: inout ByteBuffer) {
        buffer.append(",\"key\":\(key.isLost ? "null" : "\(key.raw)")")
    }

    private func append(property: String, to buffer: inout ByteBuffer) {
        buffer.append(",\"property\":")
        JSONText.append(property, to: &buffer)
    }

    private func end(_ why: String, to buffer: inout ByteBuffer) {
        buffer.append(",\"why\":")
        JSONText.append(why, to: &buffer)
        buffer.append("}\n")
    }
}
