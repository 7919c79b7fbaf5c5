import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit

/// Somebody with an account, signed in.
struct Person: Sendable {
  static let password = "a long pass phrase for everybody"

  let id: String
  let email: String
  let tokens: Auth_V1.Tokens

  /// A call of theirs.
  var call: CallOptions {
    CallOptions(
      timeout: .seconds(10),
      metadata: ["authorization": "Bearer \(tokens.accessToken)"]
    )
  }

  init(_ answer: Auth_V1.SignInResponse) throws {
    guard let user = answer.user, let tokens = answer.tokens else {
      throw RPCError(.internal, "an answer without user or tokens")
    }
    (id, email, self.tokens) = (user.id, user.email, tokens)
  }

  private init(id: String, email: String, tokens: Auth_V1.Tokens) {
    (self.id, self.email, self.tokens) = (id, email, tokens)
  }

  /// The same person, who shows an elevated token.
  func showing(_ accessToken: String) -> Person {
    var tokens = tokens
    tokens.accessToken = accessToken
    return Person(id: id, email: email, tokens: tokens)
  }
}

extension Installation {
  var authentication: Auth_V1.AuthenticationClient { .init(auth.channel) }
  var users: Auth_V1.UsersClient { .init(auth.channel) }
  var sessions: Auth_V1.SessionsClient { .init(auth.channel) }
  var portfolios: Tenancy_V1.PortfoliosClient { .init(tenancy.channel) }
  var properties: Tenancy_V1.PropertiesClient { .init(tenancy.channel) }
  var units: Tenancy_V1.UnitsClient { .init(tenancy.channel) }
  var devices: Tenancy_V1.DevicesClient { .init(tenancy.channel) }
  var guests: Tenancy_V1.GuestsClient { .init(tenancy.channel) }
  var associations: Tenancy_V1.AssociationsClient { .init(tenancy.channel) }
  var entitlements: Entitlement_V1.EntitlementsClient { .init(entitlement.channel) }
  var purchases: Entitlement_V1.PurchasesClient { .init(entitlement.channel) }
  var subscriptions: Entitlement_V1.SubscriptionsClient { .init(entitlement.channel) }

  /// The PIN of every family.
  static let familyPin = "482915"

  /// Somebody in the parent mode of a family, whose PIN is set if it has none.
  func parentMode(
    of family: String,
    _ person: Person,
    organizer: Person? = nil
  ) async throws -> Person {
    let stepUp = Auth_V1.StepUpClient(auth.channel)
    let state = try await stepUp.getFamilyPin(.init(familyId: family), options: person.call)
    if !state.isSet {
      _ = try await stepUp.setFamilyPin(
        .init(familyId: family, pin: Self.familyPin),
        options: (organizer ?? person).call
      )
    }
    let answer = try await stepUp.verifyFamilyPin(
      .init(familyId: family, pin: Self.familyPin),
      options: person.call
    )
    return person.showing(answer.token?.token ?? "")
  }

  /// Makes an account.
  func signUp(_ name: String) async throws -> Person {
    try Person(
      await authentication.signUp(
        .init(email: "\(name)@example.com", password: Person.password, displayName: name),
        timeout: .seconds(10)
      )
    )
  }

  /// Signs somebody in once more.
  func signIn(_ person: Person, allowsPartial: Bool = false) async throws -> Person {
    try Person(await answer(to: person.email, allowsPartial: allowsPartial))
  }

  /// Signs somebody in whose account was made elsewhere.
  func signIn(_ name: String) async throws -> Person {
    try Person(await answer(to: "\(name)@example.com"))
  }

  /// The whole answer to signing in.
  func answer(
    to email: String,
    allowsPartial: Bool = false
  ) async throws -> Auth_V1.SignInResponse {
    try await authentication.signIn(
      .init(email: email, password: Person.password, allowPartialContext: allowsPartial),
      timeout: .seconds(10)
    )
  }

  /// What a portfolio is entitled to, as a user sees it.
  func entitlements(
    ofPortfolio portfolio: String,
    as person: Person
  ) async throws -> Entitlement_V1.GetEntitlementsResponse {
    try await entitlements.get(
      .init(subject: .init(kind: .portfolio, id: portfolio)),
      options: person.call
    )
  }

  /// What users are entitled to themselves.
  func entitlements(
    of person: Person
  ) async throws -> Entitlement_V1.GetEntitlementsResponse {
    try await entitlements.get(
      .init(subject: .init(kind: .user, id: person.id)),
      options: person.call
    )
  }
}
