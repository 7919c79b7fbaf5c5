internal import ServiceKit
internal import TextEncodings

/// A compact JWS of Apple's, taken apart and not yet believed (RFC 7515, section 7.1).
struct CompactSignature {
  /// The first two certificates of `x5c` (DER): leaf and intermediate.
  let leaf: [UInt8]
  let intermediate: [UInt8]
  /// The signed bytes: `header.payload` as it stands in the text.
  let signedBytes: [UInt8]
  /// r and s.
  let signature: [UInt8]
  /// The payload's bytes and what they say.
  let payloadBytes: [UInt8]
  let payload: JSONObject

  init(_ text: String, byteCountMax: Int) throws(AppleVerificationError) {
    let bytes = Array(text.utf8.prefix(byteCountMax + 1))
    guard bytes.count <= byteCountMax else { throw .invalid(.tooLarge) }
    let segments = bytes.split(
      separator: UInt8(ascii: "."),
      maxSplits: 3,
      omittingEmptySubsequences: false
    )
    guard segments.count == 3, let header = Base64URL.decode(segments[0]),
      let payload = Base64URL.decode(segments[1])
    else { throw .invalid(.malformed) }
    (leaf, intermediate) = try Self.certificates(Self.object(header, byteCountMax))
    self.payload = try Self.object(payload, byteCountMax)
    payloadBytes = payload
    guard let signature = Base64URL.decode(segments[2]), signature.count == 64 else {
      throw .invalid(.badSignature)
    }
    self.signature = signature
    signedBytes = Array(bytes[..<segments[1].endIndex])
  }

  private static func object(
    _ bytes: [UInt8],
    _ byteCountMax: Int
  ) throws(AppleVerificationError) -> JSONObject {
    let limits = JSONLimits(byteCountMax: byteCountMax, depthMax: 8, valueCountMax: 2000)
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.read(bytes, limits: limits)
    } catch {
      throw .invalid(.malformed)
    }
    guard let object = value.object else { throw .invalid(.malformed) }
    return object
  }

  /// Reads what decides how to check the signature; `kid`, `jku`, `jwk` and `x5u` decide nothing.
  private static func certificates(
    _ header: JSONObject
  ) throws(AppleVerificationError) -> (leaf: [UInt8], intermediate: [UInt8]) {
    guard header["alg"]?.string == "ES256" else { throw .invalid(.wrongAlgorithm) }
    // RFC 7515, section 4.1.11: who does not understand an extension must refuse it.
    guard header["crit"] == nil else { throw .invalid(.malformed) }
    guard let chain = header["x5c"]?.array else { throw .invalid(.malformed) }
    guard chain.count == 3 else { throw .invalid(.wrongChainLength) }
    var certificates: [[UInt8]] = []
    for entry in chain.prefix(2) {
      guard let text = entry.string,
        text.utf8.count <= CertificateChains.certificateByteCountMax / 3 * 4 + 4,
        let der = Base64.decodeExact(text.utf8.span, .standard, isPadded: true)
      else { throw .invalid(.badCertificate) }
      certificates.append(der)
    }
    return (certificates[0], certificates[1])
  }
}
