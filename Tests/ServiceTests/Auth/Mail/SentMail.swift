import PeerContracts
import Glibc
import RPCKit
import ServiceKit
import Testing

@testable import AuthService

/// A mail as its reader sees it: decoded by the RFCs, not by the code that made it.
struct SentMail: Sendable {
  let raw: String
  /// Headers by name, unfolded; encoded words are left as they are.
  let headers: [String: String]
  /// The decoded parts by type: `text/plain`, `text/html`.
  let parts: [String: String]

  var recipient: String { headers["To"] ?? "" }
  var text: String { parts["text/plain"] ?? "" }

  /// The path and the token of its link.
  var link: (path: String, token: String)? {
    guard let match = text.firstMatch(of: #/gatehouse://account/([a-z-]+)#([A-Za-z0-9_-]+)/#) else {
      return nil
    }
    return (String(match.1), String(match.2))
  }

  init(_ raw: String) throws {
    self.raw = raw
    let end = try #require(raw.firstRange(of: "\r\n\r\n"))
    headers = Self.headers(raw[..<end.lowerBound])
    let type = try #require(headers["Content-Type"])
    let boundary = try #require(type.firstMatch(of: #/boundary="([^"]+)"/#)).1
    var parts: [String: String] = [:]
    let pieces = raw[end.upperBound...].split(
      separator: "--\(boundary)",
      omittingEmptySubsequences: false
    )
    #expect(pieces.last == "--\r\n")
    for piece in pieces.dropFirst().dropLast() {
      let end = try #require(piece.firstRange(of: "\r\n\r\n"))
      let headers = Self.headers(piece[..<end.lowerBound])
      #expect(headers["Content-Transfer-Encoding"] == "quoted-printable")
      let type = try #require(headers["Content-Type"]?.split(separator: ";").first)
      parts[String(type)] = try Self.decoded(piece[end.upperBound...])
    }
    self.parts = parts
  }

  private static func headers(_ text: Substring) -> [String: String] {
    var headers: [String: String] = [:]
    for line in String(text).unfolded.split(separator: "\r\n") {
      guard let colon = line.firstRange(of: ": ") else { continue }
      let name = String(line[..<colon.lowerBound])
      #expect(headers[name] == nil, "\(name) is there twice")
      headers[name] = String(line[colon.upperBound...])
    }
    return headers
  }

  /// Quoted-printable text (RFC 2045, section 6.7).
  private static func decoded(_ text: Substring) throws -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "=") else {
        if byte != UInt8(ascii: "\r") { bytes.append(byte) }
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      rest = rest.dropFirst(2)
      if digits != "\r\n" { bytes.append(try #require(UInt8(digits, radix: 16))) }
    }
    return try #require(String(validating: bytes, as: UTF8.self))
  }
}

extension String {
  /// Folded lines as one.
  fileprivate var unfolded: String {
    split(separator: "\r\n ", omittingEmptySubsequences: false).joined(separator: " ")
  }
}

extension AuthStage {
  /// Sends what is due, and takes the mails out of the spool folder.
  func takeMails() async throws -> [SentMail] {
    let core = service.core
    await core.outbox.drain(core.store)
    let folder = try #require(service.settings.mail.spool)
    guard FileBytes.exists(folder) else { return [] }
    return try (FileBytes.names(inFolder: folder, countMax: 10_000) ?? []).map { name in
      #expect(name.hasSuffix(".eml"))
      let bytes = try FileBytes.read("\(folder)/\(name)", byteCountMax: 1 << 20)
      #expect(unsafe unlink("\(folder)/\(name)") == 0)
      return try SentMail(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The token of the one mail with this link that is in the spool folder now; others are taken too.
  func takeToken(_ path: String, to address: String) async throws -> String {
    let mails = try await takeMails().filter { $0.link?.path == path }
    #expect(mails.map(\.recipient) == ["<\(address)>"])
    return try #require(mails.first?.link?.token)
  }

  /// What the audit log has, oldest first: `action object`.
  func audited(_ prefix: String) async throws -> [String] {
    try await service.core.database.read { tx in
      try tx.query("SELECT action, object FROM audit_log ORDER BY sequence") {
        "\($0.text(0)) \($0.text(1))"
      }
    }.filter { $0.hasPrefix(prefix) }
  }

  /// Has an account prove its address in its session; other mails are taken too.
  func verifyAddress(
    of user: Auth_V1.SignInResponse,
    _ email: String = "ada@example.org"
  ) async throws {
    _ = try await accounts.verifyEmail(
      .init(token: try await takeToken("verify-email", to: email)),
      options: with(user)
    )
  }
}
