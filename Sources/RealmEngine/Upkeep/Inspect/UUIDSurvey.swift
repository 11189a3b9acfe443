/// Determines the byte order of the UUIDs that a database stores.
///
/// The .NET SDK before 10.10 stored GUIDs in the order of .NET. Later versions reverse them when they open
/// the file, and add a table that marks it. Random UUIDs have the digit 4 at a fixed place, from which
/// the order is seen.
package struct UUIDSurvey: Sendable {
    /// Number of random UUIDs read that are in the standard order, and in the order of .NET.
    package private(set) var standard = 0
    package private(set) var dotnet = 0

    /// Table by which .NET SDKs from 10.10 on mark files with GUIDs in the standard order.
    private static let marker = "dotnet_guid_representation_fixed"
    /// Maximum number of objects read for each property.
    private static let objectLimit = 1000

    /// Reads some UUIDs of each class, from properties that hold single ones.
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
                }
            }
        }
    }

    /// Whether a UUID is one of version 4.
    private static func isRandom(_ id: UUIDValue) -> Bool {
        id.high >> 12 & 0xF == 4 && id.low >> 62 == 2
    }

    /// The order that nearly all of the UUIDs have; nil if they do not agree or there are none.
    package var order: UUIDOrder? {
        if dotnet > 0, standard * 4 <= dotnet { return .dotnet }
        return standard > 0 && dotnet * 4 <= standard ? .standard : nil
    }
}
