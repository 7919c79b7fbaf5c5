import RPCKit

@testable import AccessEngine
@testable import ServiceKit
@testable import TenancyService

/// Sessions that were revoked and features that were lost, both at the instant that a test says so.
final class Endings: FeatureSource, TokenValidator {
  /// The feature that portfolios have until they lose it.
  static let feature = "races"

  private struct State {
    var sessions: Set<String> = []
    var portfolios: Set<String> = []
  }

  private let state = Lock(State())

  func revoke(session: String) { state.withLock { _ = $0.sessions.insert(session) } }

  func end(featuresOf portfolio: String) {
    state.withLock { _ = $0.portfolios.insert(portfolio) }
  }

  func isStillValid(_ token: VerifiedToken) -> Bool {
    state.withLock { !$0.sessions.contains(token.claims.sessionID) }
  }

  func features(of holder: FeatureHolder, now: Int64) -> KnownFeatures {
    let isLost = state.withLock { $0.portfolios.contains(holder.id) }
    return .known(isLost ? [] : [Self.feature], until: now + 10_000)
  }

  func limit(_ name: String, of holder: FeatureHolder) -> KnownLimit { .known(.max) }

  func fetch(_ holder: FeatureHolder) async throws {}
}

/// Tells the handlers who calls, each in a session of the same name.
struct SessionCallers: ServerInterceptor {
  let endings: Endings

  func begin(_ call: CallContext) -> Interception {
    if let user = call.metadata["test-user"] { call.caller = .user(identity(user)) }
    return .proceed
  }

  private func identity(_ user: String) -> UserIdentity {
    UserIdentity(
      VerifiedToken(
        AccessClaims(
          userID: user,
          sessionID: "ses_\(user)",
          tokenID: "",
          issued: 0,
          expires: .max,
          acr: "pwd",
          methods: [],
          authenticated: 0,
          purpose: nil
        ),
        keys: KeySet([])
      ),
      BearerToken(""),
      actingService: nil,
      believer: endings
    )
  }
}
