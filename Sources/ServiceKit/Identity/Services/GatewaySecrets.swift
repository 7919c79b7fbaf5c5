internal import RPCKit

/// Secrets with which gateways prove to be one: the file of the setting `gateway_secret`.
///
/// For gateways that can send a fixed header field and sign nothing. Each is `gws_` and at least 256 bits in
/// base64url; the file has one a line, two while they are exchanged. Only digests are kept.
public struct GatewaySecrets: Sendable {
  /// With which every secret begins, so that logs and scanners recognize one, and no service's token is one.
  static let prefix = "gws_"
  /// Secrets in a file, at most.
  static let countMax = 8
  /// Of a new secret, without the prefix.
  private static let randomByteCount = 32
  /// Longest file, in bytes.
  private static let fileByteCountMax = 4096

  private let digests: [[UInt8]]

  /// Reads the text of a file; nil unless it has 1 to 8 secrets and nothing else.
  public init?(_ text: String) {
    let lines = text.split(whereSeparator: \.isNewline)
    guard (1...Self.countMax).contains(lines.count), lines.allSatisfy(Self.isSecret) else {
      return nil
    }
    digests = lines.map { Digests.sha256(String($0)) }
  }

  /// Reads a file; throws with its path, and never with what is in it.
  static func read(_ path: String) throws(ConfigurationError) -> GatewaySecrets {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(path, byteCountMax: fileByteCountMax)
    } catch {
      throw ConfigurationError(error.description)
    }
    guard let secrets = GatewaySecrets(String(decoding: bytes, as: UTF8.self)) else {
      throw ConfigurationError(
        "\(path) must hold 1 to \(countMax) secrets of a gateway, a line each; `gatehouse keys` makes one"
      )
    }
    return secrets
  }

  /// A new secret.
  package static func generate(_ random: any RandomSource) -> String {
    prefix + Base64URL.encode(random.bytes(randomByteCount))
  }

  /// Whether a text is one of the secrets.
  ///
  /// Digests are compared, so the time that it takes says nothing of a secret.
  func contain(_ text: String) -> Bool {
    let digest = Digests.sha256(text)
    return digests.contains(digest)
  }

  private static func isSecret(_ line: Substring) -> Bool {
    guard line.hasPrefix(prefix),
      let bytes = Base64URL.decode(String(line.dropFirst(prefix.count)))
    else { return false }
    return (randomByteCount...1024).contains(bytes.count)
  }
}
