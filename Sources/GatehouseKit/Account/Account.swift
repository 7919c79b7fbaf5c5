import Foundation
import Synchronization

/// The signed-in person: signing in and out, the profile, and the object that it works in.
public final class Account: Sendable {
  private let core: Core
  private let rights: Rights
  private let deviceName: String

  init(core: Core, rights: Rights, deviceName: String) {
    self.core = core
    self.rights = rights
    self.deviceName = deviceName
  }

  /// The present state at once, then each newer one.
  public var states: AsyncStream<AccountState> { core.accountState.values }

  /// The present state.
  public var state: AccountState { core.accountState.value }

  /// Reads the stores: afterwards the state is known unless the store of secrets cannot answer now.
  ///
  /// Later it notices what another process with the same stores has done, such as an extension of the app.
  @discardableResult
  public func restore() async -> AccountState {
    await core.restore()
    await rights.restore()
    return state
  }

  /// Creates an account and signs in.
  @discardableResult
  public func signUp(
    email: String,
    password: String,
    displayName: String
  ) async throws -> SignInResult {
    try await signIn(
      Call(
        .post,
        "auth/signup",
        body: SignInWire.SignUp(
          email: email,
          password: password,
          displayName: displayName,
          device: device
        )
      ).once()
    )
  }

  /// Signs in with a password.
  @discardableResult
  public func signIn(email: String, password: String) async throws -> SignInResult {
    try await signIn(
      Call(
        .post,
        "auth/login",
        body: SignInWire.Password(email: email, password: password, device: device)
      ).once()
    )
  }

  /// Completes a sign-in with the code that the authenticator app shows.
  @discardableResult
  public func complete(_ factor: SecondFactor, code: String) async throws -> SignInResult {
    let body = SignInWire.Code(secondFactorToken: factor.token, code: code)
    return try await signIn(Call(.post, "auth/login/second-factor", body: body).once())
  }

  /// Completes a sign-in with a recovery code, which is used up.
  @discardableResult
  public func complete(_ factor: SecondFactor, recoveryCode: String) async throws -> SignInResult {
    let body = SignInWire.Code(secondFactorToken: factor.token, recoveryCode: recoveryCode)
    return try await signIn(Call(.post, "auth/login/second-factor", body: body).once())
  }

  var device: SignInWire.Device {
    SignInWire.Device(name: deviceName, application: core.appVersion)
  }

  func publicCall<Value: Decodable & Sendable>(
    _ call: Call,
    as type: Value.Type
  ) async throws -> Value {
    try await core.client.reply(call.unsigned(), as: type).value
  }

  func signIn(_ call: Call) async throws -> SignInResult {
    let epoch = await core.keeper.beginSignIn()
    let reply = try await core.client.reply(call.unsigned(), as: SignInWire.Answer.self)
    if let factor = reply.value.secondFactor { return .needsCode(factor) }
    guard let tokens = reply.value.tokens, let user = reply.value.user else {
      throw KitError(.server, reason: "NOT_UNDERSTOOD")
    }
    try await core.begin(user, tokens, serverTime: reply.serverTime, begunAt: epoch)
    // The person is signed in also without them; they are asked for again.
    _ = try? await rights.refresh()
    return .signedIn(user)
  }

  /// Signs out: at once on this device, with nothing left there, and then at the server.
  ///
  /// False means that the server was not reached: the session ends by itself, or in the list of devices.
  @discardableResult
  public func signOut(everywhere: Bool = false) async throws -> Bool {
    try await core.signOut(everywhere: everywhere)
  }

  /// Reads the person anew.
  @discardableResult
  public func refresh() async throws -> User {
    try await core.refreshUser()
  }

  /// The object that the person works in: an organization, portfolio, family, unit.
  public var context: String? { core.scope.withLock(\.context) }

  /// Works in another object from now on: its rights and features are read, those of the old one no longer count.
  public func select(_ context: String) async throws {
    try await core.select(context)
    await rights.restore()
    try await rights.refresh()
  }

  /// Tries again now to reach the server, for example when the network is back.
  public func retryNow() async { await core.keeper.endPause() }
}
