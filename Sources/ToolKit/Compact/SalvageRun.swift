import Glibc
import RealmEngine

/// `--salvage -o OUT FILE`: what can be read of a damaged file, in a new one.
struct SalvageRun {
    private let request: CompactRequest

    init(_ request: CompactRequest) { self.request = request }

    func run() throws(RealmError) -> ExitCode {
        let target = request.command.outputPath!
        // Made first, so that an output that exists ends it before the work.
        let output = try CompactOutput(request, path: target, force: request.mayReplace)
        let passing = try PassingDirectory(in: directory(of: target), for: target)
        let losses = try OutputFile(path: nil, force: false)
        let printer = LossPrinter()
        var buffer = ByteBuffer()
        let summary = try Salvage.run(path: request.path, into: passing.database) {
            (loss) throws(RealmError) in
            printer.append(loss, to: &buffer)
            try losses.write(&buffer)
        }
        printer.append(summary, to: &buffer)
        try losses.flush(&buffer)
        try losses.commit()
        var options = request.options
        options.keepsHistory = false
        try output.write(Database(immutable: passing.database), options)
        try output.publish()
        Diagnostics(request.command).summary(
            "\(request.path) -> \(target): \(summary.salvaged) objects, "
                + (summary.hasLosses
                    ? "lost \(summary.lostObjects) objects and \(summary.lostValues) values"
                    : "nothing lost"))
        return summary.hasLosses ? .damaged : .ok
    }
}

/// Losses as lines of JSON.
private struct LossPrinter {
    func append(_ loss: SalvageLoss, to buffer: inout ByteBuffer) {
        switch loss {
        case .table(let slot, let why):
            buffer.append("{\"lost\":\"class\",\"slot\":\(slot)")
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
            buffer.append(",\"key\":\(key.raw)")
            end(why, to: &buffer)
        case .values(let name, let property, let key, let count, let why):
            begin("values", name, to: &buffer)
            buffer.append(",\"key\":\(key.raw),\"count\":\(count)")
            append(property: property, to: &buffer)
            end(why, to: &buffer)
        }
    }

    func append(_ summary: SalvageSummary, to buffer: inout ByteBuffer) {
        buffer.append(
            "{\"summary\":{\"salvaged\":\(summary.salvaged),"
                + "\"lostObjects\":\(summary.lostObjects),\"lostValues\":\(summary.lostValues),"
                + "\"lostParts\":\(summary.lostParts)}}\n")
    }

    private func begin(_ what: String, _ name: String, to buffer: inout ByteBuffer) {
        buffer.append("{\"lost\":\"\(what)\",\"class\":")
        JSONText.append(name, to: &buffer)
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
