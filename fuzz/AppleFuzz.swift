// Fuzz target: what Apple is said to have signed, before it is believed.
@testable import EntitlementService
import ServiceKit

/// What must hold of any text that claims to be signed data of Apple's.
enum AppleProperties {
  /// The input as it is; its lines as header, payload and signature; and all of it as a certificate.
  static func check(_ input: [UInt8]) {
    checkText(String(decoding: input, as: UTF8.self))
    let lines = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    if lines.count == 3 {
      checkText(lines.map { Base64URL.encode(Array($0)) }.joined(separator: "."))
    }
    guard let certificate = X509Certificate(der: input) else { return }
    _ = certificate.validity
    _ = certificate.hasExtension("1.2.840.113635.100.6.11.1")
  }

  private static func checkText(_ text: String) {
    let signature: CompactSignature
    do throws(AppleVerificationError) {
      signature = try CompactSignature(text, byteCountMax: 16 << 10)
    } catch {
      return
    }
    precondition(signature.signature.count == 64, "a signature is r and s")
    let fields = PayloadFields(signature.payload)
    do throws(AppleVerificationError) { _ = try AppleTransaction(fields) } catch {}
    do throws(AppleVerificationError) { _ = try AppleRenewal(fields) } catch {}
    do throws(AppleVerificationError) { _ = try NotificationEnvelope(fields) } catch {}
    for der in [signature.leaf, signature.intermediate] {
      if let certificate = X509Certificate(der: der) { _ = certificate.validity }
    }
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzApple(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  AppleProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
