import RealmEngine

/// What a `realm-bench` command line asks for.
struct BenchRequest {
    let setting: BenchSetting
    let workloads: [WorkloadPlan]

    /// Throws `misuse` for what does not go together.
    init(_ command: ParsedCommand) throws(RealmError) {
        var queries: [WorkloadPlan] = []
        for (i, text) in command.all("query").enumerated() {
            queries += try QueryUnderTest(text).plans(number: i + 1)
        }
        let named = command.operands.compactMap(WorkloadKind.init)
        let setting = Self.setting(command)
        let applicable = WorkloadKind.allCases.filter {
            setting.isGenerated || !$0.needsPeople
        }
        if let other = named.first(where: { !applicable.contains($0) }) {
            throw .misuse(
                other.plan.writes
                    ? "--file is never changed, and \(other.rawValue) writes"
                    : "\(other.rawValue) is a query about generated people; --query asks FILE",
                code: "InvalidArgument", hint: "without --file it works on a generated database")
        }
        guard setting.valueSize <= Self.largestValue else {
            throw .misuse(
                "--value-size: an object holds at most \(Self.largestValue) bytes in one property",
                code: "InvalidArgument", reason: "bad-value")
        }
        let wanted = named.isEmpty && queries.isEmpty ? applicable : named
        self.setting = setting
        workloads = WorkloadKind.allCases.filter(wanted.contains).map(\.plan) + queries
    }

    private static let largestValue = 16 << 20 - 16

    private static func setting(_ command: ParsedCommand) -> BenchSetting {
        var setting = BenchSetting()
        setting.file = command.text("file") ?? ""
        setting.isGenerated = command.text("file") == nil
        if let num = command.count("num") { setting.num = num }
        if let runs = command.count("runs") { setting.runs = runs }
        if let warmup = command.duration("warmup") { setting.warmup = warmup }
        if let seed = command.count("seed") { setting.seed = UInt64(seed) }
        if let batch = command.count("batch") { setting.batch = batch }
        if let size = command.size("value-size") { setting.valueSize = size }
        if let directory = command.text("dir") { setting.directory = directory }
        setting.isDurable = command.text("durability") != "unsafe"
        setting.keepsFiles = command.flag("keep")
        setting.threads = command.workers
        return setting
    }

    /// The file or directory that is measured.
    var place: String { setting.isGenerated ? setting.directory : setting.file }

    /// Makes the database the reading workloads read; nil when there is one, or no need.
    func makeFile() throws(RealmError) -> ScratchFile? {
        guard setting.isGenerated, workloads.contains(where: { !$0.writes }) else { return nil }
        let scratch = try ScratchFile(setting, name: "read")
        var unsynced = setting
        unsynced.isDurable = false
        let people = try PeopleDatabase(path: scratch.path, unsynced)
        try people.fill(unsynced)
        try people.addIndexes()
        return scratch
    }
}
