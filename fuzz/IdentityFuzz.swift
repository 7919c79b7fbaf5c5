// Fuzz target: what identity providers are said to have signed, and their key sets.
@testable import AuthService
@testable import ServiceKit

/// What must hold of any text that claims to be a token of an identity provider, and of any key set.
enum IdentityProperties {
  /// The input as it is; its lines as header, claims and signature; and all of it as claims and as a key
  /// set.
  static func check(_ input: [UInt8]) {
    checkText(String(decoding: input, as: UTF8.self))
    let lines = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    if lines.count == 3 {
      checkText(lines.map { Base64URL.encode(Array($0)) }.joined(separator: "."))
    }
    checkKeySet(input)
    _ = KeySetDocument.lifetime(String(decoding: input, as: UTF8.self))
  }

  private static let provider: IdentityProvider = {
    let settings = #"{"client_ids": ["client"], "algorithms": ["RS256", "ES256"]}"#
    do {
      let limits = JSONLimits(byteCountMax: 1024)
      let value = try JSONReader.read(Array(settings.utf8), limits: limits)
      return try IdentityProvider(name: IdentityProvider.apple, JSONField(value))
    } catch {
      preconditionFailure("the settings of the target are good: \(error)")
    }
  }()

  /// In the year 2027, like the committed inputs.
  private static let now: Int64 = 1_800_000_000_000

  private static func checkText(_ text: String) {
    let token: JSONWebToken
    do throws(TokenFault) {
      token = try JSONWebToken(parsing: text, .foreign(algorithms: provider.algorithms))
    } catch {
      return
    }
    precondition(text.utf8.count <= 16 << 10, "a token past the limit was parsed")
    precondition(provider.algorithms.contains(token.algorithm), "another algorithm was let in")
    precondition(!token.isSigned(by: key), "a signature of nobody's was believed")
    do throws(IdentityTokenFault) {
      let claims = try IdentityClaims(
        unverified: token.claims,
        of: provider,
        nonce: token.claims["nonce"]?.string ?? "",
        now: now
      )
      precondition(claims.issuer == provider.issuer, "another issuer was let in")
      precondition((1...255).contains(claims.subject.utf8.count), "a subject past its limit")
      precondition(
        claims.email.map { EmailAddress($0).isMailable } ?? !claims.isEmailVerified,
        "an address was let in that mail cannot be sent to"
      )
    } catch {}
    do throws(IdentityTokenFault) {
      let event = try AppleEvent(unverified: token.claims, of: provider, now: now)
      precondition(event.time >= 0 && !event.id.isEmpty, "an event without a time or a name")
    } catch {}
  }

  private static func checkKeySet(_ input: [UInt8]) {
    let keys: ProviderKeySet
    do throws(JSONDecodingError) {
      keys = try ProviderKeySet(json: input)
    } catch {
      return
    }
    precondition(!keys.ids.isEmpty, "a set without keys was let in")
  }

  private static let key = SigningKey.generate().verificationKey
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIdentity(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  IdentityProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
