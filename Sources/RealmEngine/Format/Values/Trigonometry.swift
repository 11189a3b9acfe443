import Glibc

/// Trigonometric functions for spherical geometry. Angles are in radians.
enum Trigonometry {
    @inline(__always) static func sine(_ angle: Double) -> Double { sin(angle) }
    @inline(__always) static func cosine(_ angle: Double) -> Double { cos(angle) }
    /// Returns the angle between the x axis and the vector (x, y).
    @inline(__always) static func angle(x: Double, y: Double) -> Double { atan2(y, x) }
}
