import RPCKit
import ServiceKit

/// How many access tokens a service believes in a second: new ones and ones it has seen.
enum TokenBenchmark {
  /// Sessions whose state is always known, so that only tokens are measured.
  private struct NothingRevoked: RevocationSource {
    func state(of claims: AccessClaims) async -> SessionState { .active }
    func knownState(of token: VerifiedToken) -> SessionState? { .active }
  }

  static func run(_ options: Options) async throws {
    let key = SigningKey.generate()
    let authenticator = AccessTokenAuthenticator(
      verifier: AccessTokenVerifier(issuer: "gatehouse", audience: "gatehouse"),
      keys: FixedKeySource(KeySet([key.verificationKey])),
      revocations: NothingRevoked(),
      clock: SystemWallClock()
    )
    let tokens = (0..<min(options.count, 10_000)).map { token($0, key) }
    let time = ProcessorTime()
    for token in tokens { _ = try await authenticator.authenticate(token) }
    let cold = Double(tokens.count) / time.seconds
    let (hits, hitSeconds) = try await repeated(tokens, authenticator, options.seconds)
    // One of the tokens alone: its entry is in the processor's cache.
    let (hotHits, hotSeconds) = try await repeated([tokens[0]], authenticator, options.seconds)
    var report = Report("tokens")
    report["cold_per_second"] = cold
    report["cached_per_second"] = Double(hits) / hitSeconds
    report["cached_same_token_per_second"] = Double(hotHits) / hotSeconds
    report["signatures_per_second"] = signatures(key, options.seconds)
    report["tokens"] = tokens.count
    report.print()
  }

  private static func repeated(
    _ tokens: [String],
    _ authenticator: AccessTokenAuthenticator,
    _ seconds: Double
  ) async throws -> (Int, Double) {
    let time = ProcessorTime()
    var count = 0
    repeat {
      for _ in 0..<1000 {
        _ = try await authenticator.authenticate(tokens[count % tokens.count])
        count += 1
      }
    } while time.seconds < seconds
    return (count, time.seconds)
  }

  /// Verifications of a bare signature, for comparison.
  private static func signatures(_ key: SigningKey, _ seconds: Double) -> Double {
    let message = [UInt8](repeating: 7, count: 400)
    let signature = key.sign(message)
    let time = ProcessorTime()
    var count = 0
    repeat {
      for _ in 0..<100 {
        precondition(key.verificationKey.verify(signature, of: message), "our own signature")
      }
      count += 100
    } while time.seconds < seconds
    return Double(count) / time.seconds
  }

  private static func token(_ number: Int, _ key: SigningKey) -> String {
    let now = SystemWallClock().now / 1000 * 1000
    let claims = AccessClaims(
      userID: "usr_06xrk5tq8k0000000000000000",
      sessionID: "ses_06xrk5tq8k0000000000000000",
      tokenID: "tok_\(number)",
      issued: now,
      expires: now + 600_000,
      acr: "pwd",
      methods: ["pwd"],
      authenticated: now
    )
    return JSONWebToken.signed(
      type: AccessTokenVerifier.type,
      claims: claims.object(issuer: "gatehouse", audience: "gatehouse"),
      by: key
    )
  }
}
