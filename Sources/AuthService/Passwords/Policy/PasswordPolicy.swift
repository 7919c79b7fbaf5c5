internal import ServiceKit

/// Which passwords are taken.
///
/// Length and whether others use it, nothing else: rules of composition make people choose worse ones
/// (NIST SP 800-63B, section 5.1.1.2). Bytes are hashed exactly as they come, without normalization.
public struct PasswordPolicy: Sendable {
  /// Why a password is not taken.
  public enum Objection: String, Hashable, Sendable {
    /// Fewer than 8 characters, or more than 1,024 bytes.
    case length
    /// Among those that people use most, or one of them with letters replaced.
    case common
    /// The address itself, or a part of it.
    case partOfEmail
  }

  /// Characters of a password, at least: code points, those that can be composed counted once, so that no
  /// keyboard makes a password longer than another one.
  public static let characterCountMin = 8
  /// Bytes of a password, at most.
  public static let byteCountMax = 1024

  /// The shortest part of an address that a password must not be.
  private static let emailPartByteCountMin = 4

  /// Makes the policy.
  public init() {}

  /// The objection to a password for an account with this address; nil if there is none.
  public func objection(to password: String, email: String) -> Objection? {
    guard password.utf8.count <= Self.byteCountMax,
      password.composed.unicodeScalars.count >= Self.characterCountMin
    else { return .length }
    let lower = password.composed.lowercased()
    if PasswordSubstitutions.originals(of: lower).contains(where: CommonPasswords.contain) {
      return .common
    }
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

extension CommonPasswords {
  /// The entries, which lie in order.
  private static let table: [UInt8] = {
    let bytes = Base64URL.decode(entries) ?? []
    precondition(bytes.count == count * entryByteCount, "the list of passwords is damaged")
    return bytes
  }()

  /// Whether a password in lower case is one of them.
  static func contain(_ password: String) -> Bool {
    let wanted = Digests.sha256(password).prefix(entryByteCount)
    var range = 0..<count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      let entry = table[middle * entryByteCount..<(middle + 1) * entryByteCount]
      if entry.elementsEqual(wanted) { return true }
      range =
        entry.lexicographicallyPrecedes(wanted)
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return false
  }
}
