internal import RPCKit
internal import TextEncodings

/// The names that services prove: `auth`, `tenancy`, `entitlement`, `gateway`.
public enum ServiceName {
  /// How a certificate names a service in a URI (RFC 5280, section 4.2.1.6): `svc://tenancy`.
  static let scheme = "svc://"

  /// The service that a verified certificate names; nil when it names none, or more than one.
  static func certified(_ certificate: PeerCertificate?) -> String? {
    guard let certificate else { return nil }
    let names = certificate.uris.filter { $0.hasPrefix(scheme) }
    guard names.count == 1, let name = names.first?.dropFirst(scheme.count), isName(name) else {
      return nil
    }
    return String(name)
  }

  static func isName(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        byte.isASCIILowercase || byte.isASCIIDigit || byte == UInt8(ascii: "-")
      }
  }
}
