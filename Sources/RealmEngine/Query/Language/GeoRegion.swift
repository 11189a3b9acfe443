/// A validated region (query language 20).
enum GeoRegion: Sendable {
    /// Points whose squared distance to the centre, along the chord, is at most `chord`.
    case cap(SphereVector, chord: Double)
    case polygon(outside: GeoRing, holes: [GeoRing])

    /// Why a shape is no valid region.
    struct ShapeError: Error { let message: String }

    init(_ shape: GeoShape) throws(ShapeError) {
        switch shape {
        case .point: throw ShapeError(message: "a point has no inside")
        case .box(let a, let b): try self.init(box: a, b)
        case .circle(let center, let radius): try self.init(center, radius: radius)
        case .polygon(let rings): try self.init(rings: rings)
        }
    }

    private init(box a: GeoPoint, _ b: GeoPoint) throws(ShapeError) {
        let corners = [
            a, GeoPoint(longitude: a.longitude, latitude: b.latitude), b,
            GeoPoint(longitude: b.longitude, latitude: a.latitude),
        ]
        try self.init(rings: [corners + [a]])
    }

    private init(_ center: GeoPoint, radius: Double) throws(ShapeError) {
        guard radius >= 0 else { throw ShapeError(message: "a radius is not negative and not NaN") }
        let half = Trigonometry.sine(min(radius, .pi) / 2)
        self = .cap(try Self.vector(center), chord: 4 * half * half)
    }

    private init(rings: [[GeoPoint]]) throws(ShapeError) {
        guard rings.reduce(0, { $0 + $1.count }) <= QueryLimits.points else {
            throw ShapeError(message: "it has more than \(QueryLimits.points) points")
        }
        var loops: [GeoRing] = []
        for ring in rings {
            var places: [SphereVector] = []
            for point in ring { places.append(try Self.vector(point)) }
            do throws(GeoRing.ShapeError) {
                loops.append(try GeoRing(closed: places))
            } catch { throw ShapeError(message: error.rawValue) }
        }
        guard let outside = loops.first else { throw ShapeError(message: "a polygon needs a ring") }
        try Self.check(outside, holes: loops.dropFirst())
        self = .polygon(outside: outside, holes: Array(loops.dropFirst()))
    }

    private static func check(
        _ outside: GeoRing, holes: ArraySlice<GeoRing>
    ) throws(ShapeError) {
        for (i, hole) in holes.enumerated() {
            guard !outside.crosses(hole), outside.contains(nudged(hole.vertices[0])) else {
                throw ShapeError(message: "a hole lies outside its polygon")
            }
            for other in holes.dropFirst(i + 1) {
                guard !hole.crosses(other), !hole.contains(nudged(other.vertices[0])),
                    !other.contains(nudged(hole.vertices[0]))
                else { throw ShapeError(message: "holes of a polygon overlap") }
            }
        }
    }

    static func isValid(_ point: GeoPoint) -> Bool {
        abs(point.longitude) <= 180 && abs(point.latitude) <= 90
    }

    private static func vector(_ point: GeoPoint) throws(ShapeError) -> SphereVector {
        guard isValid(point) else {
            throw ShapeError(message: "a longitude is within 180 degrees, a latitude within 90")
        }
        return SphereVector(longitude: point.longitude, latitude: point.latitude)
    }

    /// Moves a point by micrometres, always in the same direction, so that a point on a boundary
    /// belongs to exactly one of the adjacent regions. At a pole, different longitudes give
    /// different vectors, much closer to each other; there the direction is along the ground and
    /// the distance smaller.
    private static func nudged(_ vector: SphereVector) -> SphereVector {
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
