import SimulatedPlatform

/// The decisions that a seed makes before the scheduler runs: the processes, and how the run is
/// disturbed.
struct Plan {
    /// The roles of a process. A process with two roles has a thread for each.
    typealias Kind = [Role]

    enum Role: String {
        case writer, reader, opener, watcher
    }

    let seed: UInt64
    let file: ItemFile
    /// The processes of each round. Between two rounds all of them have ended.
    var rounds: [[Kind]] = []
    var settings = sim_settings()

    /// Kinds of disturbance; the seed chooses one.
    enum Disturbance: Int, CaseIterable {
        case none, deaths, power, deathsAndPower, disk, all
    }

    let disturbance: Disturbance

    init(seed: UInt64, planted: UInt32 = 0) {
        self.seed = seed
        var random = SplitRandom(seed ^ 0x5EED)
        disturbance = Disturbance.allCases[random.below(Disturbance.allCases.count)]
        file = ItemFile.all[[0, 0, 0, 1, 2, 2, 3][random.below(7)]]
        for _ in 0..<(1 + random.below(3)) {
            rounds.append((0..<(1 + random.below(4))).map { _ in Self.kind(&random) })
        }
        settings.seed = seed
        settings.planted = planted
        // The format assumes that encrypted pages are written as a whole.
        settings.sector = file.isEncrypted ? 4096 : 512
        settings.step_limit = 60_000
        settings.switch_rate = [600, 3000, 13_000, 65_536][random.below(4)]
        settings.jump_rate = [0, 2000, 20_000][random.below(3)]
        settings.interrupt_rate = 300
        settings.short_rate = 600
        disturb(&random)
    }

    private static func kind(_ random: inout SplitRandom) -> Kind {
        let kinds: [Kind] = [
            [.writer], [.reader], [.opener], [.writer, .reader], [.writer, .writer],
            [.reader, .opener], [.watcher], [.watcher, .writer],
        ]
        return kinds[random.below(kinds.count)]
    }

    private mutating func disturb(_ random: inout SplitRandom) {
        // On average one fault in as many calls as a round makes.
        let rare = UInt32([8000, 30_000, 120_000][random.below(3)])
        if [.deaths, .deathsAndPower, .all].contains(disturbance) {
            settings.death_rate = rare
            settings.death_limit = UInt32(1 + random.below(3))
        }
        if [.power, .deathsAndPower, .all].contains(disturbance) { settings.power_rate = rare }
        if [.disk, .all].contains(disturbance) {
            settings.error_rate = UInt32([200, 1500][random.below(2)])
        }
    }

    /// Whether the clock jumps only when all threads wait, so that no thread oversleeps.
    var isPunctual: Bool { settings.jump_rate == 0 }

    /// Settings of the process that opens the file after a round.
    var undisturbed: sim_settings {
        var calm = settings
        (calm.death_rate, calm.power_rate, calm.error_rate) = (0, 0, 0)
        return calm
    }
}
