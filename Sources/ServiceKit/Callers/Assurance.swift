/// How strongly a user has proved to be who they are, as an access token says: its `acr` and what it is for.
///
/// Four of the classes are a ladder, and each satisfies those below it (OpenID Connect Extended
/// Authentication Profile for the last two): `pwd` (a password) < `mfa` (a second factor) < `phr`
/// (a passkey) < `phrh` (a passkey that cannot leave its hardware). `pin`, `family_pin` and `fed` (another
/// provider's word) stand beside it: each satisfies only a step-up of its own name. A PIN is short and is
/// typed in front of other people, so it never counts as a second factor.
///
/// What asks for `pin` wants to know that the adult is there. So the PIN of a family satisfies it too, and
/// so does a passkey, which takes its owner's PIN or biometric, for five minutes.
public struct Assurance: Hashable, Sendable {
  /// The class of the proof: `pwd`, `mfa`.
  public let acr: String
  /// The one thing an elevated token is good for: an action of a policy or the full name of a method; nil
  /// for every other token.
  public let purpose: String?
  /// The object at or below which it is good for that; nil for everywhere.
  public let object: String?
  /// Whether the proof is at most five minutes old.
  public let isRecent: Bool

  /// The class of sessions that a parent began for a child: it satisfies nothing.
  public static let child = "child"

  /// The ladder, weakest first.
  public static let ladder = ["pwd", "mfa", "phr", "phrh"]

  /// How old a recent proof is at most, in milliseconds.
  static let recentAgeMax: Int64 = 5 * 60_000

  /// Says what a token says.
  public init(
    acr: String,
    purpose: String? = nil,
    object: String? = nil,
    isRecent: Bool = false
  ) {
    self.acr = acr
    self.purpose = purpose
    self.object = object
    self.isRecent = isRecent
  }

  /// Whether a proof of this class satisfies a step-up, whatever the token's purpose is.
  public func satisfies(_ stepUp: String) -> Bool {
    guard acr != stepUp else { return true }
    if stepUp == "pin" { return acr == "family_pin" || isRecent && satisfies("phr") }
    guard let place = Self.ladder.firstIndex(of: acr),
      let needed = Self.ladder.firstIndex(of: stepUp)
    else { return false }
    return place >= needed
  }

  /// Whether the token satisfies the step-up of a method, given by its full name.
  ///
  /// `fresh` takes any proof but that of an elevated token and of a child, for whom a parent proved it. How old
  /// the proof is, others look at.
  public func satisfies(_ stepUp: String, of method: String) -> Bool {
    guard stepUp != "fresh" else { return purpose == nil && acr != Self.child }
    return (purpose == nil || purpose == method && object == nil) && satisfies(stepUp)
  }

  /// The classes that satisfy a step-up, the weakest first: what RFC 9470 (section 3) calls `acr_values`, in
  /// the order of preference.
  ///
  /// None for `fresh`, which any class satisfies.
  public static func satisfying(_ stepUp: String) -> [String] {
    guard stepUp != "fresh" else { return [] }
    guard stepUp != "pin" else { return ["pin", "family_pin", "phr", "phrh"] }
    return ladder.firstIndex(of: stepUp).map { Array(ladder[$0...]) } ?? [stepUp]
  }

  /// Whether it proves more than a sign-in by password does: something that a step-up could ask for.
  var isElevated: Bool { acr != "pwd" || purpose != nil }
}

extension Assurance {
  /// As one text, for the store: `mfa`, `phr recent`, or `pin family.enter_parent_mode`; with the object
  /// behind that.
  ///
  /// A recent proof stays recent: it is what was proved when the text was written.
  public var text: String {
    let parts = [acr, purpose ?? (isRecent ? Self.recent : nil), purpose == nil ? nil : object]
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  /// Reads what `text` wrote.
  public init(text: String) {
    let parts = text.split(separator: " ", maxSplits: 2).map { String($0) }
    let isRecent = parts.count == 2 && parts[1] == Self.recent
    self.init(
      acr: parts.first ?? "",
      purpose: parts.count > 1 && !isRecent ? parts[1] : nil,
      object: parts.count > 2 ? parts[2] : nil,
      isRecent: isRecent
    )
  }

  /// No action has this name, since a policy's have a dot.
  private static let recent = "recent"
}
