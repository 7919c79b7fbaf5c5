package import RPCKit

/// Makes the opaque tokens that clients carry for us, and knows its own again.
///
/// A page token is bound to its caller, method and filter: one that someone else got, or that is
/// used with another filter, is refused instead of showing another list's middle. `RequestedPage` has the rule
/// for what it carries.
package final class TokenSealer: Sendable {
  private static let pageMACByteCount = 16
  private static let revisionMACByteCount = 8

  private let key: HMACKey
  private let domain: String
  /// Revisions and their tokens, each in its place: nearly every answer carries the newest one, and all
  /// who watch get the few before it.
  private let recent = Lock([(revision: Int64, token: String)](repeating: (-1, ""), count: 16))

  /// `key` must outlive restarts, or pages break off at each; `domain` is that of the service's reasons.
  package init(key: [UInt8], domain: String) {
    self.key = HMACKey(key)
    self.domain = domain
  }

  // MARK: Revisions

  /// The token of a revision.
  package func token(revision: Int64) -> String {
    let place = Int(truncatingIfNeeded: revision & 15)
    let known = recent.withLock { $0[place].revision == revision ? $0[place].token : nil }
    if let known { return known }
    let bytes = Self.bytes(of: revision)
    let token = Base64URL.encode(bytes + revisionMAC(bytes))
    recent.withLock { $0[place] = (revision, token) }
    return token
  }

  /// The revision of a token; INVALID_ARGUMENT for what we did not make.
  package func revision(token: String) throws(RPCError) -> Int64 {
    guard let bytes = Base64URL.decode(token), bytes.count == 8 + Self.revisionMACByteCount,
      Digests.areEqual(Array(bytes[8...]), revisionMAC(Array(bytes[..<8])))
    else { throw revisionInvalid }
    return Int64(bitPattern: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) })
  }

  private func revisionMAC(_ bytes: [UInt8]) -> [UInt8] {
    let mac = key.code(of: Array("revision".utf8) + [0] + bytes)
    return Array(mac.prefix(Self.revisionMACByteCount))
  }

  private static func bytes(of revision: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: revision >> Int64(56 - 8 * $0)) }
  }

  // MARK: Pages

  /// The binding of a page token.
  package struct PageBinding: Sendable {
    /// The caller, as `Caller.description`.
    let caller: String
    /// The method and every field of the request that says what is listed, which the size of a page does not.
    let filter: [String]

    /// Binds a token to a caller and what it asked for.
    package init(caller: String, filter: [String]) {
      self.caller = caller
      self.filter = filter
    }
  }

  /// The page that is asked for; INVALID_ARGUMENT for a token that is not bound so.
  package func page(
    _ asked: RequestedPage.Asked,
    cursorCount: Int,
    _ binding: PageBinding
  ) throws(RPCError) -> RequestedPage {
    try RequestedPage(
      asked,
      cursorCount: cursorCount,
      open: { open($0, binding) },
      seal: { Base64URL.encode($0 + self.pageMAC($0, binding)) },
      invalid: pageTokenInvalid,
      refused: { ErrorCatalog(domain: domain).invalid("page", $0.reason, $0.problem) }
    )
  }

  private func open(_ token: String, _ binding: PageBinding) -> [UInt8]? {
    guard let bytes = Base64URL.decode(token), bytes.count > Self.pageMACByteCount else {
      return nil
    }
    let body = Array(bytes.dropLast(Self.pageMACByteCount))
    let mac = Array(bytes.suffix(Self.pageMACByteCount))
    return Digests.areEqual(mac, pageMAC(body, binding)) ? body : nil
  }

  private func pageMAC(_ page: [UInt8], _ binding: PageBinding) -> [UInt8] {
    let bound = LengthPrefixedTexts.joined(["page", binding.caller] + binding.filter)
    let mac = key.code(of: bound + page)
    return Array(mac.prefix(Self.pageMACByteCount))
  }

  // MARK: Errors

  private var revisionInvalid: RPCError {
    ErrorCatalog(domain: domain).invalidRequest(
      "REVISION_INVALID",
      "this revision token is not from this service"
    )
  }

  private var pageTokenInvalid: RPCError {
    let problem = "belongs to another caller or request"
    var error = ErrorCatalog(domain: domain).invalidRequest(
      "PAGE_TOKEN_INVALID",
      "page_token \(problem); start from the first page"
    )
    error.details.append(
      .badRequest([FieldViolation(field: "page_token", description: problem)])
    )
    return error
  }
}
