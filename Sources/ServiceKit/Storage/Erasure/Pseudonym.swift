/// The pseudonym of a user who was deleted, where others have a right to know that somebody was there.
///
/// As long as the user's identifier, so that it can take its place inside of what is encoded: a length in
/// front of it stays right. Keyed, so that nobody who knows an identifier can find the pseudonym without the
/// key of AuthService; the same in all services, so that a history still tells one deleted user from another.
public enum Pseudonym {
  /// The beginning of all of them; no identifier has it.
  public static let prefix = "del_"

  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// The pseudonym of a user.
  public static func of(_ userID: String, key: HMACKey) -> String {
    let code = key.code(of: Array("pseudonym \(userID)".utf8))
    let letters = code.map { alphabet[Int($0 & 31)] }
    let count = max(1, min(userID.utf8.count - prefix.utf8.count, letters.count))
    return prefix + String(decoding: letters.prefix(count), as: UTF8.self)
  }
}
