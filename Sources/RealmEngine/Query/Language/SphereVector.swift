/// A vector in space: a point on the unit sphere, or a direction.
struct SphereVector: Hashable, Sendable {
    var x: Double
    var y: Double
    var z: Double

    init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Makes the point at a longitude and latitude in degrees.
    init(longitude: Double, latitude: Double) {
        let toRadians = Double.pi / 180
        let ring = Trigonometry.cosine(latitude * toRadians)
        x = ring * Trigonometry.cosine(longitude * toRadians)
        y = ring * Trigonometry.sine(longitude * toRadians)
        z = Trigonometry.sine(latitude * toRadians)
    }

    static func + (a: SphereVector, b: SphereVector) -> SphereVector {
        SphereVector(a.x + b.x, a.y + b.y, a.z + b.z)
    }

    static func - (a: SphereVector, b: SphereVector) -> SphereVector {
        SphereVector(a.x - b.x, a.y - b.y, a.z - b.z)
    }

    static func * (a: SphereVector, scale: Double) -> SphereVector {
        SphereVector(a.x * scale, a.y * scale, a.z * scale)
    }

    func dot(_ other: SphereVector) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ b: SphereVector) -> SphereVector {
        SphereVector(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x)
    }

    var square: Double { dot(self) }

    var normalized: SphereVector { self * (1 / square.squareRoot()) }

    /// Whether the arcs a-b and c-d cross at a point that is not an end of either arc.
    static func arcsCross(
        _ a: SphereVector, _ b: SphereVector, _ c: SphereVector, _ d: SphereVector
    ) -> Bool {
        let ab = a.cross(b)
        let sideC = ab.dot(c)
        let sideD = ab.dot(d)
        guard sideC > 0 && sideD < 0 || sideC < 0 && sideD > 0 else { return false }
        let cd = c.cross(d)
        let sideA = cd.dot(a)
        let sideB = cd.dot(b)
        guard sideA > 0 && sideB < 0 || sideA < 0 && sideB > 0 else { return false }
        // The great circles of the arcs intersect in two opposite points. The arcs cross if both
        // contain the same one of them.
        let meeting = ab.cross(cd)
        return (meeting.dot(a + b) > 0) == (meeting.dot(c + d) > 0)
    }

    /// Returns twice the cross product with `b`. Precise even if the vectors are nearly equal or
    /// nearly opposite, such as vectors of poles. The vectors of one pole that were computed from
    /// different longitudes differ slightly.
    func normal(to b: SphereVector) -> SphereVector { (self + b).cross(b - self) }

    /// Whether the point is a pole. The vector of a pole still contains its longitude, as tiny
    /// values of x and y.
    var isPole: Bool { abs(z) == 1 }

    /// Returns twice the volume of the parallelepiped spanned by the vectors of three points; its
    /// sign gives the orientation of the points. Precise even if two points are nearly equal or
    /// opposite, because the cross product is taken of those two.
    private static func volume(
        _ a: SphereVector, _ b: SphereVector, _ c: SphereVector
    ) -> Double {
        let (ab, bc, ca) = (abs(a.dot(b)), abs(b.dot(c)), abs(c.dot(a)))
        if ab >= bc, ab >= ca { return a.normal(to: b).dot(c) }
        return bc >= ca ? b.normal(to: c).dot(a) : c.normal(to: a).dot(b)
    }

    /// Whether the arcs a-b and c-d cross, like `arcsCross`. Exact for arcs that begin or end at a
    /// pole, too.
    static func arcsCrossExactly(
        _ a: SphereVector, _ b: SphereVector, _ c: SphereVector, _ d: SphereVector
    ) -> Bool {
        // The arcs ab and cd cross if the triangles (a, c, b), (c, b, d), (b, d, a) and (d, a, c)
        // have the same orientation.
        let first = volume(a, c, b)
        guard first != 0 else { return false }
        let isLeft = first > 0
        for other in [volume(c, b, d), volume(b, d, a), volume(d, a, c)] {
            guard isLeft ? other > 0 : other < 0 else { return false }
        }
        return true
    }

    /// Returns the signed area of the triangle on the unit sphere, positive if counterclockwise. If
    /// `b` and `c` are opposite, many arcs connect them; rounding decides which one is used.
    static func area(_ a: SphereVector, _ b: SphereVector, _ c: SphereVector) -> Double {
        let volume = a.dot(b.normal(to: c)) / 2
        let sum = (b + c).square / 2 + a.dot(b + c)
        return 2 * Trigonometry.angle(x: sum, y: volume)
    }
}
