/// Who or what has entitlements.
public struct Subject: Hashable, Sendable {
  /// What kind of subject it is; the raw value is what stores keep.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A person.
    case user
    /// An organization.
    case organization
    /// A portfolio.
    case portfolio
  }

  /// What kind of subject it is.
  public let kind: Kind
  /// Its identifier.
  public let id: String

  /// Makes a subject.
  public init(_ kind: Kind, _ id: String) {
    self.kind = kind
    self.id = id
  }

  /// A user.
  public static func user(_ id: String) -> Subject { Subject(.user, id) }
}
