internal import RPCKit
internal import ServiceKit

/// Settings of the App Store.
struct AppleSettings: Sendable {
  /// The application whose purchases count.
  var application: AppleApplication
  /// Which of its purchases count.
  var scope = PurchaseScope()
  /// Whether production also takes purchases of the sandbox, which unlock nothing and are answered
  /// distinctly.
  ///
  /// App Review buys in the sandbox, so to refuse them fails the review.
  var acceptsSandbox = true
  /// Files of root certificates of test authorities (DER); with one, everything it signs counts.
  var testRootPaths: [String] = []
  /// The file of Apple's root certificate for legacy receipts (DER); nil refuses them.
  var receiptRootPath: String?
  /// Root certificates from which signed data must descend.
  var anchors: [TrustAnchor] = [.apple]
  /// Root certificates from which legacy receipts must descend; without any, they are refused.
  var receiptAnchors: [TrustAnchor] = []
}

extension PurchaseSettings {
  /// Which purchases count.
  var scope: PurchaseScope { apple.scope }
}

extension AppleSettings {
  /// Reads the settings, but not the files that they name.
  init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    let bundleID = try Self.bundleID(members.required("bundle_id"))
    self.init(application: AppleApplication(bundleID: bundleID))
    application.appleID = try members.optional("apple_id")?.integer(in: 1...Int64.max)
    if let field = members.optional("environment") {
      scope.environment = try field.choice(of: PurchaseEnvironment.self)
    }
    acceptsSandbox = try members.optional("accept_sandbox")?.boolean() ?? true
    scope.sandboxUsers = Set(try members.optional("sandbox_users")?.strings() ?? [])
    testRootPaths = try members.optional("test_roots")?.strings() ?? []
    receiptRootPath = try members.optional("receipt_root")?.nonEmptyString()
    try members.finish()
  }

  /// The identifier of an application: letters, digits, hyphens and periods (CFBundleIdentifier).
  private static func bundleID(_ field: JSONField) throws(JSONDecodingError) -> String {
    let text = try field.nonEmptyString()
    let isValid = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isValid else { throw field.error("may only have letters, digits, hyphens and periods") }
    return text
  }

  /// Adds the root certificates in the files that the settings name.
  ///
  /// Throws `ConfigurationError` with the file.
  mutating func readRoots() throws(ConfigurationError) {
    for path in testRootPaths {
      let anchor = TrustAnchor.test(der: try Self.certificate(path), isStrict: true)
      anchors.append(anchor)
      receiptAnchors.append(anchor)
    }
    if let receiptRootPath {
      receiptAnchors.append(.appleReceipts(der: try Self.certificate(receiptRootPath)))
    }
  }

  /// Looks at the files without opening the service.
  func check(_ check: inout ConfigurationCheck) {
    for path in testRootPaths {
      check.file("apple.test_roots", path) { path in
        let anchor = TrustAnchor.test(der: try Self.certificate(path), isStrict: true)
        _ = try CertificateChains(anchors: [anchor])
      }
    }
    if let path = receiptRootPath {
      check.file("apple.receipt_root", path) { path in
        _ = try CertificateChains(anchors: [.appleReceipts(der: try Self.certificate(path))])
      }
    }
  }

  private static func certificate(_ path: String) throws(ConfigurationError) -> [UInt8] {
    do {
      return try FileBytes.read(path, byteCountMax: 64 << 10)
    } catch {
      throw ConfigurationError("\(path): \(error)")
    }
  }
}
