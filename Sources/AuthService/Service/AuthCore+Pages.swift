internal import RPCKit
internal import ServiceKit

/// Where lists continue: tokens that only this service can read, each for one caller and one list.
extension AuthCore {
  /// The token of the page after `cursor`; `binding` names the list with everything that chooses what is
  /// in it, and the caller.
  func pageToken(after cursor: String, _ binding: String) -> String {
    let purpose = Self.purpose(binding)
    return Base64URL.encode(secrets.sealing.seal(Array(cursor.utf8), for: purpose, random: random))
  }

  /// The cursor of a token, nil of an empty one; INVALID_ARGUMENT for a token of something else.
  func cursor(of pageToken: String, _ binding: String) throws(RPCError) -> String? {
    guard !pageToken.isEmpty else { return nil }
    guard let sealed = Base64URL.decode(pageToken) else { throw AuthError.pageTokenInvalid }
    do {
      let cursor = try secrets.sealing.open(sealed, for: Self.purpose(binding))
      return String(decoding: cursor, as: UTF8.self)
    } catch {
      throw AuthError.pageTokenInvalid
    }
  }

  /// The same key seals other things: what it opens as a page must have been sealed as one.
  private static func purpose(_ binding: String) -> String { "page \(binding)" }
}
