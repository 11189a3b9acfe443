/// A place on the unit sphere, or a direction.
struct SphereVector: Hashable, Sendable {
    var x: Double
    var y: Double
    var z: Double

    init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The place at these degrees.
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

    var normalized: SphereVector { self * (1 / dot(self).squareRoot()) }

    /// Whether the arcs a-b and c-d cross at a point inside both.
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
        // The great circles meet in two opposite points; both arcs must pass the same one.
        let meeting = ab.cross(cd)
        return (meeting.dot(a + b) > 0) == (meeting.dot(c + d) > 0)
    }

    /// Signed area of the triangle on the unit sphere, positive when counterclockwise.
    static func area(_ a: SphereVector, _ b: SphereVector, _ c: SphereVector) -> Double {
        let volume = a.dot(b.cross(c))
        let sum = 1 + a.dot(b) + b.dot(c) + c.dot(a)
        return 2 * Trigonometry.angle(x: sum, y: volume)
    }
}
