private import RPCKit

/// A chain that descends from a pinned root and may sign purchases.
struct VerifiedChain: Sendable {
  /// The leaf's key.
  let key: StoreVerificationKey
  /// Seconds since 1970 at which all three certificates are valid.
  let validity: ClosedRange<Int64>
  /// Why the root is trusted.
  let origin: TrustAnchor.Origin
  /// The leaf's serial number, in hexadecimal digits.
  let leafSerial: String
}

/// Checks certificate chains and remembers the good ones.
///
/// Checking costs two P-384 signatures, about 3 ms; a remembered chain costs a look-up. Its validity
/// is stored and compared with the time of each datum, because data that a device kept for years
/// arrives beside today's (apple/app-store-server-library-java#206).
final class CertificateChains: Sendable {
  /// Chains remembered, at most; Apple has a handful in use.
  static let countMax = 32
  /// Bytes of a certificate, at most.
  static let certificateByteCountMax = 8 * 1024

  /// Marks certificates that sign App Store data, so that no other certificate of Apple's can: those
  /// of developers descend from the same root.
  private static let leafMarker = "1.2.840.113635.100.6.11.1"
  private static let intermediateMarker = "1.2.840.113635.100.6.2.1"

  private struct Key: Hashable {
    let leaf: [UInt8]
    let intermediate: [UInt8]
  }

  private struct Entry {
    let chain: VerifiedChain
    var lastUse: UInt64
  }

  private struct Memory {
    var entries: [Key: Entry] = [:]
    var uses: UInt64 = 0
  }

  private let stores: [CertificateStore]
  private let memory = Lock(Memory())

  init(anchors: [TrustAnchor]) throws(TrustAnchorError) {
    guard !anchors.isEmpty else {
      throw TrustAnchorError(description: "no root certificate is configured")
    }
    var stores: [CertificateStore] = []
    for anchor in anchors { stores.append(try CertificateStore(anchor)) }
    self.stores = stores
  }

  /// The chain of two certificates (DER) that was valid at `seconds` since 1970.
  func verify(
    leaf: [UInt8],
    intermediate: [UInt8],
    at seconds: Int64
  ) throws(AppleVerificationError) -> VerifiedChain {
    let key = Key(leaf: leaf, intermediate: intermediate)
    if let known = recall(key) {
      guard known.validity.contains(seconds) else { throw .invalid(.untrustedChain) }
      return known
    }
    let chain = try check(leaf: leaf, intermediate: intermediate, at: seconds)
    remember(chain, for: key)
    return chain
  }

  /// Chains remembered now.
  var count: Int { memory.withLock { $0.entries.count } }

  private func check(
    leaf: [UInt8],
    intermediate: [UInt8],
    at seconds: Int64
  ) throws(AppleVerificationError) -> VerifiedChain {
    guard let leaf = X509Certificate(der: leaf), let leafValidity = leaf.validity,
      let intermediate = X509Certificate(der: intermediate),
      let intermediateValidity = intermediate.validity
    else { throw .invalid(.badCertificate) }
    let trusting = try trustingStore(leaf, intermediate, at: seconds, allowsSHA1: false)
    guard let trusting else { throw .invalid(.untrustedChain) }
    guard Self.isMarked(leaf, intermediate) else { throw .invalid(.notAStoreSigner) }
    guard let key = leaf.verificationKey else { throw .invalid(.badCertificate) }
    let start = max(leafValidity.lowerBound, intermediateValidity.lowerBound)
    let end = min(leafValidity.upperBound, intermediateValidity.upperBound)
    return VerifiedChain(
      key: key,
      // Not empty: OpenSSL found all three valid at one instant.
      validity: max(start, trusting.validity.lowerBound)...min(end, trusting.validity.upperBound),
      origin: trusting.anchor.origin,
      leafSerial: PayloadDigest.hexadecimal(leaf.serialNumber)
    )
  }

  /// A certificate that may sign receipts: where its root comes from, and its serial number.
  struct ReceiptSigner: Hashable, Sendable {
    var origin: TrustAnchor.Origin
    var serial: String
  }

  /// The signer of a receipt (DER), when one of the `intermediates` that came along leads from it to a pinned
  /// root that was valid at `seconds` since 1970.
  ///
  /// Not remembered: RSA signatures are checked in a tenth of a millisecond.
  func signer(
    _ leaf: [UInt8],
    below intermediates: [[UInt8]],
    at seconds: Int64,
    allowsSHA1: Bool
  ) throws(AppleVerificationError) -> ReceiptSigner {
    guard let leaf = X509Certificate(der: leaf) else { throw .invalid(.badCertificate) }
    var isTrusted = false
    for der in intermediates {
      guard let intermediate = X509Certificate(der: der) else { throw .invalid(.badCertificate) }
      guard leaf.hasKnownDigest, intermediate.hasKnownDigest,
        let store = try trustingStore(leaf, intermediate, at: seconds, allowsSHA1: allowsSHA1)
      else { continue }
      isTrusted = true
      guard Self.isMarked(leaf, intermediate) else { continue }
      return ReceiptSigner(
        origin: store.anchor.origin,
        serial: PayloadDigest.hexadecimal(leaf.serialNumber)
      )
    }
    throw .invalid(isTrusted ? .notAStoreSigner : .untrustedChain)
  }

  /// The root to which two certificates lead; nil when there is none.
  private func trustingStore(
    _ leaf: borrowing X509Certificate,
    _ intermediate: borrowing X509Certificate,
    at seconds: Int64,
    allowsSHA1: Bool
  ) throws(AppleVerificationError) -> CertificateStore? {
    guard intermediate.maySignCertificates else { return nil }
    for store in stores {
      let isTrusted = try store.trusts(
        leaf: leaf,
        intermediate: intermediate,
        at: seconds,
        allowsSHA1: allowsSHA1
      )
      if isTrusted { return store }
    }
    return nil
  }

  /// Whether two certificates have the marks of those that sign what the App Store sells.
  private static func isMarked(
    _ leaf: borrowing X509Certificate,
    _ intermediate: borrowing X509Certificate
  ) -> Bool {
    guard leaf.hasExtension(leafMarker) else { return false }
    return intermediate.hasExtension(intermediateMarker)
  }

  private func recall(_ key: Key) -> VerifiedChain? {
    memory.withLock { memory in
      memory.uses += 1
      memory.entries[key]?.lastUse = memory.uses
      return memory.entries[key]?.chain
    }
  }

  private func remember(_ chain: VerifiedChain, for key: Key) {
    memory.withLock { memory in
      if memory.entries.count >= Self.countMax,
        let oldest = memory.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        memory.entries[oldest.key] = nil
      }
      memory.entries[key] = Entry(chain: chain, lastUse: memory.uses)
    }
  }
}
