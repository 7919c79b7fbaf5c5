import RPCKit
import Testing

@Suite struct RedactionTests {
  private static let canary = "CANARY-7f3a91"

  private func line(_ message: String, _ fields: LogFields = [:]) throws -> String {
    let sink = CollectingSink()
    Logger(label: "test", level: .info, sink: sink, limiter: nil).info(message, fields)
    return try #require(sink.lines.first)
  }

  @Test(
    "The value of a secret-sounding field is never written",
    arguments: [
      "authorization", "Authorization", "proxy-authorization", "password", "userPassword", "token",
      "refresh_token", "refreshToken", "REFRESH_TOKEN", "access-token", "pin", "door_pin",
      "secret", "client_secret", "cookie", "Set-Cookie", "private_key", "privateKey", "api_key",
      "header.authorization", "otp", "token:", "refresh/token", "token[0]", "password2",
      "HTTPToken",
      "x~token", "(pin)",
    ]
  )
  func field_secretKey_isRedacted(key: String) throws {
    let line = try line("m", [key: .string(Self.canary)])
    #expect(!line.contains(Self.canary))
    #expect(line.hasSuffix("\"\(key)\":\"[redacted]\"}"))
    let number: LogFields = [key: 271_828]
    #expect(try !self.line("m", number).contains("271828"))
  }

  @Test(
    "Harmless fields are written",
    arguments: ["key", "pinned", "token_count", "spinner", "id"]
  )
  func field_harmlessKey_isKept(key: String) throws {
    #expect(try line("m", [key: .string(Self.canary)]).contains(Self.canary))
  }

  private static let webToken =
    "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJDQU5BUlkifQ.c2lnbmF0dXJlLUNBTkFSWQ"

  @Test(
    "A value that holds a credential is replaced as a whole",
    arguments: [
      "Bearer \(canary)", "bearer \(canary)", "BEARER x", "Authorization: Bearer \(canary)",
      webToken, "token=\(webToken)", "(\(webToken))", "\"\(webToken)\"",
      "-----BEGIN PRIVATE KEY-----\n\(canary)",
    ]
  )
  func value_credential_isRedacted(value: String) throws {
    #expect(try line("m", ["value": .string(value)]).hasSuffix("\"value\":\"[redacted]\"}"))
  }

  /// One credential of each kind.
  private static let credentials = [
    webToken, "Bearer \(canary)", "bearer:\(canary)", "Bearer\t\(canary)", "BEARER=\"\(canary)\"",
    "-----BEGIN PRIVATE KEY-----\n\(canary)",
  ]

  @Test("A credential is found between any two ASCII characters", arguments: credentials)
  func credential_betweenAnyCharacters_isRedacted(credential: String) throws {
    for before in UInt8(0)..<128 {
      for after in UInt8(0)..<128 {
        let text =
          "x" + String(UnicodeScalar(before)) + credential + String(UnicodeScalar(after)) + "y"
        let value = try line("m", ["value": .string(text)])
        try #require(value.hasSuffix("\"value\":\"[redacted]\"}"), "\(before) \(after)")
        let message = try line(text)
        try #require(
          !message.contains("CANARY") && !message.contains("eyJ"),
          "\(before) \(after): \(message)"
        )
      }
    }
  }

  @Test("A text that begins like a token again and again takes time in proportion to its length")
  func message_ofBeginnings_isReadInOnePass() throws {
    // Quadratic, this would be 10¹⁰ steps.
    let message = String(repeating: "eyJ", count: 100_000) + " " + String(repeating: "b", count: 9)
    #expect(try line(message).contains("eyJ"))
  }

  @Test("A credential in a message is cut out and the rest stays")
  func message_credential_isCutOut() throws {
    let line = try line("got Bearer \(Self.canary) and \(Self.webToken), twice \(Self.webToken).")
    #expect(line.contains("\"got [redacted] and [redacted], twice [redacted]"))
    #expect(!line.contains("CANARY") && !line.contains("eyJ"))
  }

  @Test(
    "Prose is left alone",
    arguments: ["the bearer of", "eyJust kidding", "a.b.c", "", "Bearer", "eyJ.x", "été eyJ"]
  )
  func message_prose_isKept(message: String) throws {
    #expect(try line(message).contains("\"message\":\"\(message)\""))
  }

  @Test("A suppressed message is redacted in its summary as well")
  func summary_credential_isCutOut() {
    let sink = CollectingSink()
    let limiter = LogRateLimiter(linesPerSecondMax: 1)
    let logger = Logger(label: "test", level: .info, sink: sink, limiter: limiter)
    for _ in 0..<3 { logger.info("got Bearer \(Self.canary)") }
    logger.flush()
    #expect(sink.lines.count >= 2)
    #expect(!sink.lines.contains { $0.contains(Self.canary) })
  }
}
