/// How much of something there is for everybody, and how much of that for one of them.
///
/// The one way to bound what all callers use together: a bound without shares lets anyone who comes first take
/// the turn of all others. `scripts/checks/rules` compares these, and the limits that are only of one holder,
/// with the table in docs/reference/threat-model.md.
package struct SharedBound: Sendable {
  /// The holder of a share.
  package enum Holder: String, Sendable {
    case account
    case source
    case device
  }

  /// For all together.
  package let total: Int
  /// For one of them at most; far less than the total.
  package let share: Int
  /// The holder of the share.
  package let holder: Holder

  /// Makes a bound; a share is a tenth of the total at most.
  package init(total: Int, share: Int, ofEach holder: Holder) {
    precondition(share > 0 && share <= total / 10, "a share that is most of a bound is none")
    (self.total, self.share, self.holder) = (total, share, holder)
  }
}
