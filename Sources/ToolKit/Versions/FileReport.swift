import RealmEngine

/// What is printed about one file.
struct FileReport {
    let facts: FileFacts
    /// With `--slots`.
    let slots: [HeaderSlot]?
    /// With `--growth`.
    let showsGrowth: Bool

    init(_ path: String, _ request: VersionsRequest) throws(RealmError) {
        facts = try request.facts(path)
        try request.checkKey(facts.inspection)
        slots = request.showsSlots ? try request.inspector(path).slots() : nil
        showsGrowth = request.showsGrowth
    }

    init(_ facts: FileFacts) {
        self.facts = facts
        slots = nil
        showsGrowth = false
    }

    /// The versions that keep space from being used, oldest first.
    var pinning: [Inspection.LiveVersion] {
        facts.inspection.versions.filter { $0.releases != nil }.reversed()
    }
}
