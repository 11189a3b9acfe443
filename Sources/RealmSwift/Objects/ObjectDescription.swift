import Foundation

/// Objects as text: their properties, and those of objects they link to, five deep.
enum ObjectDescription {
    private static let deepest = 5

    static func text(_ object: ObjectBase) -> String { text(object, depth: deepest) }

    private static func text(_ object: ObjectBase, depth: Int) -> String {
        let model = ClassModel.of(type(of: object))
        if object.isInvalidated { return "[invalid object]" }
        if depth == 0 { return "<Maximum depth exceeded>" }
        let lines = model.fields.filter { !$0.isLinkingObjects }.map { field in
            let value = field.wrapper.any(at: object.place(of: field), object)
            let text = text(value, depth: depth - 1)
            return "\t\(field.name) = \(text.replacingOccurrences(of: "\n", with: "\n\t"));\n"
        }
        return "\(model.swiftName) {\n\(lines.joined())}"
    }

    private static func text(_ value: Any?, depth: Int) -> String {
        switch value {
        case nil: "(null)"
        case let object as ObjectBase: text(object, depth: depth)
        case let flag as Bool: flag ? "1" : "0"
        case let other?: "\(other)"
        }
    }
}
