import Foundation
import GatehouseKit
import Synchronization
import Testing

@Suite struct ScheduleTests {
  /// Runs as many schedules as `KIT_SCHEDULES` says, 300 by default, from the seed `KIT_SCHEDULES_FROM` on.
  @Test("In whatever order people sign in and out, select and refresh, nobody sees another's")
  func schedules_random_keepRules() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      Schedule.run()
    }
    // The process of its own prints to nobody.
    let said = String(bytes: result?.standardOutputContent ?? [], encoding: .utf8) ?? ""
    let lines = said.split(separator: "\n").filter { $0.hasPrefix("schedule") }
    print(lines.joined(separator: "\n"))
    #expect(lines.last?.hasSuffix(", 0 failed") == true)
  }
}

/// A run of an app on one device, in which several tasks do what people and screens do, in an order by a seed.
private struct Schedule {
  private enum Deed: CaseIterable {
    case signInAda, signInBen, signOut, selectFirst, selectSecond, call, readRights, readUser
    case halfAnHour, nearTheEnd, revoke, restore
  }

  private static let contexts = ["org_ada", "org_ben", "org_first", "org_second"]
  private static let people = ["ada", "ben"]

  /// Runs one after another, and prints those that fail.
  static func run() {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["KIT_SCHEDULES"].flatMap(UInt64.init) ?? 300
    let first = environment["KIT_SCHEDULES_FROM"].flatMap(UInt64.init) ?? 1
    var failed = 0
    for seed in first..<first + count where failed < 5 {
      let problems = Set(Schedule(seed: seed).problems()).sorted()
      guard !problems.isEmpty else { continue }
      failed += 1
      print("schedule \(seed): \(problems.joined(separator: "; "))")
      print("schedule \(seed): replay by scripts/checks/app-kit --schedules 1 --from \(seed)")
    }
    print("schedules: \(count) from \(first) on, \(failed) failed")
  }

  private let executor: SeededExecutor
  private let server: ScheduledServer
  private let gatehouse: Gatehouse
  /// The app again, and in half of the runs its extension, another process with the same stores.
  private let processes: [Gatehouse]

  init(seed: UInt64) {
    executor = SeededExecutor(seed: seed)
    server = ScheduledServer(executor: executor)
    gatehouse = Self.app(server)
    let hasExtension = executor.number(below: 2) == 0
    processes = hasExtension ? [gatehouse, Self.app(server)] : [gatehouse]
    server.setProcessCount(processes.count)
  }

  private static func app(_ server: ScheduledServer) -> Gatehouse {
    Gatehouse(
      Configuration(gateway: Gateway(Stage.url), appVersion: "App 1"),
      secrets: server,
      cache: server,
      transport: server,
      time: server.time
    )
  }

  /// The rules that this run broke.
  func problems() -> [String] {
    executor.takingAll {
      begin { _ = try? await gatehouse.account.signIn(email: "ada@example.com", password: "p") }
      finish()
      for _ in 0..<2 + executor.number(below: 4) {
        begin {
          for _ in 0..<1 + executor.number(below: 4) { await act() }
        }
      }
      finish()
      begin { for process in processes { await process.account.restore() } }
      finish()
      for process in processes { look(at: process, "at the end") }
      if Set(processes.map(signedIn)).count > 1 {
        server.note("two processes think that different people are signed in")
      }
      restart()
    }
    return server.problems
  }

  private func begin(_ body: @escaping @Sendable () async -> Void) {
    executor.start { [self] in
      running.withLock { $0 += 1 }
      await body()
      running.withLock { $0 -= 1 }
    }
  }

  private let running = Counting()

  private final class Counting: Sendable {
    private let value = Mutex(0)
    func withLock<Result: Sendable>(_ body: (inout Int) -> Result) -> Result {
      value.withLock { value in body(&value) }
    }
  }

  /// Runs until nothing is left to do; who waits for a time gets it.
  private func finish() {
    executor.drain()
    while server.time.sleeperCount > 0 {
      server.time.advance(by: 30)
      executor.drain()
    }
    if running.withLock({ $0 }) > 0 { server.note("a task waits for something that never comes") }
  }

  private func act() async {
    await executor.pause()
    let gatehouse = processes[executor.number(below: processes.count)]
    let account = gatehouse.account
    switch Deed.allCases[executor.number(below: Deed.allCases.count)] {
    case .signInAda: _ = try? await account.signIn(email: "ada@example.com", password: "p")
    case .signInBen: _ = try? await account.signIn(email: "ben@example.com", password: "p")
    case .signOut: _ = try? await account.signOut()
    case .selectFirst: try? await account.select("org_first")
    case .selectSecond: try? await account.select("org_second")
    case .restore: await account.restore()
    case .call: await call(gatehouse)
    case .readRights: try? await gatehouse.rights.refresh()
    case .readUser:
      if let user = try? await account.refresh() {
        expectOwner(user.displayName, "a profile", gatehouse)
      }
    case .halfAnHour: server.time.advance(by: 1800)
    case .nearTheEnd: server.time.advance(by: 545)
    case .revoke: if executor.number(below: 4) == 0 { server.revokeAll() }
    }
    look(at: gatehouse, "on the way")
  }

  private func call(_ gatehouse: Gatehouse) async {
    let call = Call(.get, "thing")
    guard let owner = try? await gatehouse.call(call, as: Stage.Thing.self).name else { return }
    expectOwner(owner, "an answer", gatehouse)
  }

  /// What is handed out belongs to the person who is signed in now.
  private func expectOwner(_ owner: String, _ what: String, _ gatehouse: Gatehouse) {
    let person = signedIn(at: gatehouse)
    guard person != owner else { return }
    server.note("\(what) of \(owner) is shown to \(person ?? "nobody")")
  }

  private func signedIn(at gatehouse: Gatehouse) -> String? {
    guard case .signedIn(let id, _) = gatehouse.account.state else { return nil }
    return String(id.dropFirst("usr_".count))
  }

  /// What screens show belongs to the person and object of now.
  private func look(at gatehouse: Gatehouse, _ moment: String) {
    let person = signedIn(at: gatehouse)
    let context = gatehouse.account.context
    if let user = gatehouse.account.state.user, user.id != "usr_\(person ?? "")" {
      server.note("the profile of another one \(moment)")
    }
    if let tier = gatehouse.rights.tier, tier != person {
      server.note("the plan of \(tier) is shown to \(person ?? "nobody") \(moment)")
    }
    for other in Self.people {
      for place in Self.contexts {
        let verdict = gatehouse.rights.permission(Action(rawValue: "\(other)-\(place)"))
        guard verdict == .allowed, other != person || place != context else { continue }
        server.note("rights of \(other) at \(place) are shown to \(person ?? "nobody") \(moment)")
      }
    }
  }

  /// What is on the device is the present person's alone, and enough to go on with after a restart.
  private func restart() {
    let person = signedIn(at: gatehouse)
    for name in server.secrets.names + server.cache.names {
      executor.start { [self] in
        let data: Data? = await name == "session" ? secret() : server.cache.read(name)
        let text = String(bytes: data ?? Data(), encoding: .utf8) ?? ""
        for other in Self.people where other != person && (text + name).contains(other) {
          server.note("\(other)'s \(name) is left on the device of \(person ?? "nobody")")
        }
      }
    }
    executor.drain()
    if person == nil, !server.secrets.names.isEmpty { server.note("tokens are left") }
    let again = Self.app(server)
    begin { await goOn(again) }
    finish()
  }

  private func secret() async -> Data? {
    guard case .value(let data) = await server.secrets.read("session") as SecretRead else {
      return nil
    }
    return data
  }

  private func goOn(_ again: Gatehouse) async {
    let state = await again.account.restore()
    look(at: again, "after a restart")
    guard let person = signedIn(at: gatehouse) else {
      if case .signedIn = state { server.note("somebody is signed in after a restart") }
      return
    }
    guard case .signedIn("usr_\(person)", _) = state else {
      return server.note("\(person) is not signed in after a restart: \(state)")
    }
    if again.account.context != gatehouse.account.context {
      server.note("another object is selected after a restart")
    }
    server.time.advance(by: 1800)
    for _ in 0..<20 {
      let call = Call(.get, "thing")
      if let owner = try? await again.call(call, as: Stage.Thing.self).name {
        if owner != person { server.note("\(owner) is signed in after a restart") }
        return
      }
      server.time.advance(by: 120)
    }
    if case .signedOut(.ended) = again.account.state, server.hasRevoked { return }
    server.note("\(person) cannot go on after a restart: \(again.account.state)")
  }
}
