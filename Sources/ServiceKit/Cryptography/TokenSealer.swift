package import RPCKit

/// Makes the opaque tokens that clients carry for us, and knows its own again.
///
/// A page token is bound to its caller, method and filter: one that someone else got, or that is
/// used with another filter, is refused instead of showing another list's middle.
package final class TokenSealer: Sendable {
  private static let pageMACByteCount = 16
  private static let revisionMACByteCount = 8

  private let key: HMACKey
  private let domain: String
  /// Revisions and their tokens, each in its place: nearly every answer carries the newest one, and all
  /// who watch are told of the few before it.
  private let recent = Lock([(revision: Int64, token: String)](repeating: (-1, ""), count: 16))

  /// `key` must outlive restarts, or pages break off at each; `domain` is that of the service's reasons.
  package init(key: [UInt8], domain: String) {
    self.key = HMACKey(key)
    self.domain = domain
  }

  /// A sealer whose key is kept in the store's table `service_secret`; made at the first start.
  package static func stored(
    in store: ServiceStore,
    random: any RandomSource
  ) async throws -> TokenSealer {
    TokenSealer(key: try await store.secret("tokens", random: random), domain: store.domain)
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

  /// What a page token is bound to.
  package struct PageBinding: Sendable {
    /// The caller, as `Caller.description`.
    let caller: String
    /// The method and every field of the request that says what is listed.
    let filter: [String]

    /// Binds a token to a caller and what it asked for.
    package init(caller: String, filter: [String]) {
      self.caller = caller
      self.filter = filter
    }
  }

  /// The token of the page after `cursor`.
  package func pageToken(after cursor: [String], _ binding: PageBinding) -> String {
    let bytes = Self.joined(cursor)
    return Base64URL.encode(bytes + pageMAC(bytes, binding))
  }

  /// The cursor of a token; nil for an empty token; INVALID_ARGUMENT for what is not bound so.
  package func cursor(
    pageToken: String,
    count: Int,
    _ binding: PageBinding
  ) throws(RPCError) -> [String]? {
    guard !pageToken.isEmpty else { return nil }
    guard let bytes = Base64URL.decode(pageToken), bytes.count > Self.pageMACByteCount else {
      throw pageTokenInvalid
    }
    let body = Array(bytes.dropLast(Self.pageMACByteCount))
    guard Digests.areEqual(Array(bytes.suffix(Self.pageMACByteCount)), pageMAC(body, binding)),
      let cursor = Self.split(body), cursor.count == count
    else { throw pageTokenInvalid }
    return cursor
  }

  private func pageMAC(_ cursor: [UInt8], _ binding: PageBinding) -> [UInt8] {
    let bound = Self.joined(["page", binding.caller] + binding.filter)
    let mac = key.code(of: bound + cursor)
    return Array(mac.prefix(Self.pageMACByteCount))
  }

  /// Texts with their lengths in front, so that no two lists join alike.
  private static func joined(_ texts: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for text in texts {
      let count = UInt32(text.utf8.count)
      bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
      bytes += text.utf8
    }
    return bytes
  }

  private static func split(_ bytes: [UInt8]) -> [String]? {
    var texts: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard rest.count >= count else { return nil }
      texts.append(String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    return texts
  }

  // MARK: Errors

  private var revisionInvalid: RPCError {
    RPCError(
      .invalidArgument,
      reason: "REVISION_INVALID",
      domain: domain,
      message: "this revision token is not from this service"
    )
  }

  private var pageTokenInvalid: RPCError {
    let problem = "belongs to another caller or request"
    var error = RPCError(
      .invalidArgument,
      reason: "PAGE_TOKEN_INVALID",
      domain: domain,
      message: "page_token \(problem); start from the first page"
    )
    error.details.append(
      .badRequest([FieldViolation(field: "page_token", description: problem)])
    )
    return error
  }
}
