/// Characters whose case `[c]` ignores: all of Unicode, or those of the reference engine.
package enum CaseRule: String, CaseIterable, Sendable {
    case unicode
    case reference
}
