/// Determines the byte order of the UUIDs that a database stores.
///
/// The .NET SDK before version 10.10 stored GUIDs in the byte order of .NET. Later versions convert
/// them when they open the file, and add a table that marks the file as converted. In other files,
/// the order is determined from random UUIDs: these have the digit 4 at a fixed position.
package struct UUIDSurvey: Sendable {
    /// Number of UUIDs that are random (version 4) if read in the standard byte order.
    package private(set) var standard = 0
    /// Number of UUIDs that are random (version 4) only if read in the byte order of .NET.
    package private(set) var dotnet = 0
    /// Number of UUIDs that are random (version 4) in neither byte order, except UUIDs of zeros.
    private var others = 0

    /// Table with which .NET SDKs from 10.10 on mark files whose GUIDs are in the standard order.
    private static let marker = "dotnet_guid_representation_fixed"
    /// Maximum number of objects read for each property.
    private static let objectLimit = 1000

    /// Reads some UUIDs of each class from properties that are single UUIDs. Reads none if the file
    /// is marked as converted.
    package init(_ snapshot: Snapshot) throws(RealmError) {
        let schema = snapshot.schema
        if schema.tables.contains(where: { $0.name == Self.marker }) { return }
        snapshot.beginWalk()
        for info in schema.classes {
            for (i, column) in info.columns.enumerated()
            where column.type == .uuid && column.collection == nil {
                try add(snapshot.table(info).scan(columns: [i]))
            }
        }
    }

    private mutating func add(_ scan: TableScan) throws(RealmError) {
        var count = 0
        while count < Self.objectLimit, try scan.next() {
            for row in 0..<scan.count {
                count += 1
                guard case .uuid(let id) = try scan.value(row: row, column: 0) else { continue }
                if Self.isRandom(id) {
                    standard += 1
                } else if Self.isRandom(UUIDOrder.dotnet.converted(id)) {
                    dotnet += 1
                } else if id.high | id.low != 0 {
                    others += 1
                }
            }
        }
    }

    /// Whether a UUID is random, which means version 4.
    private static func isRandom(_ id: UUIDValue) -> Bool {
        id.high >> 12 & 0xF == 4 && id.low >> 62 == 2
    }

    /// The byte order of nearly all UUIDs that were read; nil if they do not agree or there are
    /// none. Of UUIDs that are not random, one in 16 looks random in the byte order of .NET.
    package var order: UUIDOrder? {
        if dotnet > 0, (standard + others) * 4 <= dotnet { return .dotnet }
        return standard > 0 && dotnet * 4 <= standard ? .standard : nil
    }

    /// Whether the database contains random UUIDs in the standard byte order and random UUIDs in
    /// the byte order of .NET, and few UUIDs that are random in neither order.
    package var isMixed: Bool {
        order == nil && standard > 0 && dotnet > 0 && others * 4 <= standard + dotnet
    }
}
