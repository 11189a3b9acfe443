/// A validated region (query language 20).
enum GeoRegion: Sendable {
    /// A cap around a centre: points whose squared straight-line distance to the centre of the cap
    /// is at most `chord`.
    case cap(SphereVector, chord: Double)
    case polygon(outside: GeoRing, holes: [GeoRing])

    init(_ shape: GeoShape) throws(GeoFlaw) {
        switch shape {
        case .point: throw .point
        case .box(let a, let b): try self.init(box: a, b)
        case .circle(let center, let radius): try self.init(center, radius: radius)
        case .polygon(let rings): try self.init(rings: rings)
        }
    }

    private init(box a: GeoPoint, _ b: GeoPoint) throws(GeoFlaw) {
        let corners = [
            a, GeoPoint(longitude: a.longitude, latitude: b.latitude), b,
            GeoPoint(longitude: b.longitude, latitude: a.latitude),
        ]
        try self.init(rings: [corners + [a]])
    }

    private init(_ center: GeoPoint, radius: Double) throws(GeoFlaw) {
        guard radius >= 0 else { throw .radius }
        let half = Trigonometry.sine(min(radius, .pi) / 2)
        self = .cap(try Self.vector(center), chord: 4 * half * half)
    }

    private init(rings: [[GeoPoint]]) throws(GeoFlaw) {
        guard rings.reduce(0, { $0 + $1.count }) <= QueryLimits.points else {
            throw .tooManyPoints
        }
        var loops: [GeoRing] = []
        for (number, ring) in rings.enumerated() {
            var places: [SphereVector] = []
            for point in ring { places.append(try Self.vector(point)) }
            let loop = try GeoRing(closed: places, number: number)
            if let outside = loops.first, !outside.holds(loop) { throw .holeOutside(ring: number) }
            loops.append(loop)
        }
        guard let outside = loops.first else { throw .noRing }
        try GeoRing.checkEdges(of: loops)
        try GeoRing.check(holes: loops.dropFirst())
        self = .polygon(outside: outside, holes: Array(loops.dropFirst()))
    }

    static func isValid(_ point: GeoPoint) -> Bool {
        abs(point.longitude) <= 180 && abs(point.latitude) <= 90
    }

    private static func vector(_ point: GeoPoint) throws(GeoFlaw) -> SphereVector {
        guard isValid(point) else { throw .coordinate }
        return SphereVector(longitude: point.longitude, latitude: point.latitude)
    }

    /// Moves a point by micrometres, always in the same direction. A point on a boundary thus
    /// belongs to exactly one of the two regions at that boundary.
    ///
    /// A pole is moved horizontally, and by a far smaller distance. The vectors of one pole,
    /// computed from different longitudes, differ slightly. The distance must not exceed this
    /// difference.
    static func nudged(_ vector: SphereVector) -> SphereVector {
        guard !vector.isPole else {
            return vector + SphereVector(-vector.z, 0.012 * vector.z, 0) * 1e-20
        }
        return (vector + SphereVector(-0.3e-12, -1.1e-12, -1.3e-12)).normalized
    }

    func contains(_ point: GeoPoint) -> Bool {
        let vector = SphereVector(longitude: point.longitude, latitude: point.latitude)
        switch self {
        case .cap(let center, let chord):
            let difference = vector - center
            return difference.dot(difference) <= chord
        case .polygon(let outside, let holes):
            let nudged = Self.nudged(vector)
            return outside.contains(nudged) && !holes.contains { $0.contains(nudged) }
        }
    }
}
