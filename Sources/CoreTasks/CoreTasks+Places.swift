import RealmEngine
import ToolBench
import ToolKit

/// Tasks with points on a line from the south-west to the north-east corner of the map of the
/// globe.
extension CoreTask {
    private static let altitude = 42.24

    private static func point(_ i: Int, _ count: Int) -> (longitude: Double, latitude: Double) {
        let share = Double(i) / Double(count)
        return (share * 360 - 180, share * 180 - 90)
    }

    private static func places(areAssigned: Bool) -> Build {
        { (database) throws(RealmError) in
            let transaction = try database.writing()
            let points = try transaction.createClass("Location", kind: .embedded)
            try transaction.addProperty(points, PropertySpec("type", .string))
            var coordinates = PropertySpec("coordinates", .double)
            coordinates.collection = .list
            try transaction.addProperty(points, coordinates)
            var location = PropertySpec("location", .link)
            location.target = points
            try database.makeTable([location])
            for _ in 0..<database.baseSize { try database.add(.null) }
            guard areAssigned else { return }
            _ = try assign(database, points, transaction)
        }
    }

    /// Sets the coordinates of the embedded point of every object. Creates the point of an object
    /// without one. Returns the number of objects.
    private static func assign(
        _ database: CoreDatabase, _ points: TableKey, _ transaction: WriteTransaction
    ) throws(RealmError) -> Int {
        let kind = database.string("Point")
        for (i, key) in database.keys.enumerated() {
            let target: ObjectKey
            if case .link(let link)? = try transaction.value(database.table, key, 0) {
                target = link.key
            } else {
                target = try transaction.createEmbedded(database.table, key, 0)
            }
            try transaction.set(points, target, 0, kind)
            let (longitude, latitude) = point(i, database.keys.count)
            try transaction.setElements(
                points, target, 1, [.double(longitude), .double(latitude), .double(altitude)])
        }
        return database.keys.count
    }

    private static func locations(_ reader: CoreReader) throws(RealmError) -> Table {
        try reader.snapshot.table(written: "Location")
    }

    private static let assignAll: Changing = { (reader, transaction) throws(RealmError) in
        try assign(reader.database, locations(reader).info.key, transaction)
    }

    private static let fetch: Reading = { (reader) throws(RealmError) in
        let points = try locations(reader)
        var valid = 0
        for key in reader.database.keys {
            guard case .link(let link) = try reader.value(key, 0),
                let row = try points.row(link.key),
                case .string(let kind) = try row.value(0), kind.count == 5,
                case .list(let view) = try row.value(1)
            else { continue }
            var cursor = reader.snapshot.elements(of: view)
            guard case .double(let longitude)? = try cursor.next(),
                case .double(let latitude)? = try cursor.next(), abs(longitude) <= 180,
                abs(latitude) <= 90
            else { continue }
            valid += 1
        }
        return valid
    }

    private static func within(
        _ name: String, _ what: String, _ shape: GeoShape, _ text: String
    ) -> [CoreTask] {
        let build = places(areAssigned: true)
        return [
            .read("geo-points-within-" + name, "count points in a \(what)", times: 5, build) {
                (reader) throws(RealmError) in
                try reader.count(.within(["location"], shape))
            },
            .read(
                "geo-points-within-\(name)-rql", "the same from a text", times: 5, build
            ) { (reader) throws(RealmError) in
                let plan = try reader.plan(try Query("location GEOWITHIN " + text))
                return try plan.count(in: reader.snapshot)
            },
        ]
    }

    private static let ring = [
        (-24.0, -24.0), (-34.0, 34.0), (44.0, 44.0), (-55.0, 55.0), (-24, -24),
    ]
    .map { GeoPoint(longitude: $0.0, latitude: $0.1) }

    static let places: [CoreTask] =
        [
            .change(
                "assign-geo-points", "give every object another place", places(areAssigned: true),
                assignAll),
            .change(
                "assign-geo-points-from-null", "give every object its first place",
                places(areAssigned: false), assignAll),
            .read(
                "fetch-geo-points", "read the places of all objects", times: 5,
                places(areAssigned: true),
                verification: { (reader) throws(RealmError) in reader.database.baseSize }, fetch),
        ]
        + within(
            "box", "box",
            .box(
                GeoPoint(longitude: -34, latitude: -34), GeoPoint(longitude: 42, latitude: 42)),
            "geoBox([-34.0, -34.0], [42.0, 42.0])")
        + within(
            "circle", "circle",
            .circle(GeoPoint(longitude: 42, latitude: 42), radius: 5000 / 6378.1),
            "geoCircle([42.0, 42.0], 0.78393252)")
        + within(
            "polygon", "polygon", .polygon([ring]),
            "geoPolygon({[-24.0, -24.0], [-34.0, 34.0], [44.0, 44.0], [-55.0, 55.0], "
                + "[-24.0, -24.0]})")
}
