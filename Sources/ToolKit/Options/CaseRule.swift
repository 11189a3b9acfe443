/// The letters whose case `[c]` in a query ignores: all of Unicode, or only the letters for which
/// the reference engine ignores it.
package enum CaseRule: String, CaseIterable, Sendable {
    case unicode
    case reference
}
