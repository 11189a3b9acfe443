import RealmEngine
import RealmRecords
import ToolKit

/// A command line of `realm-bench`.
struct BenchRequest {
    let setting: BenchSetting
    let workloads: [WorkloadPlan]
    let gate: Gate

    /// Throws `misuse` if options cannot be combined.
    init(
        _ command: ParsedCommand, _ catalogue: WorkloadCatalogue = .installed
    ) throws(RealmError) {
        gate = command[BenchOption.gate]
        if command[BenchOption.durability] == .memory {
            throw Self.notYet(
                "--durability memory: this version cannot create a database without a file")
        }
        var setting = try Self.setting(command)
        var queries: [WorkloadPlan] = []
        for (i, text) in command[BenchOption.query].enumerated() {
            queries += try QueryUnderTest(text).plans(number: i + 1)
        }
        let chosen = try Self.chosen(command, setting, catalogue)
        let isScaling = command.isGiven(BenchOption.scaling)
        if isScaling {
            setting.runs = command[BenchOption.runs] ?? BenchSetting.scaling.runs
            setting.num = command[BenchOption.num] ?? BenchSetting.scaling.num
        }
        if command.operands == [WorkloadSet.quick.rawValue] {
            if !command.isGiven(BenchOption.num) { setting.num = BenchSetting.quick.num }
            if !command.isGiven(BenchOption.runs) { setting.runs = BenchSetting.quick.runs }
        } else if !command.isGiven(BenchOption.num), !isScaling {
            setting.coreRows = catalogue.commonRows
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

    /// Returns the workloads that the command names, in the order of the catalogue. If it names
    /// none, returns the set `standard`, or `scaling` with `--scaling`.
    private static func chosen(
        _ command: ParsedCommand, _ setting: BenchSetting, _ catalogue: WorkloadCatalogue
    ) throws(RealmError) -> [WorkloadPlan] {
        let usual = command.isGiven(BenchOption.scaling) ? WorkloadSet.scaling : .standard
        let words = command.operands.isEmpty ? [usual.rawValue] : command.operands
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

    /// Returns the reason why a workload cannot be measured with `setting`; nil if it can be
    /// measured.
    private static func objection(to plan: WorkloadPlan, _ setting: BenchSetting) -> RealmError? {
        if plan.ownsFile, !setting.isGenerated {
            return .misuse(
                "\(plan.name) cannot run on --file, which is never changed",
                code: "InvalidArgument", hint: "omit --file to run it on a generated database")
        }
        if plan.needsPeople, !setting.isGenerated {
            return .misuse(
                "\(plan.name) needs a generated database; --query measures a query on FILE",
                code: "InvalidArgument", hint: "omit --file to run it on a generated database")
        }
        if setting.rate != nil, !plan.isPaced {
            return .misuse(
                "--rate: the operations of \(plan.name) are not timed one by one",
                code: "InvalidArgument")
        }
        return nil
    }

    private static func setting(_ command: ParsedCommand) throws(RealmError) -> BenchSetting {
        var setting = BenchSetting()
        setting.file = command[BenchOption.file] ?? ""
        setting.isGenerated = command[BenchOption.file] == nil
        if command[BenchOption.encrypted] {
            setting.key = try .random()
            command.limitPlainMemory()
        } else if !setting.isGenerated {
            setting.key = try command.readKey()
        }
        if let num = command[BenchOption.num] { setting.num = num }
        if let runs = command[BenchOption.runs] { setting.runs = runs }
        setting.warmup = command[BenchOption.warmup]
        setting.seed = UInt64(command[BenchOption.seed])
        setting.batch = command[BenchOption.commitOperations]
        setting.valueSize = command[BenchOption.valueSize]
        setting.directory = command[BenchOption.dir]
        setting.readers = command[BenchOption.readers]
        setting.writers = command[BenchOption.writers]
        setting.pins = command[BenchOption.pin]
        setting.isDurable = command[BenchOption.durability] != .unsafe
        setting.keepsFiles = command[BenchOption.keep]
        setting.threads = command.workers
        setting.isCacheCold = command[BenchOption.cache] == .cold
        setting.time = command[BenchOption.runTime].map { UInt64($0.wholeNanoseconds) }
        setting.rate = command[BenchOption.rate].map(Double.init)
        setting.lateThreshold = command[BenchOption.lateThreshold].map {
            UInt64($0.wholeNanoseconds)
        }
        setting.distribution = command[BenchOption.distribution]
        setting.injection = command[BenchOption.inject]
        return setting
    }

    /// The file that is measured, or the directory of generated files.
    var place: String { setting.isGenerated ? setting.directory : setting.file }

    /// Generates the database for workloads that read. Returns nil if a file is given, or if no
    /// workload reads.
    func makeFile() throws(RealmError) -> ScratchFile? {
        try Self.makeFile(setting, workloads)
    }

    /// Generates the database that the given workloads read, with the sizes in `setting`. Returns
    /// nil if no workload reads.
    static func makeFile(
        _ setting: BenchSetting, _ workloads: [WorkloadPlan]
    ) throws(RealmError) -> ScratchFile? {
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
