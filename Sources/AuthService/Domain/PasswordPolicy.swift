internal import ServiceKit

/// Which passwords are taken.
///
/// Length and whether others use it, nothing else: rules of composition make people choose worse ones
/// (NIST SP 800-63B, section 5.1.1.2). Bytes are taken exactly as they come, without normalization.
public struct PasswordPolicy: Sendable {
  /// Why a password is not taken.
  public enum Objection: String, Hashable, Sendable {
    /// Fewer than 8 bytes, or more than 256.
    case length
    /// Among the 10,000 that people use most.
    case common
    /// The address itself, or a part of it.
    case partOfEmail
  }

  /// Bytes of a password, at least and at most.
  public static let byteCounts = 8...256

  /// The shortest part of an address that a password must not be.
  private static let emailPartByteCountMin = 4

  private static let common: Set<[UInt8]> = {
    let bytes = Base64URL.decode(CommonPasswords.entries) ?? []
    let count = CommonPasswords.entryByteCount
    precondition(!bytes.isEmpty && bytes.count % count == 0, "the list of passwords is damaged")
    return Set(stride(from: 0, to: bytes.count, by: count).map { Array(bytes[$0..<$0 + count]) })
  }()

  /// Makes the policy.
  public init() {}

  /// What speaks against a password for an account with this address; nil if nothing does.
  public func objection(to password: String, email: String) -> Objection? {
    guard Self.byteCounts.contains(password.utf8.count) else { return .length }
    let lower = password.lowercased()
    let digest = Digests.sha256(lower)
    if Self.common.contains(Array(digest.prefix(CommonPasswords.entryByteCount))) { return .common }
    return Self.parts(of: email.lowercased()).contains(lower) ? .partOfEmail : nil
  }

  /// The address, both its sides, and the words of both.
  private static func parts(of email: String) -> Set<String> {
    var parts: Set<String> = [email]
    for side in email.split(separator: "@") {
      parts.insert(String(side))
      for word in side.split(whereSeparator: { ".-_+".contains($0) }) { parts.insert(String(word)) }
    }
    return parts.filter { $0.utf8.count >= emailPartByteCountMin }
  }
}
