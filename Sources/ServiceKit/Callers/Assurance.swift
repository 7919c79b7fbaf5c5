/// How strongly a user has proved to be who they are, as an access token says: its `acr` and `purpose`.
///
/// Four of the classes are a ladder, and each satisfies those below it (OpenID Connect Extended
/// Authentication Profile for the last two): `pwd` (a password) < `mfa` (a second factor) < `phr`
/// (a passkey) < `phrh` (a passkey that cannot leave its hardware). `pin` and `fed` (another provider's
/// word) stand beside it: each satisfies only a step-up of its own name. A PIN is short and is typed in
/// front of other people, so it never counts as a second factor.
public struct Assurance: Hashable, Sendable {
  /// The class of the proof: `pwd`, `mfa`.
  public let acr: String
  /// The one thing an elevated token is good for: an action of a policy or the full name of a method; nil
  /// for every other token.
  public let purpose: String?

  /// The ladder, weakest first.
  public static let ladder = ["pwd", "mfa", "phr", "phrh"]

  /// Says what a token says.
  public init(acr: String, purpose: String? = nil) {
    self.acr = acr
    self.purpose = purpose
  }

  /// Whether a proof of this class satisfies a step-up, whatever the token's purpose is.
  public func satisfies(_ stepUp: String) -> Bool {
    guard acr != stepUp else { return true }
    guard let place = Self.ladder.firstIndex(of: acr),
      let needed = Self.ladder.firstIndex(of: stepUp)
    else { return false }
    return place >= needed
  }

  /// Whether the token satisfies the step-up of a method, given by its full name.
  ///
  /// `fresh` takes any proof but that of an elevated token. How old the proof is, others look at.
  func satisfies(_ stepUp: String, of method: String) -> Bool {
    guard stepUp != "fresh" else { return purpose == nil }
    return (purpose == nil || purpose == method) && satisfies(stepUp)
  }

  /// The classes that satisfy a step-up, the weakest first: what RFC 9470 (section 3) calls `acr_values`, in
  /// the order of preference.
  ///
  /// None for `fresh`, which any class satisfies.
  public static func satisfying(_ stepUp: String) -> [String] {
    guard stepUp != "fresh" else { return [] }
    return ladder.firstIndex(of: stepUp).map { Array(ladder[$0...]) } ?? [stepUp]
  }

  /// Whether it proves more than a sign-in by password does: something that a step-up could ask for.
  var isElevated: Bool { acr != "pwd" || purpose != nil }
}

extension Assurance {
  /// As one text, for the store: `mfa`, or `pin family.enter_parent_mode`.
  public var text: String { purpose.map { "\(acr) \($0)" } ?? acr }

  /// Reads what `text` wrote.
  public init(text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    self.init(
      acr: parts.first.map { String($0) } ?? "",
      purpose: parts.count > 1 ? String(parts[1]) : nil
    )
  }
}
