import Foundation
import GatehouseKit
import Testing

@Suite struct SessionTests {
  private func token(_ request: HTTPRequest?) -> String? { request?.fields["authorization"] }

  @Test("A person signs in, calls, and signs out with nothing left")
  func signIn_callAndSignOut_leavesNothing() async throws {
    let stage = Stage()
    let user = try await stage.signIn()
    #expect(user?.displayName == "ada")
    #expect(try await stage.callThing().name == "thing")
    #expect(token(stage.transport.requests("GET thing").last) == "Bearer access-ada-0")
    #expect(stage.secrets.names == ["session"])
    #expect(!stage.cache.names.isEmpty)
    #expect(try await stage.gatehouse.account.signOut())
    #expect(stage.secrets.names.isEmpty)
    #expect(stage.cache.names.isEmpty)
    #expect(stage.gatehouse.account.state == .signedOut(.signedOut))
    #expect(token(stage.transport.requests("POST auth/logout").last) == "Bearer access-ada-0")
    await #expect(throws: KitError.self) { try await stage.callThing() }
  }

  @Test("64 callers with one ended token make one refresh")
  func callers_withEndedToken_refreshOnce() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.time.advance(by: 700)
    try await withThrowingTaskGroup { group in
      for _ in 0..<64 { group.addTask { try await stage.callThing().name } }
      for try await name in group { #expect(name == "thing") }
    }
    #expect(stage.transport.requests("POST auth/refresh").count == 1)
    let tokens = Set(stage.transport.requests("GET thing").compactMap(token))
    #expect(tokens == ["Bearer access-ada-1"])
  }

  @Test("64 calls that are refused with one token make one refresh, late ones none")
  func callers_refused_refreshOnce() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.transport.on("GET thing") { request in
      request.fields["authorization"] == "Bearer access-ada-0"
        ? .refusal(401, "UNAUTHENTICATED", "CREDENTIALS_INVALID") : .success(#"{"name": "new"}"#)
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<64 { group.addTask { try await stage.callThing().name } }
      for try await name in group { #expect(name == "new") }
    }
    #expect(stage.transport.requests("POST auth/refresh").count == 1)
  }

  @Test("A caller that is cancelled does not end the refresh of others")
  func caller_cancelled_othersGetTokens() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.time.advance(by: 700)
    let latch = Latch()
    let tokens = Stage.tokens("ada-9", stage.time)
    stage.transport.on("POST auth/refresh") { _ in
      await latch.wait()
      try Task.checkCancellation()
      return .success(tokens)
    }
    let first = Task { try await stage.callThing() }
    #expect(await eventually { !stage.transport.requests("POST auth/refresh").isEmpty })
    let second = Task { try await stage.callThing() }
    first.cancel()
    latch.open()
    #expect(try await second.value.name == "thing")
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(stage.transport.requests("POST auth/refresh").count == 1)
  }

  @Test("A token is refreshed before it ends, and nobody waits for that")
  func token_nearItsEnd_isRefreshedBeside() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.time.advance(by: 550)
    try await stage.callThing()
    #expect(token(stage.transport.requests("GET thing").last) == "Bearer access-ada-0")
    #expect(await eventually { stage.transport.requests("POST auth/refresh").count == 1 })
    #expect(
      await eventually {
        _ = try? await stage.callThing()
        return token(stage.transport.requests("GET thing").last) == "Bearer access-ada-1"
      }
    )
    #expect(stage.transport.requests("POST auth/refresh").count == 1)
  }

  @Test("A refresh that comes back after signing out changes nothing")
  func refresh_afterSignOut_isDropped() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.time.advance(by: 700)
    let latch = Latch()
    let tokens = Stage.tokens("ada-9", stage.time)
    stage.transport.on("POST auth/refresh") { _ in
      await latch.wait()
      return .success(tokens)
    }
    let late = Task { try await stage.callThing() }
    #expect(await eventually { !stage.transport.requests("POST auth/refresh").isEmpty })
    try await stage.gatehouse.account.signOut()
    try await stage.signIn("ben")
    latch.open()
    await #expect(throws: KitError.self) { try await late.value }
    try await stage.callThing()
    #expect(token(stage.transport.requests("GET thing").last) == "Bearer access-ben-0")
    #expect(stage.gatehouse.account.state.user?.id == "usr_ben")
    #expect(stage.cache.names.allSatisfy { $0.contains("usr_ben") })
  }

  @Test("An answer that comes after another person has signed in is not handed out")
  func answer_ofFormerPerson_isDropped() async throws {
    let stage = Stage()
    try await stage.signIn()
    let latch = Latch()
    stage.transport.on("GET thing") { _ in
      await latch.wait()
      return .success(#"{"name": "ada's"}"#)
    }
    let late = Task { try await stage.callThing() }
    #expect(await eventually { !stage.transport.requests("GET thing").isEmpty })
    try await stage.gatehouse.account.signOut()
    try await stage.signIn("ben")
    latch.open()
    await #expect(throws: KitError.self) { try await late.value }
  }

  @Test("An app that is killed before the answer repeats the same attempt and stays signed in")
  func refresh_interrupted_isRepeatedWithItsAttempt() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.time.advance(by: 700)
    stage.transport.on("POST auth/refresh") { _ in throw URLError(.networkConnectionLost) }
    await #expect(throws: KitError.self) { try await stage.callThing() }
    let tokens = Stage.tokens("ada-1", stage.time)
    stage.transport.on("POST auth/refresh", .success(tokens))
    let again = stage.restarted()
    _ = try await again.call(Call(.get, "thing"), as: Stage.Thing.self)
    let bodies = stage.transport.requests("POST auth/refresh").map(\.body)
    #expect(bodies.count == 2)
    #expect(bodies[0] == bodies[1])
    stage.time.advance(by: 700)
    _ = try await again.call(Call(.get, "thing"), as: Stage.Thing.self)
    #expect(stage.transport.requests("POST auth/refresh").last?.body != bodies[0])
  }

  @Test(
    "Only a refusal of the refresh token signs out",
    arguments: [
      HTTPAnswer(status: 200, body: Data("<html>Welcome to the hotel".utf8)),
      HTTPAnswer(status: 404, body: Data("<html>".utf8)),
      .refusal(503, "UNAVAILABLE", "OVERLOADED"),
      .refusal(429, "RESOURCE_EXHAUSTED", "REFRESH_REPEATED_TOO_OFTEN"),
      .refusal(500, "INTERNAL", "INTERNAL"),
    ]
  )
  func refresh_failing_keepsSession(_ answer: HTTPAnswer) async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.time.advance(by: 700)
    stage.transport.on("POST auth/refresh", answer)
    let error = await #expect(throws: KitError.self) { try await stage.callThing() }
    #expect(error?.kind == .offline)
    #expect(stage.gatehouse.account.state.user != nil)
    #expect(stage.secrets.names == ["session"])
  }

  @Test("A refused refresh token ends the session, with nothing left")
  func refresh_refused_signsOut() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.time.advance(by: 700)
    stage.transport.on(
      "POST auth/refresh",
      .refusal(401, "UNAUTHENTICATED", "REFRESH_TOKEN_INVALID")
    )
    let error = await #expect(throws: KitError.self) { try await stage.callThing() }
    #expect(error?.endReason == .ended)
    #expect(stage.gatehouse.account.state == .signedOut(.ended))
    #expect(await eventually { stage.secrets.names.isEmpty && stage.cache.names.isEmpty })
  }

  @Test("While the server is away, refreshes pause longer and longer, and the old token goes on")
  func server_away_refreshesPause() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.transport.on("POST auth/refresh") { _ in throw URLError(.cannotConnectToHost) }
    stage.time.advance(by: 550)
    try await stage.callThing()
    #expect(await eventually { stage.transport.requests("POST auth/refresh").count == 1 })
    try await stage.callThing()
    stage.time.advance(by: 60)
    // It waits for the refresh that nobody waited for, if that has not failed yet, or begins another.
    await #expect(throws: KitError.self) { try await stage.callThing() }
    let before = stage.transport.requests("POST auth/refresh").count
    stage.time.advance(by: 60)
    for _ in 0..<8 { await #expect(throws: KitError.self) { try await stage.callThing() } }
    #expect(stage.transport.requests("POST auth/refresh").count == before + 1)
    await stage.gatehouse.account.retryNow()
    let tokens = Stage.tokens("ada-1", stage.time)
    stage.transport.on("POST auth/refresh", .success(tokens))
    try await stage.callThing()
  }

  @Test("A store that cannot be read now is not taken for an empty one")
  func store_unavailable_isUnknown() async throws {
    let store = LockedStore()
    let stage = Stage(secrets: store)
    #expect(await stage.gatehouse.account.restore() == .unknown)
    let error = await #expect(throws: KitError.self) { try await stage.callThing() }
    #expect(error?.kind == .storage)
    store.unlock()
    #expect(await stage.gatehouse.account.restore() == .signedOut(.never))
  }

  @Test("Tokens that cannot be kept are not used")
  func store_full_keepsOldTokens() async throws {
    let store = LockedStore()
    store.unlock()
    let stage = Stage(secrets: store)
    try await stage.signIn()
    stage.time.advance(by: 700)
    store.fill(true)
    let error = await #expect(throws: KitError.self) { try await stage.callThing() }
    #expect(error?.kind == .storage)
    store.fill(false)
    stage.time.advance(by: 5)
    try await stage.callThing()
  }

  @Test("A device whose clock was set back refreshes after a restart")
  func clock_setBack_refreshesAfterRestart() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.time.setWall(by: -86_400)
    _ = try await stage.restarted().call(Call(.get, "thing"), as: Stage.Thing.self)
    #expect(stage.transport.requests("POST auth/refresh").count == 1)
  }

  @Test("A device whose clock is a day wrong keeps a token as long as it lives")
  func clock_wrong_countsByServer() async throws {
    let stage = Stage()
    stage.time.setWall(by: 86_400)
    let right = ManualTime()
    stage.transport.on("POST auth/login") { _ in
      .success(
        #"{"tokens": \#(Stage.tokens("ada-0", right)), "user": \#(Stage.user("ada"))}"#,
        at: right.wall
      )
    }
    try await stage.signIn()
    try await stage.callThing()
    #expect(stage.transport.requests("POST auth/refresh").isEmpty)
    _ = try await stage.restarted().call(Call(.get, "thing"), as: Stage.Thing.self)
    #expect(stage.transport.requests("POST auth/refresh").isEmpty)
  }

  @Test("A restart shows the person and its rights before the server is asked")
  func restart_withoutServer_showsWhatIsKnown() async throws {
    let stage = Stage()
    try await stage.signIn()
    let again = stage.restarted()
    let asked = stage.transport.requests("GET permissions").count
    #expect(await again.account.restore().user?.id == "usr_ada")
    #expect(again.rights.permission("viewHorses") == .allowed)
    #expect(again.account.context == "org_ada")
    #expect(stage.transport.requests("GET permissions").count == asked)
  }

  @Test("A busy server is asked again after the pause that it names")
  func server_busy_isAskedAgain() async throws {
    let stage = Stage()
    try await stage.signIn()
    let count = Stage.Counter()
    stage.transport.on("GET thing") { _ in
      count.next() == 1
        ? .refusal(503, "UNAVAILABLE", "OVERLOADED", fields: ["retry-after": "2"])
        : .success(#"{"name": "thing"}"#)
    }
    let call = Task { try await stage.callThing() }
    #expect(await eventually { stage.time.sleeperCount == 1 })
    stage.time.advance(by: 2)
    #expect(try await call.value.name == "thing")
  }

  @Test("Errors have no token, address or body in their text")
  func error_asText_hasNoSecrets() async throws {
    let stage = Stage()
    stage.transport.on("POST auth/login", .refusal(401, "UNAUTHENTICATED", "INVALID_CREDENTIALS"))
    let error = await #expect(throws: KitError.self) { try await stage.signIn() }
    #expect(error?.description == "wrongCredentials INVALID_CREDENTIALS (request req_1)")
  }
}
