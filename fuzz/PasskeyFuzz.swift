// Fuzz target: what authenticators and browsers are said to have made, before it is believed.
@testable import AuthService
@testable import ServiceKit

/// What must hold of any bytes that claim to come from an authenticator or a browser.
enum PasskeyProperties {
  private static let party = RelyingParty(
    id: "example.org",
    name: "Example",
    origins: ["https://example.org"]
  )
  private static let strangers = PasskeyKey(SigningKey.generate().verificationKey)
  private static let challenge = [UInt8](repeating: 0, count: 32)

  /// The input as each of the things that a response holds, and as the responses themselves.
  static func check(_ input: [UInt8]) {
    checkItem(input)
    do throws(PasskeyFault) {
      let key = try PasskeyKey(encoded: input)
      precondition(isRefused { () throws(PasskeyFault) in try key.verify([], of: []) })
    } catch {}
    do throws(PasskeyFault) {
      let data = try AuthenticatorData(input)
      precondition(data.relyingPartyHash.count == 32, "a digest has 32 bytes")
      if let id = data.newKey?.id { precondition((1...1023).contains(id.count), "a long name") }
      precondition(
        !data.flags.contains(.backedUp) || data.flags.contains(.backupEligible),
        "a backup of what cannot be backed up"
      )
    } catch {}
    do throws(PasskeyFault) {
      let attestation = try Attestation(input)
      let data = try AuthenticatorData(attestation.authenticatorBytes)
      if let new = data.newKey { _ = try attestation.verify(new, clientDataHash: challenge) }
    } catch {}
    do throws(PasskeyFault) { _ = try ClientData(input) } catch {}
    do throws(SignatureError) { _ = try AttestationCertificate(der: input) } catch {}
    checkResponses(String(decoding: input, as: UTF8.self))
  }

  /// What is read is in its limits, and reads the same whatever is behind it.
  private static func checkItem(_ input: [UInt8]) {
    do throws(PasskeyFault) {
      let (value, rest) = try CBORReader.readFirst(input[...])
      let (again, behind) = try CBORReader.readFirst(input.dropLast(rest.count))
      precondition(again == value && behind.isEmpty, "what is behind an item changed it")
      precondition(depth(value) <= CBORReader.depthMax, "an item too deep was read")
    } catch {}
  }

  private static func depth(_ value: CBORValue) -> Int {
    switch value {
    case .array(let elements): 1 + (elements.map { depth($0) }.max() ?? 0)
    case .map(let map): 1 + (map.members.map { depth($0.value) }.max() ?? 0)
    default: 0
    }
  }

  private static func checkResponses(_ text: String) {
    do throws(PasskeyFault) {
      _ = try party.verify(try RegistrationResponse(json: text), challenge: challenge)
    } catch {}
    precondition(
      isRefused { () throws(PasskeyFault) in
        _ = try party.verify(try UseResponse(json: text), challenge: challenge, key: strangers)
      },
      "a response was accepted that a key of nobody signed"
    )
  }

  private static func isRefused(_ body: () throws(PasskeyFault) -> Void) -> Bool {
    do throws(PasskeyFault) {
      try body()
      return false
    } catch {
      return true
    }
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPasskey(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  PasskeyProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
