import Testing

@testable import ServiceKit

@Suite("RSA keys of others")
struct RSAVerificationKeyTests {
  // RFC 7515, appendix A.2.
  private static let modulus =
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL"
    + "-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA"
    + "9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8N"
    + "Aco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
  private static let signed =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
    + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  private static let signature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGb"
    + "ds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0G"
    + "arZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6Lbg"
    + "GY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

  private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

  private func key() throws -> RSAVerificationKey {
    try RSAVerificationKey(modulus: bytes(Self.modulus), exponent: [1, 0, 1])
  }

  @Test("The example of RFC 7515 is verified, and nothing that is nearly it")
  func verify_rfc7515_isVerified() throws {
    let (key, message) = (try key(), Array(Self.signed.utf8))
    let signature = try bytes(Self.signature)
    #expect(key.verify(signature, of: message))
    #expect(!key.verify(signature, of: message + [0]))
    for place in [0, 100, 255] {
      var changed = signature
      changed[place] ^= 1
      #expect(!key.verify(changed, of: message))
    }
    #expect(!key.verify(Array(signature.dropLast()), of: message))
    #expect(!key.verify(signature + [0], of: message))
    #expect(!key.verify([0] + signature, of: message))
    #expect(!key.verify([], of: message))
    let other = try RSAVerificationKey(modulus: bytes(Self.modulus), exponent: [3])
    #expect(!other.verify(signature, of: message))
  }

  @Test("Keys that are too weak, too large or no keys are refused")
  func init_impossibleNumbers_areRefused() throws {
    let modulus = try bytes(Self.modulus)
    func refusal(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) -> KeyError? {
      do {
        _ = try RSAVerificationKey(modulus: modulus, exponent: exponent)
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal(modulus) == nil)
    // 2,047 bits, a zero in front, an even number, 4,104 bits, none.
    #expect(refusal([0x7F] + modulus.dropFirst()) == .malformed)
    #expect(refusal([0] + modulus) == .malformed)
    #expect(refusal(modulus.dropLast() + [2]) == .malformed)
    #expect(refusal([UInt8](repeating: 0xFF, count: 513)) == .malformed)
    #expect(refusal([UInt8](repeating: 0xFF, count: 512)) == nil)
    #expect(refusal([]) == .malformed)
    for exponent: [UInt8] in [
      [], [0], [1], [2], [0, 3], [1, 0, 0], [UInt8](repeating: 0xFF, count: 9),
    ] { #expect(refusal(modulus, exponent) == .malformed, "\(exponent)") }
  }
}
