/// The letters that `[c]` folds.
package enum CaseRule: String, CaseIterable, Sendable {
    case unicode
    case reference
}
