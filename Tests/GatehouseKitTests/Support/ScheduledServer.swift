import Foundation
import GatehouseKit
import Synchronization

/// A server and the stores of a device, each of which answers when a seed says so.
///
/// The server has the rules of tokens of the real one: a refresh token counts once, and its parent again with the same
/// attempt until the successor is used.
final class ScheduledServer: Transport, SecretStore, CacheStore {
  private struct Session {
    var person: String
    var generation = 0
    var attempt = ""
    var isUsed = true
    var isEnded = false
    var attemptsUnderWay: [String] = []
  }

  private struct State {
    var sessions: [Session] = []
    var hasRevoked = false
    var processCount = 1
    var isLocked = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var problems: [String] = []
  }

  let executor: SeededExecutor
  let time = ManualTime()
  let secrets = MemoryStore()
  let cache = MemoryStore()
  private let state = Mutex(State())

  init(executor: SeededExecutor) { self.executor = executor }

  /// The rules that were broken.
  var problems: [String] { state.withLock(\.problems) }

  func note(_ problem: String) { state.withLock { $0.problems.append(problem) } }

  /// All sessions end, as from another device.
  func revokeAll() {
    state.withLock { state in
      state.hasRevoked = true
      for number in state.sessions.indices { state.sessions[number].isEnded = true }
    }
  }

  /// Whether sessions were ended so.
  var hasRevoked: Bool { state.withLock(\.hasRevoked) }

  /// How many processes of the device have the stores.
  func setProcessCount(_ count: Int) { state.withLock { $0.processCount = count } }

  // MARK: - Stores

  func exclusively<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    await withCheckedContinuation { turn in
      let isFree = state.withLock { state in
        defer { state.isLocked = true }
        if state.isLocked { state.waiting.append(turn) }
        return !state.isLocked
      }
      if isFree { turn.resume() }
    }
    defer {
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard !state.waiting.isEmpty else {
          state.isLocked = false
          return nil
        }
        return state.waiting.removeFirst()
      }
      next?.resume()
    }
    return try await body()
  }

  func read(_ name: String) async -> SecretRead {
    await executor.pause()
    return await secrets.read(name)
  }

  func write(_ name: String, _ value: Data) async throws {
    await executor.pause()
    // Names of cached answers begin with `person/`.
    let store = name.hasPrefix("person/") ? cache : secrets
    try await store.write(name, value)
    await executor.pause()
  }

  func remove(_ name: String) async throws {
    await executor.pause()
    try await secrets.remove(name)
  }

  func read(_ name: String) async -> Data? {
    await executor.pause()
    return await cache.read(name)
  }

  func removeAll(prefix: String) async throws {
    await executor.pause()
    try await cache.removeAll(prefix: prefix)
  }

  // MARK: - Calls

  func open(_ request: HTTPRequest) -> AsyncThrowingStream<StreamPart, any Error> {
    AsyncThrowingStream { $0.finish(throwing: URLError(.cannotConnectToHost)) }
  }

  func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    await executor.pause()
    if executor.number(below: 12) == 0 { throw URLError(.cannotConnectToHost) }
    let answer = await answer(request)
    await executor.pause()
    // The answer is lost, and the server has done it all the same.
    if executor.number(below: 12) == 0 { throw URLError(.networkConnectionLost) }
    return answer
  }

  private func answer(_ request: HTTPRequest) async -> HTTPAnswer {
    let path = request.url.path.dropFirst("/api/v1/".count)
    let body = String(bytes: request.body ?? Data(), encoding: .utf8) ?? ""
    switch path {
    case "auth/login": return login(body.contains("ben@") ? "ben" : "ada")
    case "auth/refresh": return await refresh(body)
    default: break
    }
    guard let person = caller(request) else {
      return .refusal(401, "UNAUTHENTICATED", "CREDENTIALS_INVALID")
    }
    switch path {
    case "auth/logout":
      end(request)
      return .success("{}")
    case "users/me": return .success(Stage.user(person), at: time.wall)
    case "permissions":
      let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems
      let entity = query?.first { $0.name == "entityId" }?.value ?? ""
      let permissions = Stage.permissions(["\(person)-\(entity)"], time)
      // It holds features itself.
      return .success(
        permissions.replacingOccurrences(of: #""org_ada""#, with: "\"\(entity)\""),
        at: time.wall
      )
    case "entitlements":
      let until = Stage.text(time.wall.addingTimeInterval(300))
      let plan = #"{"tier": "\#(person)", "validUntil": "\#(until)", "entitlements": []}"#
      return .success(plan, at: time.wall)
    default: return .success(#"{"name": "\#(person)"}"#)
    }
  }

  private func tokens(_ number: Int, _ session: Session) -> String {
    Stage.tokens("\(session.person)-\(number)-\(session.generation)", time)
  }

  private func login(_ person: String) -> HTTPAnswer {
    state.withLock { state in
      state.sessions.append(Session(person: person))
      let number = state.sessions.count - 1
      let tokens = tokens(number, state.sessions[number])
      return .success(
        #"{"tokens": \#(tokens), "user": \#(Stage.user(person))}"#,
        at: time.wall
      )
    }
  }

  /// Person, number of the session and generation of a token: `access-ada-3-0`.
  private func parts(_ token: Substring) -> (number: Int, generation: Int)? {
    let parts = token.split(separator: "-")
    guard parts.count == 4, let number = Int(parts[2]), let generation = Int(parts[3]) else {
      return nil
    }
    return (number, generation)
  }

  private func caller(_ request: HTTPRequest) -> String? {
    let token = request.fields["authorization"]?.dropFirst("Bearer ".count) ?? ""
    guard let (number, generation) = parts(token) else { return nil }
    return state.withLock { state in
      let session = state.sessions[number]
      guard !session.isEnded, generation <= session.generation else { return nil }
      if generation == session.generation { state.sessions[number].isUsed = true }
      return session.person
    }
  }

  private func end(_ request: HTTPRequest) {
    let token = request.fields["authorization"]?.dropFirst("Bearer ".count) ?? ""
    guard let (number, _) = parts(token) else { return }
    state.withLock { $0.sessions[number].isEnded = true }
  }

  private struct Refresh: Decodable {
    var refreshToken: String
    var attempt: String
  }

  private func refresh(_ body: String) async -> HTTPAnswer {
    guard let body = try? JSONDecoder().decode(Refresh.self, from: Data(body.utf8)),
      let (number, generation) = parts(body.refreshToken[...])
    else { return .refusal(400, "INVALID_ARGUMENT", "FIELDS_INVALID") }
    state.withLock { state in
      // Two processes may send the same attempt.
      let others = state.sessions[number].attemptsUnderWay
      if others.count > (state.processCount - 1) || others.contains(where: { $0 != body.attempt }) {
        state.problems.append("two refreshes of one session at a time")
      }
      state.sessions[number].attemptsUnderWay.append(body.attempt)
    }
    await executor.pause()
    return state.withLock { state in
      let place = state.sessions[number].attemptsUnderWay.firstIndex(of: body.attempt)
      if let place { state.sessions[number].attemptsUnderWay.remove(at: place) }
      return take(body, number, generation, &state)
    }
  }

  private func take(
    _ body: Refresh,
    _ number: Int,
    _ generation: Int,
    _ state: inout State
  ) -> HTTPAnswer {
    var session = state.sessions[number]
    defer { state.sessions[number] = session }
    let refusal = HTTPAnswer.refusal(401, "UNAUTHENTICATED", "REFRESH_TOKEN_INVALID")
    guard !session.isEnded else { return refusal }
    if generation == session.generation {
      session.generation += 1
      session.attempt = body.attempt
      session.isUsed = false
    } else if generation != session.generation - 1 || session.isUsed
      || body.attempt != session.attempt
    {
      session.isEnded = true
      state.problems.append("a refresh token was used twice: the session of its person ended")
      return refusal
    }
    return .success(tokens(number, session), at: time.wall)
  }
}
