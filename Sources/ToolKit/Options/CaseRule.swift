/// Characters whose case `[c]` ignores: all of Unicode, or the ones that the reference engine folds.
package enum CaseRule: String, CaseIterable, Sendable {
    case unicode
    case reference
}
