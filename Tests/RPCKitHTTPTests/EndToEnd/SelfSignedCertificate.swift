import Foundation
import RPCKit
import Testing

/// A certificate for 127.0.0.1 that is its own authority, made with the `openssl` command in a folder that lasts
/// as long as the certificate.
final class SelfSignedCertificate: Sendable {
  /// Where the certificate is, for clients that are to trust it.
  let path: String
  private let keyPath: String
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "rpckit-certificate-\(UUID().uuidString)")
    path = folder.appending(path: "certificate.pem").path
    keyPath = folder.appending(path: "key.pem").path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let output = ForeignProgram.run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
      "-addext", "extendedKeyUsage=serverAuth", "-keyout", keyPath,
      "-out", path,
    ])
    try #require(output != nil)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// As the identity of a server.
  var identity: TLSConfiguration.Identity {
    TLSConfiguration.Identity(certificateChain: .file(path), privateKey: .file(keyPath))
  }

  /// Where a server listens that has it, and speaks frames and `wires`.
  func endpoint(_ wires: [any ServerWire]) throws -> ServerConfiguration.Endpoint {
    var tls = TLSConfiguration(role: .server(identity, clients: .none))
    tls.applicationProtocols += wires.flatMap(\.applicationProtocols)
    return .init(.ipv4([127, 0, 0, 1], port: 0), tls: try TLSContextSource(tls))
  }
}
