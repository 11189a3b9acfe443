import RealmEngine
import ToolKit

/// What a `realm-bench` command line asks for.
struct BenchRequest {
    let setting: BenchSetting
    let workloads: [WorkloadPlan]
    /// Nil when `--gate` is not given.
    let gate: Gate?

    /// Throws `misuse` for what does not go together.
    init(
        _ command: ParsedCommand, _ catalogue: WorkloadCatalogue = .installed
    ) throws(RealmError) {
        gate = try Self.gate(command)
        if command.text("durability") == "memory" {
            throw Self.notYet("--durability memory: every database has a file yet")
        }
        var setting = try Self.setting(command)
        var queries: [WorkloadPlan] = []
        for (i, text) in command.all("query").enumerated() {
            queries += try QueryUnderTest(text).plans(number: i + 1)
        }
        let chosen = try Self.chosen(command, setting, catalogue)
        if command.operands == [WorkloadSet.quick.rawValue] {
            if !command.flag("num") { setting.num = 10_000 }
            if !command.flag("runs") { setting.runs = 3 }
        } else if !command.flag("num") {
            setting.coreRows = catalogue.commonRows
        }
        guard setting.valueSize <= Self.largestValue else {
            throw .misuse(
                "--value-size: an object holds at most \(Self.largestValue) bytes in one property",
                code: "InvalidArgument", reason: "bad-value")
        }
        self.setting = setting
        let wantsNothingElse = command.operands.isEmpty && !queries.isEmpty
        workloads = (wantsNothingElse ? [] : chosen) + queries
        guard !workloads.isEmpty else {
            throw .misuse(
                "no workload is left to measure with these options", code: "InvalidArgument")
        }
    }

    private static func notYet(_ message: String) -> RealmError {
        RealmError(.incompatible, code: "IllegalOperation", reason: "not-yet", message)
    }

    private static let largestValue = 16 << 20 - 16

    /// The named workloads, or those of the standard set, in the order of the catalogue.
    private static func chosen(
        _ command: ParsedCommand, _ setting: BenchSetting, _ catalogue: WorkloadCatalogue
    ) throws(RealmError) -> [WorkloadPlan] {
        let words = command.operands.isEmpty ? ["standard"] : command.operands
        var names: Set<String> = []
        for word in words {
            if let set = WorkloadSet(rawValue: word) {
                let members = catalogue.members(of: set)
                names.formUnion(members.filter { objection(to: $0, setting) == nil }.map(\.name))
            } else if let plan = catalogue.named(word) {
                if let objection = objection(to: plan, setting) { throw objection }
                names.insert(word)
            } else {
                let near = Spelling.nearest(to: word, among: catalogue.words)
                throw .misuse(
                    "there is no workload '\(word)'", code: "InvalidArgument", reason: "bad-value",
                    hint: near.map { "did you mean \($0)? realm-bench --list lists them all" })
            }
        }
        return catalogue.all.filter { names.contains($0.name) }
    }

    /// Why a workload cannot be measured like that; nil when it can.
    private static func objection(to plan: WorkloadPlan, _ setting: BenchSetting) -> RealmError? {
        if plan.ownsFile, !setting.isGenerated {
            return .misuse(
                "--file is never changed, and \(plan.name) works on a database of its own",
                code: "InvalidArgument", hint: "without --file it works on a generated database")
        }
        if plan.needsPeople, !setting.isGenerated {
            return .misuse(
                "\(plan.name) is about generated people; --query asks FILE",
                code: "InvalidArgument", hint: "without --file it works on a generated database")
        }
        if setting.rate != nil, !plan.isPaced {
            return .misuse(
                "--rate: the operations of \(plan.name) are not timed one by one",
                code: "InvalidArgument")
        }
        return nil
    }

    static func gate(_ command: ParsedCommand) throws(RealmError) -> Gate? {
        guard let text = command.text("gate") else { return nil }
        guard let gate = Gate(text) else {
            throw bad("gate", text, "a list such as \(Gate.usual)")
        }
        return gate
    }

    private static func bad(_ option: String, _ text: String, _ wanted: String) -> RealmError {
        .misuse(
            "--\(option): '\(text)' is not \(wanted)", code: "InvalidArgument",
            reason: "bad-value")
    }

    private static func setting(_ command: ParsedCommand) throws(RealmError) -> BenchSetting {
        var setting = BenchSetting()
        setting.file = command.text("file") ?? ""
        setting.isGenerated = command.text("file") == nil
        if command.flag("encrypted") {
            setting.key = try .random()
            command.limitPlainMemory()
        } else if !setting.isGenerated {
            setting.key = try command.readKey()
        }
        if let num = command.count("num") { setting.num = num }
        if let runs = command.count("runs") { setting.runs = runs }
        if let warmup = command.duration("warmup") { setting.warmup = warmup }
        if let seed = command.count("seed") { setting.seed = UInt64(seed) }
        if let batch = command.count("batch") { setting.batch = batch }
        if let size = command.size("value-size") { setting.valueSize = size }
        if let directory = command.text("dir") { setting.directory = directory }
        if let readers = command.count("readers") { setting.readers = readers }
        if let writers = command.count("writers") { setting.writers = writers }
        if let pins = command.count("pin") { setting.pins = pins }
        setting.isDurable = command.text("durability") != "unsafe"
        setting.keepsFiles = command.flag("keep")
        setting.threads = command.workers
        setting.isCacheCold = command.text("cache") == "cold"
        try readPace(command, &setting)
        return setting
    }

    private static func readPace(
        _ command: ParsedCommand, _ setting: inout BenchSetting
    ) throws(RealmError) {
        setting.time = command.duration("time").map { UInt64($0.wholeNanoseconds) }
        setting.rate = command.count("rate").map(Double.init)
        setting.lateAfter = command.duration("late-after").map { UInt64($0.wholeNanoseconds) }
        if let text = command.text("distribution") {
            guard let distribution = Distribution(text) else {
                throw bad(
                    "distribution", text,
                    "uniform, zipfian, zipfian:SKEW with a skew between 0 and 1, latest or "
                        + "sequential")
            }
            setting.distribution = distribution
        }
        if let text = command.text("inject") {
            guard let injection = Injection(text) else {
                throw bad("inject", text, "such as slow=30%, stall=200ms or both with a comma")
            }
            setting.injection = injection
        }
    }

    /// The file or directory that is measured.
    var place: String { setting.isGenerated ? setting.directory : setting.file }

    /// Makes the database the reading workloads read; nil when there is one, or no need.
    func makeFile() throws(RealmError) -> ScratchFile? {
        guard setting.isGenerated, workloads.contains(where: { !$0.ownsFile }) else { return nil }
        let scratch = try ScratchFile(setting, name: "read")
        var unsynced = setting
        unsynced.isDurable = false
        let people = try PeopleDatabase(path: scratch.path, unsynced)
        try people.fill(unsynced)
        try people.addIndexes()
        return scratch
    }
}
