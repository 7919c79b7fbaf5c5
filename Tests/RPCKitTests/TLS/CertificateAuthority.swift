import Foundation
import RPCKit

/// A certificate with its key, as PEM text in memory.
struct Certified {
  var certificate: [UInt8]
  var key: [UInt8]

  /// As one side's identity, with the intermediates that go with it.
  func identity(chain: [Certified] = []) -> TLSConfiguration.Identity {
    TLSConfiguration.Identity(
      certificateChain: .bytes(chain.reduce(certificate) { $0 + $1.certificate }),
      privateKey: .bytes(key)
    )
  }

  /// As a trust root.
  var root: TLSConfiguration.PEMSource { .bytes(certificate) }
}

/// Issues certificates with the `openssl` command, in a folder that lasts only as long as the
/// authority does.
///
/// `openssl ca` is used throughout, because it alone takes explicit dates.
final class CertificateAuthority {
  struct Failure: Error {
    var step: String
  }

  /// What distinguishes one certificate from another.
  struct Request {
    var commonName: String
    var extensions: [String]
    var notBefore = "20200101000000Z"
    var notAfter = "20490101000000Z"
    var digest = "sha256"
    var keyOptions = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
  }

  private let folder: URL
  private var count = 0

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("rpckit-certificates-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try write("", to: "index.txt")
    try write(
      """
      [req]
      distinguished_name = name
      [name]
      [ca]
      default_ca = authority
      [authority]
      database = index.txt
      new_certs_dir = .
      policy = policy
      rand_serial = yes
      unique_subject = no
      email_in_dn = no
      [policy]
      commonName = supplied
      """,
      to: "openssl.cnf"
    )
  }

  deinit {
    // Nothing depends on it: the folder is in a place that the system empties.
    try? FileManager.default.removeItem(at: folder)
  }

  /// Issues a certificate; one without an issuer signs itself.
  func issue(_ request: Request, by issuer: Certified? = nil) throws -> Certified {
    count += 1
    let name = "\(count)"
    try openssl(
      ["req", "-new", "-nodes", "-config", "openssl.cnf", "-subj", "/CN=\(request.commonName)"]
        + ["-keyout", "\(name).key", "-out", "\(name).csr"] + request.keyOptions
    )
    try write(request.extensions.joined(separator: "\n") + "\n", to: "\(name).ext")
    var arguments = ["ca", "-batch", "-notext", "-config", "openssl.cnf"]
    arguments += ["-startdate", request.notBefore, "-enddate", request.notAfter]
    arguments += ["-md", request.digest, "-extfile", "\(name).ext"]
    arguments += ["-in", "\(name).csr", "-out", "\(name).pem"]
    if let issuer {
      try Data(issuer.certificate).write(to: folder.appendingPathComponent("issuer.pem"))
      try Data(issuer.key).write(to: folder.appendingPathComponent("issuer.key"))
      arguments += ["-cert", "issuer.pem", "-keyfile", "issuer.key"]
    } else {
      arguments += ["-selfsign", "-keyfile", "\(name).key"]
    }
    try openssl(arguments)
    return Certified(certificate: try read("\(name).pem"), key: try read("\(name).key"))
  }

  private func openssl(_ arguments: [String]) throws {
    guard ForeignProgram.run(["openssl"] + arguments, directory: folder) != nil else {
      throw Failure(step: arguments.joined(separator: " "))
    }
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  private func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }
}
