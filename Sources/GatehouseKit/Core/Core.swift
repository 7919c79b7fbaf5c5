import Foundation
import Synchronization

/// The parts of the kit that all others use: one session, one client, and the present person and object.
final class Core: Sendable {
  /// The person and object that answers belong to.
  ///
  /// Another one begins with each sign-in, sign-out and selection.
  struct Scope: Equatable, Sendable {
    var number = 0
    var epoch = -1
    var userID: String?
    var context: String?
  }

  /// Users who sign in, by numbers.
  private struct Arrivals: Sendable {
    var users: [Int: User] = [:]
    var last = 0
  }

  let appVersion: String
  let client: Client
  let keeper: TokenKeeper
  let stores: OrderedStores
  let time: any Timekeeper
  let scope = Mutex(Scope())
  let scopes = Broadcast(Scope())
  let accountState = Broadcast(AccountState.unknown)
  private let denied = Mutex<[@Sendable () -> Void]>([])
  private let arriving = Mutex(Arrivals())
  private let dropping = Mutex<[@Sendable (Int) -> Void]>([])

  init(configuration: Configuration, client: Client, stores: OrderedStores) {
    appVersion = configuration.appVersion
    self.client = client
    self.stores = stores
    time = client.time
    // The keeper reports to the core, which has the keeper: the box breaks the circle.
    let box = WeakCore()
    keeper = TokenKeeper(
      stores: stores,
      time: client.time,
      refresh: { [client] token, attempt in
        let body = SignInWire.Refresh(refreshToken: token, attempt: attempt)
        let call = try Call(.post, "auth/refresh", body: body)
        let reply = try await client.exchange(call, token: nil, as: Tokens.self)
        return TokenKeeper.Renewal(tokens: reply.value, serverTime: reply.serverTime)
      },
      changed: { state, epoch, arrival in
        box.core.withLock { $0.value }?.sessionChanged(state, epoch, arrival)
      }
    )
    box.core.withLock { $0.value = self }
  }

  private final class WeakCore: Sendable {
    struct Reference { weak var value: Core? }
    let core = Mutex(Reference())
  }

  /// Calls something whenever what is known of the person or object no longer counts.
  func whenScopeEnds(_ drop: @escaping @Sendable (Int) -> Void) {
    dropping.withLock { $0.append(drop) }
  }

  // MARK: - The session

  /// Called by the keeper, in the order of its states; with a number if a user has just signed in here.
  private func sessionChanged(_ state: SessionState, _ epoch: Int, _ arrival: Int?) {
    switch state {
    case .unknown: break
    case .signedOut(let reason):
      enterScope(epoch: epoch, userID: nil, context: nil)
      _ = stores.removeCached(prefix: Self.cachePrefix)
      accountState.send(.signedOut(reason))
    case .held(let held):
      let old = scope.withLock { $0 }
      let record = held.record
      let isAnother = old.epoch != epoch || old.userID != record.userID
      guard isAnother || old.context != record.context else { return }
      enterScope(epoch: epoch, userID: record.userID, context: record.context)
      guard isAnother else { return }
      let user = arrival.flatMap { number in arriving.withLock { $0.users[number] } }
      // Answers beside a session that was in the store are its person's.
      if user != nil { _ = stores.removeCached(prefix: Self.cachePrefix) }
      accountState.send(.signedIn(id: record.userID, user))
    }
  }

  private func enterScope(epoch: Int, userID: String?, context: String?) {
    let entered = scope.withLock { scope in
      scope = Scope(number: scope.number + 1, epoch: epoch, userID: userID, context: context)
      return scope
    }
    for drop in dropping.withLock({ $0 }) { drop(entered.number) }
    scopes.send(entered)
  }

  func restore() async {
    await keeper.readAgain()
    guard case .signedIn(let id, nil) = accountState.value else { return }
    let number = scope.withLock(\.number)
    guard let user = await cached(User.self, "user", of: number)?.value, user.id == id else {
      return
    }
    // A newer one may have come from the server in the meantime.
    show(user) { $0 == .signedIn(id: id, nil) }
  }

  func begin(_ user: User, _ tokens: Tokens, serverTime: Date?, begunAt epoch: Int) async throws {
    let number = arriving.withLock { arriving in
      arriving.last += 1
      arriving.users[arriving.last] = user
      return arriving.last
    }
    defer { arriving.withLock { $0.users[number] = nil } }
    let (own, replaced) = try await keeper.begin(
      userID: user.id,
      tokens: tokens,
      serverTime: serverTime,
      context: user.firstContext,
      arrival: number,
      begunAt: epoch
    )
    let scopeNumber = scope.withLock { $0.epoch == own ? $0.number : nil }
    if let scopeNumber {
      keep(user, "user", validFor: 300, serverTime: serverTime, of: scopeNumber)
    }
    if let replaced { Task { await self.forget(replaced, by: "auth/logout") } }
  }

  func signOut(everywhere: Bool) async throws -> Bool {
    await keeper.restore()
    let (bearer, removal) = await keeper.end(.signedOut)
    do {
      try await removal.value
      // Another process keeps nothing when the secret is gone, and may have until then.
      try await stores.removeCached(prefix: Self.cachePrefix).value
    } catch {
      throw KitError(.storage)
    }
    guard let bearer else { return true }
    return await forget(bearer, by: everywhere ? "users/me/sessions/revoke-all" : "auth/logout")
  }

  /// Has the server end a session that this device no longer has; answers whether it was reached.
  @discardableResult
  private func forget(_ bearer: Bearer, by path: String) async -> Bool {
    guard var call = try? Call(.post, path, body: NoBody()) else { return false }
    call.silence = .seconds(3)
    return (try? await client.exchange(call, token: bearer.token, as: NoAnswer.self)) != nil
  }

  func select(_ context: String) async throws {
    let old = scope.withLock { $0 }
    guard old.userID != nil else { throw KitError.signedOut(.never) }
    guard old.context != context else { return }
    try await keeper.select(context, of: old.epoch)
  }

  /// Runs something until it ends or its person signs out.
  func whileSignedIn(
    _ epoch: Int,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await body() }
      group.addTask { [scopes] in
        for await scope in scopes.values where scope.epoch != epoch { return }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  // MARK: - Calls and answers

  /// Calls something after the server has refused a call for want of rights: those that are known are wrong.
  func whenDenied(_ act: @escaping @Sendable () -> Void) {
    denied.withLock { $0.append(act) }
  }

  func call<Value: Decodable & Sendable>(_ call: Call, as type: Value.Type) async throws -> Value {
    do {
      return try await client.reply(call, of: keeper, as: type).value
    } catch let error as KitError where error.kind == .denied || error.kind == .featureNeeded {
      for act in denied.withLock({ $0 }) { act() }
      throw error
    }
  }

  func refreshUser() async throws -> User {
    let call = Call(.get, "users/me", query: [("allowPartialContext", "true")])
    let reply = try await client.reply(call, of: keeper, as: User.self)
    let user = reply.value
    let number = scope.withLock { $0.userID == user.id ? $0.number : nil }
    guard let number else { throw KitError.signedOut(.signedOut) }
    keep(user, "user", validFor: 300, serverTime: reply.serverTime, of: number)
    show(user)
    return user
  }

  /// Shows the signed-in person; does nothing if that is another one.
  private func show(_ user: User, if isWanted: (AccountState) -> Bool = { _ in true }) {
    scope.withLock { scope in
      guard scope.userID == user.id, isWanted(accountState.value) else { return }
      accountState.send(.signedIn(id: user.id, user))
    }
  }

  // MARK: - Cached answers

  static let cachePrefix = "person/"

  private func name(_ name: String, _ scope: Scope) -> String? {
    guard let userID = scope.userID else { return nil }
    return "\(Self.cachePrefix)\(userID)/\(name == "user" ? "" : scope.context ?? "")/\(name)"
  }

  func cached<Value: Codable & Sendable>(
    _ type: Value.Type,
    _ name: String,
    of number: Int
  ) async -> CachedAnswer<Value>? {
    let scope = self.scope.withLock { $0 }
    guard scope.number == number, let key = self.name(name, scope),
      let data = try? await stores.cached(key).value
    else { return nil }
    return try? Wire.decode(CachedAnswer<Value>.self, from: data)
  }

  /// Keeps an answer on the device, unless it belongs to another person or object by now.
  func keep<Value: Codable & Sendable>(
    _ answer: CachedAnswer<Value>,
    _ name: String,
    of number: Int
  ) {
    guard let data = try? Wire.encode(answer) else { return }
    scope.withLock { scope in
      guard scope.number == number, let key = self.name(name, scope) else { return }
      let userID = scope.userID
      stores.keepCached(key, data, ifSecret: TokenKeeper.secretName) { read in
        guard case .value(let data) = read else { return false }
        return (try? Wire.decode(SessionRecord.self, from: data))?.userID == userID
      }
    }
  }

  private func keep<Value: Codable & Sendable>(
    _ value: Value,
    _ name: String,
    validFor seconds: Double,
    serverTime: Date?,
    of number: Int
  ) {
    let until = (serverTime ?? time.wall).addingTimeInterval(seconds)
    let answer = CachedAnswer(
      value,
      validUntil: until,
      serverTime: serverTime,
      wall: time.wall
    )
    keep(answer, name, of: number)
  }
}
