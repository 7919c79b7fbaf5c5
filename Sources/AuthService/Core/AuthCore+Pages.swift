internal import RPCKit
internal import ServiceKit

/// Where lists continue: tokens that only this service can read, each for one caller and one list.
extension AuthCore {
  /// The page that is asked for; INVALID_ARGUMENT for a token of something else.
  ///
  /// `binding` names the list with everything that chooses what is in it, and the caller.
  func page(
    _ asked: RequestedPage.Asked,
    _ binding: String,
    cursorCount: Int = 1
  ) throws(RPCError) -> RequestedPage {
    let (sealing, random, purpose) = (secrets.sealing, random, Self.purpose(binding))
    return try RequestedPage(
      asked,
      cursorCount: cursorCount,
      open: { token in
        Base64URL.decode(token).flatMap { try? sealing.open($0, for: purpose) }
      },
      seal: { Base64URL.encode(sealing.seal($0, for: purpose, random: random)) },
      invalid: AuthError.pageTokenInvalid,
      refused: { ErrorCatalog.auth.invalid("page", $0.reason, $0.problem) }
    )
  }

  /// The same key seals other things: what it opens as a page must have been sealed as one.
  private static func purpose(_ binding: String) -> String { "page \(binding)" }
}
