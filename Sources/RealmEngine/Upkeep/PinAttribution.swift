/// Whose the pins of a version are, as far as that can be known.
///
/// The lock file counts pins and does not say whose they are. Programs that use this engine announce
/// theirs in the reader table; what remains belongs to some other process that has the lock file open.
/// When there is only one, it is that one; when there are several, any of them may be it.
public struct PinAttribution: Sendable {
    public let version: UInt64
    /// Pins that were announced, those of dead processes included.
    public let announced: [PinAnnouncement]
    /// Processes that could hold a pin nobody announced, by their ids.
    public let candidates: [Int32]
    /// Pins that no living process can hold; they go when the session ends. Nil where some processes
    /// could not be looked at.
    public let stale: Int?

    /// Processes that hold the version for certain, or could.
    public var processes: [Int32] {
        Set(announced.filter { !$0.isStale }.map(\.pid) + candidates).sorted()
    }

    /// - Parameters:
    ///   - openers: processes that have the database open; who came too late for the version left out.
    public init(
        _ version: Inspection.LiveVersion, _ announcements: [PinAnnouncement],
        _ openers: Openers.Listing
    ) {
        self.version = version.version
        let announced = announcements.filter { $0.version == version.version }
        self.announced = announced
        func open(_ count: Int, _ kinds: String...) -> Int {
            max(0, count - announced.count { kinds.contains($0.kind) })
        }
        let open = [
            open(version.live, "live", "writer"), open(version.frozen, "frozen"),
            open(version.full, "full"),
        ]
        let announcing = Set(announcements.filter { !$0.isStale }.map(\.pid))
        let others = openers.openers.filter {
            $0.participants > 0 && !announcing.contains($0.pid)
        }
        candidates = open.contains { $0 > 0 } ? others.map(\.pid) : []
        guard openers.isComplete else {
            stale = nil
            return
        }
        // A participant has one count of each kind for a version, however often it reads it.
        let possible = others.reduce(0) { $0 + $1.participants }
        stale = open.reduce(announced.count(where: \.isStale)) { $0 + max(0, $1 - possible) }
    }
}

/// A pin a program told about.
public struct PinAnnouncement: Sendable, Hashable {
    public let pid: Int32
    /// Number of the thread that took the pin.
    public let thread: UInt32
    /// "live", "frozen", "full" or "writer".
    public let kind: String
    public let version: UInt64
    /// When the pin was taken, in nanoseconds since 1970.
    public let since: Int64
    /// What the program calls it; often empty.
    public let label: String
    /// The process ended without letting go; its pins count until the session ends.
    public let isStale: Bool

    /// What programs announced about the database at `path`.
    public static func all(ofDatabase path: String) -> [PinAnnouncement] { [] }
}
