/// A `Projection` without its generic parameter.
protocol AnyProjection: AnyObject {
    static var rootType: ObjectBase.Type { get }
    var root: ObjectBase { get }
    static func projecting(_ root: ObjectBase) -> Self
}
