package import PeerContracts

/// The seal of a compliance report: a digest of its lines, and a signature of that.
package struct ReportSeal: Hashable, Sendable {
  /// Lines before it.
  package let lineCount: UInt64
  /// SHA-256 of the lines with their line feeds, in hexadecimal digits.
  package let digest: String
  /// Names the key of the signature.
  package let keyID: String
  /// The signature in base64url.
  package let signature: String

  /// The purpose in a signature besides the digest, so that it is one of nothing else.
  private static let purpose = "gatehouse-report-v1:"

  /// Signs the digest of some lines.
  package init(lineCount: UInt64, digest: [UInt8], by key: SigningKey) {
    self.lineCount = lineCount
    self.digest = Self.text(ofDigest: digest)
    keyID = key.id
    signature = Base64URL.encode(key.sign(Array((Self.purpose + self.digest).utf8)))
  }

  /// The seal of a stream.
  package init(_ message: Tenancy_V1.ReportSeal) {
    lineCount = message.lineCount
    digest = message.sha256
    keyID = message.keyId
    signature = message.signature
  }

  /// The seal of a file; nil for a line that is none.
  package init?(_ line: ReportLine) {
    var parts: [String: String] = [:]
    for part in line[.detail].split(separator: " ") {
      let pair = part.split(separator: ":", maxSplits: 1)
      if pair.count == 2 { parts[String(pair[0])] = String(pair[1]) }
    }
    guard line.kind == .seal, let count = UInt64(line[.count]), let digest = parts["sha256"],
      let key = parts["key"], let signature = parts["signature"]
    else { return nil }
    (lineCount, self.digest, keyID, self.signature) = (count, digest, key, signature)
    guard self.line == line else { return nil }
  }

  /// The last line of a file.
  package var line: ReportLine {
    var line = ReportLine(.seal)
    line[.count] = "\(lineCount)"
    line[.detail] = "sha256:\(digest) key:\(keyID) signature:\(signature)"
    return line
  }

  /// For a stream.
  package var message: Tenancy_V1.ReportSeal {
    .init(lineCount: lineCount, sha256: digest, keyId: keyID, signature: signature)
  }

  /// Whether it is that of some lines, no matter who signed it.
  package func matches(lineCount: UInt64, digest: [UInt8]) -> Bool {
    self.lineCount == lineCount && self.digest == Self.text(ofDigest: digest)
  }

  /// Whether a key has signed it.
  package func isSigned(by key: VerificationKey) -> Bool {
    // Only as it was written: the last letter has bits that no byte needs.
    guard key.id == keyID, let bytes = Base64URL.decode(signature),
      Base64URL.encode(bytes) == signature
    else { return false }
    return key.verify(bytes, of: Array((Self.purpose + digest).utf8))
  }

  private static func text(ofDigest digest: [UInt8]) -> String {
    digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
