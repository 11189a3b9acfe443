/// A function of one property of each object, as an option of a tool spells it: `month(created)`,
/// `floor(age, 10)`.
package struct FieldFunction: Sendable {
    package let function: ScalarFunction
    /// Key path of the property to which the function is applied, as written in the text: `created`
    /// in `month(created)`.
    package let path: String
    private let width: Value
    private let zone: ZoneRules

    /// Parses an option's text; nil if the text calls no function.
    ///
    /// - Throws: `misuse` for a function with a mistake.
    package init?(_ text: String, _ zone: ZoneRules) throws(RealmError) {
        guard let operand = try QueryOperand.function(text),
            case .function(let call) = operand.kind
        else { return nil }
        guard case .property(let property) = call.operand.kind, property.suffix == .none else {
            throw .misuse(
                "\(call.function.rawValue)() of a field needs a property",
                code: "InvalidArgument", reason: "unsuitable-property")
        }
        (function, width, self.zone) = (call.function, call.widthValue, zone)
        path = "\(property.path)"
    }

    /// Whether the function is defined for properties of a type.
    package func takes(_ type: ColumnType) -> Bool {
        function.takes(OperandType(type, target: .none))
    }

    /// Makes a function object that computes the function for one object after the other. It owns
    /// the texts that it computes, so each thread or cursor needs its own one.
    package func bound() -> BoundFunction { BoundFunction(function, zone, width: width) }
}
