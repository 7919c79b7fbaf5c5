internal import RPCKit
internal import ServiceKit

/// Makes the opaque tokens that clients carry for us, and knows its own again.
///
/// A page token is bound to its caller, method and filter: one that someone else got, or that is
/// used with another filter, is refused instead of showing another list's middle.
final class TokenSealer: Sendable {
  private static let pageMACByteCount = 16
  private static let revisionMACByteCount = 8

  private let key: [UInt8]
  /// The newest revision and its token: nearly every answer carries the same one.
  private let newest = Lock<(revision: Int64, token: String)>((-1, ""))

  /// `key` must outlive restarts, or pages break off at each.
  init(key: [UInt8]) { self.key = key }

  // MARK: Revisions

  /// The token of a revision.
  func token(revision: Int64) -> String {
    if let token = newest.withLock({ $0.revision == revision ? $0.token : nil }) { return token }
    let bytes = Self.bytes(of: revision)
    let token = Base64URL.encode(bytes + revisionMAC(bytes))
    newest.withLock { if $0.revision < revision { $0 = (revision, token) } }
    return token
  }

  /// The revision of a token; INVALID_ARGUMENT for what we did not make.
  func revision(token: String) throws(RPCError) -> Int64 {
    guard let bytes = Base64URL.decode(token), bytes.count == 8 + Self.revisionMACByteCount,
      Digests.areEqual(Array(bytes[8...]), revisionMAC(Array(bytes[..<8])))
    else { throw TenancyError.revisionInvalid }
    return Int64(bitPattern: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) })
  }

  private func revisionMAC(_ bytes: [UInt8]) -> [UInt8] {
    let mac = Digests.hmacSHA256(key: key, Array("revision".utf8) + [0] + bytes)
    return Array(mac.prefix(Self.revisionMACByteCount))
  }

  private static func bytes(of revision: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: revision >> Int64(56 - 8 * $0)) }
  }

  // MARK: Pages

  /// What a page token is bound to.
  struct PageBinding: Sendable {
    /// The caller, as `Caller.description`.
    let caller: String
    /// The method and every field of the request that says what is listed.
    let filter: [String]
  }

  /// The token of the page after `cursor`.
  func pageToken(after cursor: [String], _ binding: PageBinding) -> String {
    let bytes = Self.joined(cursor)
    return Base64URL.encode(bytes + pageMAC(bytes, binding))
  }

  /// The cursor of a token; nil for an empty token; INVALID_ARGUMENT for what is not bound so.
  func cursor(
    pageToken: String,
    count: Int,
    _ binding: PageBinding
  ) throws(RPCError) -> [String]? {
    guard !pageToken.isEmpty else { return nil }
    guard let bytes = Base64URL.decode(pageToken), bytes.count > Self.pageMACByteCount else {
      throw TenancyError.pageTokenInvalid
    }
    let body = Array(bytes.dropLast(Self.pageMACByteCount))
    guard Digests.areEqual(Array(bytes.suffix(Self.pageMACByteCount)), pageMAC(body, binding)),
      let cursor = Self.split(body), cursor.count == count
    else { throw TenancyError.pageTokenInvalid }
    return cursor
  }

  private func pageMAC(_ cursor: [UInt8], _ binding: PageBinding) -> [UInt8] {
    let bound = Self.joined(["page", binding.caller] + binding.filter)
    let mac = Digests.hmacSHA256(key: key, bound + cursor)
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
}
