import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import ServiceTesting

/// A person with an account.
struct Person: Hashable, Sendable {
  static let password = "a long pass phrase for everybody"

  let id: String
  let email: String
}

/// The tokens that people hold, by their addresses.
final class HeldTokens: Sendable {
  private let tokens = Lock<[String: Auth_V1.Tokens]>([:])
  /// The elevated ones, of people who have set a PIN.
  let elevated = Lock<[String: Auth_V1.AccessToken]>([:])

  subscript(person: Person) -> Auth_V1.Tokens? {
    get { tokens.withLock { $0[person.email] } }
    set { tokens.withLock { $0[person.email] = newValue } }
  }
}

extension Product {
  /// Makes an account.
  func signUp(_ name: String) async throws -> Person {
    let email = "\(name)@example.com"
    let answer = try await authentication.signUp(
      // The first ones come before AuthService has found the others.
      .init(
        email: email,
        password: Person.password,
        displayName: name,
        allowPartialContext: true
      )
    )
    let person = Person(id: answer.user?.id ?? "", email: email)
    purse[person] = answer.tokens
    return person
  }

  /// Signs somebody in once more.
  func signIn(_ person: Person) async throws -> Auth_V1.Tokens {
    let answer = try await authentication.signIn(
      .init(email: person.email, password: Person.password, allowPartialContext: true)
    )
    guard let tokens = answer.tokens else { throw RPCError(.internal, "no tokens") }
    return tokens
  }

  /// A call of somebody who has proved a PIN for a purpose, each person always the same, with a token that is
  /// good for a while.
  func call(_ person: Person, provingPINFor purpose: String) async throws -> CallOptions {
    let held = purse.elevated.withLock { $0[person.email] }
    if let held, held.expiresAt?.milliseconds ?? 0 > clock.now + 60_000 {
      return Self.options("authorization", held.token)
    }
    let (stepUp, pin) = (Auth_V1.StepUpClient(channel(to: "auth")), "271828")
    if held == nil {
      purse[person] = try await signIn(person)
      _ = try await stepUp.setPin(.init(pin: pin), options: try await call(person))
    }
    let answer = try await stepUp.verifyPin(
      .init(pin: pin, purpose: purpose),
      options: try await call(person)
    )
    guard let token = answer.token else { throw RPCError(.internal, "no token") }
    purse.elevated.withLock { $0[person.email] = token }
    return Self.options("authorization", token.token)
  }

  /// A call of somebody, with an access token that is good for a while.
  func call(_ person: Person) async throws -> CallOptions {
    let held = purse[person]
    let end = held?.accessTokenExpiresAt?.milliseconds ?? 0
    if let held, end > clock.now + 60_000 {
      return Self.options("authorization", held.accessToken)
    }
    let tokens = try await signIn(person)
    purse[person] = tokens
    return Self.options("authorization", tokens.accessToken)
  }
}
