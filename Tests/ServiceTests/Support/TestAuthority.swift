import Foundation
import ServiceKit

/// A certificate (DER) and the file of its key.
struct TestCertificate {
  var der: [UInt8]
  var name: String
}

/// An authority of Apple's shape: a root, an intermediate and leaves with Apple's markers, made with
/// the `openssl` command in a folder that lasts as long as the authority.
final class TestAuthority: @unchecked Sendable {
  // @unchecked: nothing changes after `init`.

  struct Failure: Error {
    var step: String
  }

  /// What distinguishes one certificate from another.
  struct Request {
    var name: String
    var extensions: [String]
    var notBefore = "20210101000000Z"
    var notAfter = "20360101000000Z"
    var curve = "P-384"
    var digest = "sha384"
  }

  static let leafMarker = "1.2.840.113635.100.6.11.1=DER:0500"
  static let intermediateMarker = "1.2.840.113635.100.6.2.1=DER:0500"

  /// One for all tests: making it takes half a second.
  static let shared = Result { try TestAuthority() }

  private(set) var root: TestCertificate
  private(set) var intermediate: TestCertificate
  private(set) var leaf: TestCertificate
  /// Same names, other keys.
  private(set) var otherRoot: TestCertificate
  private(set) var otherIntermediate: TestCertificate
  private(set) var otherLeaf: TestCertificate
  /// Without marker.
  private(set) var plainLeaf: TestCertificate
  private(set) var plainIntermediate: TestCertificate
  private(set) var leafOfPlain: TestCertificate
  /// On another curve.
  private(set) var wideLeaf: TestCertificate
  /// Signed by the root itself.
  private(set) var directLeaf: TestCertificate
  /// Below another intermediate.
  private(set) var deepIntermediate: TestCertificate
  private(set) var deepLeaf: TestCertificate
  /// Below a certificate that is no authority.
  private(set) var leafOfLeaf: TestCertificate
  /// Without subject key identifier, as the root of Apple's own test authority.
  private(set) var looseRoot: TestCertificate
  private(set) var looseIntermediate: TestCertificate
  private(set) var looseLeaf: TestCertificate

  /// Signed with SHA-1, as the certificates of old receipts; valid until 2026.
  private(set) var oldIntermediate: TestCertificate
  private(set) var oldLeaf: TestCertificate

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("gatehouse-apple-\(UUID().uuidString)")
    let issuer = try Issuer(folder: folder)
    let authority = [
      "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign",
      "subjectKeyIdentifier=hash",
    ]
    let below = authority + ["authorityKeyIdentifier=keyid"]
    let signer = [
      "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature",
      "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid",
    ]
    func makeRoot(_ extensions: [String]) throws -> TestCertificate {
      try issuer.issue(
        Request(
          name: "Root",
          extensions: extensions,
          notBefore: "20140430181906Z",
          notAfter: "20390430181906Z"
        )
      )
    }
    func makeLeaf(_ extensions: [String], _ curve: String = "P-256") -> Request {
      Request(
        name: "Signer",
        extensions: signer + extensions,
        notBefore: "20240101000000Z",
        notAfter: "20271013000000Z",
        curve: curve
      )
    }
    let middle = Request(name: "Middle", extensions: below + [Self.intermediateMarker])
    let marked = makeLeaf([Self.leafMarker])
    root = try makeRoot(authority)
    intermediate = try issuer.issue(middle, by: root)
    leaf = try issuer.issue(marked, by: intermediate)
    otherRoot = try makeRoot(authority)
    otherIntermediate = try issuer.issue(middle, by: otherRoot)
    otherLeaf = try issuer.issue(marked, by: otherIntermediate)
    plainLeaf = try issuer.issue(
      makeLeaf(["1.2.840.113635.100.6.11.2=DER:0500"]),
      by: intermediate
    )
    plainIntermediate = try issuer.issue(
      Request(name: "Plain", extensions: below + ["1.2.840.113635.100.6.2.2=DER:0500"]),
      by: root
    )
    leafOfPlain = try issuer.issue(marked, by: plainIntermediate)
    wideLeaf = try issuer.issue(makeLeaf([Self.leafMarker], "P-384"), by: intermediate)
    directLeaf = try issuer.issue(marked, by: root)
    deepIntermediate = try issuer.issue(
      Request(name: "Deep", extensions: below + [Self.intermediateMarker]),
      by: intermediate
    )
    deepLeaf = try issuer.issue(marked, by: deepIntermediate)
    leafOfLeaf = try issuer.issue(makeLeaf([Self.leafMarker]), by: leaf)
    looseRoot = try makeRoot(Array(authority.prefix(2)) + ["subjectKeyIdentifier=none"])
    looseIntermediate = try issuer.issue(
      Request(
        name: "Loose",
        extensions: Array(authority.prefix(2))
          + ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none", Self.intermediateMarker]
      ),
      by: looseRoot
    )
    looseLeaf = try issuer.issue(
      Request(
        name: "Loose signer",
        extensions: Array(signer.prefix(2))
          + ["subjectKeyIdentifier=none", "authorityKeyIdentifier=none", Self.leafMarker],
        notBefore: "20240101000000Z",
        notAfter: "20271013000000Z",
        curve: "P-256"
      ),
      by: looseIntermediate
    )
    func old(_ request: Request) -> Request {
      var request = request
      (request.notBefore, request.notAfter) = ("20150101000000Z", "20260101000000Z")
      request.digest = "sha1"
      return request
    }
    oldIntermediate = try issuer.issue(old(middle), by: root)
    oldLeaf = try issuer.issue(old(marked), by: oldIntermediate)
  }

  deinit {
    // Nothing depends on it: the folder is in a place that the system empties.
    try? FileManager.default.removeItem(at: folder)
  }

  /// r and s of an ES256 signature.
  func sign(_ message: [UInt8], with certificate: TestCertificate) throws -> [UInt8] {
    // In this process when it can be: tests sign by the hundred. Keys of other curves cannot.
    let pem = try Data(contentsOf: folder.appendingPathComponent("\(certificate.name).key"))
    if let key = try? SigningKey(pem: [UInt8](pem)) { return key.sign(message) }
    let input = folder.appendingPathComponent("message-\(UUID().uuidString)")
    try Data(message).write(to: input)
    defer { try? FileManager.default.removeItem(at: input) }
    let der = try OpenSSLCommand.run(
      ["dgst", "-sha256", "-sign", "\(certificate.name).key", input.path],
      in: folder
    )
    return try Self.number(der, at: 3) + Self.number(der, at: 5 + Int(der[3]))
  }

  /// A CMS message (DER) that `signer` signs, with these certificates in it besides the signer's own.
  func message(
    _ content: [UInt8],
    signedBy signer: TestCertificate,
    with certificates: [TestCertificate],
    _ arguments: [String] = []
  ) throws -> [UInt8] {
    let name = "message-\(UUID().uuidString)"
    let (input, chain) = (
      folder.appendingPathComponent(name), folder.appendingPathComponent("\(name).pem")
    )
    defer {
      try? FileManager.default.removeItem(at: input)
      try? FileManager.default.removeItem(at: chain)
    }
    try Data(content).write(to: input)
    var pem = Data()
    for certificate in certificates {
      pem += try Data(contentsOf: folder.appendingPathComponent("\(certificate.name).pem"))
    }
    try pem.write(to: chain)
    var command = ["cms", "-sign", "-binary", "-nosmimecap", "-outform", "DER", "-in", name]
    command += ["-signer", "\(signer.name).pem", "-inkey", "\(signer.name).key"]
    if !certificates.isEmpty { command += ["-certfile", "\(name).pem"] }
    return try OpenSSLCommand.run(command + arguments, in: folder)
  }

  /// 32 bytes of the INTEGER whose length is at `place`.
  private static func number(_ der: [UInt8], at place: Int) throws -> [UInt8] {
    guard der.count > place, der.count > place + Int(der[place]) else {
      throw Failure(step: "a signature is no SEQUENCE of two numbers")
    }
    let digits = der[(place + 1)...(place + Int(der[place]))].drop { $0 == 0 }
    return [UInt8](repeating: 0, count: 32 - digits.count) + digits
  }
}

/// Issues certificates; `openssl ca` throughout, because it alone takes explicit dates.
private final class Issuer {
  private let folder: URL
  private var count = 0

  init(folder: URL) throws {
    self.folder = folder
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

  func issue(
    _ request: TestAuthority.Request,
    by issuer: TestCertificate? = nil
  ) throws -> TestCertificate {
    count += 1
    let name = "\(count)"
    try run(
      ["req", "-new", "-nodes", "-config", "openssl.cnf", "-subj", "/CN=\(request.name)"]
        + ["-keyout", "\(name).key", "-out", "\(name).csr", "-newkey", "ec"]
        + ["-pkeyopt", "ec_paramgen_curve:\(request.curve)"]
    )
    try write(request.extensions.joined(separator: "\n") + "\n", to: "\(name).ext")
    var arguments = ["ca", "-batch", "-notext", "-config", "openssl.cnf", "-md", request.digest]
    arguments += ["-startdate", request.notBefore, "-enddate", request.notAfter]
    arguments += ["-extfile", "\(name).ext", "-in", "\(name).csr", "-out", "\(name).pem"]
    if let issuer {
      arguments += ["-cert", "\(issuer.name).pem", "-keyfile", "\(issuer.name).key"]
    } else {
      arguments += ["-selfsign", "-keyfile", "\(name).key"]
    }
    try run(arguments)
    let der = try run(["x509", "-in", "\(name).pem", "-outform", "DER"])
    return TestCertificate(der: der, name: name)
  }

  @discardableResult
  private func run(_ arguments: [String]) throws -> [UInt8] {
    try OpenSSLCommand.run(arguments, in: folder)
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }
}

private enum OpenSSLCommand {
  /// Foundation's Process is not made to be started by several threads at once.
  private static let turn = NSLock()

  /// What the command wrote to its standard output.
  static func run(_ arguments: [String], in folder: URL) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try turn.withLock { try process.run() }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestAuthority.Failure(step: arguments.joined(separator: " "))
    }
    return Array(bytes)
  }
}
