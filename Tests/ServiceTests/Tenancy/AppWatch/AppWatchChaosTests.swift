import Foundation
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// Many apps that are cut at random while buildings change at random: what each has put together from its events is
/// what it would read.
///
/// `WATCHERS=1000` has more of them.
@Suite("Watches of apps, cut at random", .timeLimit(.minutes(15)))
struct AppWatchChaosTests {
  private static var watcherCount: Int {
    ProcessInfo.processInfo.environment["WATCHERS"].flatMap { Int($0) } ?? 200
  }

  private static let changeCount = 400

  /// A world that changes.
  private struct World {
    let stage: TenancyStage
    let homes: [Building]
    let newcomers: [String]
    var generator: SeededGenerator
    /// Devices that were registered later, by building.
    var devices: [[String]]
    /// Tenants that were added, by building.
    var tenants: [[String]]
    /// How often each user's document was written.
    var writes: [String: Int] = [:]

    var users: [String] {
      homes.flatMap { [$0.owner, $0.admin, $0.manager, $0.tenant, $0.guest] } + newcomers
    }

    mutating func change() async throws {
      let place = Int.random(in: 0..<homes.count, using: &generator)
      let home = homes[place]
      let manager = CallOptions.by(home.manager)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0...2:
        try await write(users.randomElement(using: &generator) ?? home.owner)
      case 3, 4:
        let ids = [home.door, home.gate, home.cellar] + devices[place]
        let id = ids.randomElement(using: &generator) ?? home.door
        _ = try await stage.devices.update(
          .init(deviceId: id, name: "Name \(Int.random(in: 0..<1000, using: &generator))"),
          options: manager
        )
      case 5, 6:
        try await home.set("online", Bool.random(using: &generator), stage)
      case 7:
        let id = try await stage.devices.register(
          .init(
            propertyId: home.property,
            unitId: Bool.random(using: &generator) ? home.unit : "",
            name: "New",
            type: "lock"
          ),
          options: manager
        ).id
        devices[place].append(id)
      case 8:
        guard let id = devices[place].popLast() else { return }
        _ = try await stage.devices.delete(.init(deviceId: id), options: manager)
      case 9:
        let user = newcomers.randomElement(using: &generator) ?? home.owner
        guard !tenants[place].contains(user) else { return }
        _ = try await stage.units.addTenant(
          .init(unitId: home.unit, userId: user),
          options: manager
        )
        tenants[place].append(user)
      case 10:
        guard let user = tenants[place].popLast() else { return }
        _ = try await stage.units.removeTenant(
          .init(unitId: home.unit, userId: user),
          options: manager
        )
      default:
        guard let id = devices[place].last else { return }
        let unit = try await stage.devices.get(.init(deviceId: id), options: manager).unitId
        if unit.isEmpty {
          _ = try await stage.units.assignDevice(
            .init(unitId: home.unit, deviceId: id),
            options: manager
          )
        } else {
          _ = try await stage.units.unassignDevice(
            .init(unitId: home.unit, deviceId: id),
            options: manager
          )
        }
      }
    }

    mutating func write(_ user: String) async throws {
      let count = writes[user, default: 0] + 1
      writes[user] = count
      try await stage.documents(of: user).put("count", #"{"n":\#(count),"of":"\#(user)"}"#)
    }
  }

  @Test("Each sees every change of its own, in order, doubles marked, and nothing of others")
  func apps_cutAtRandom_seeTheirOwn() async throws {
    let channelCount = max(1, Self.watcherCount / 20)
    try await TenancyStage.run { stage in
      var homes: [Building] = []
      for name in ["a", "b", "c", "d", "e", "f"] {
        homes.append(try await Building(stage, name: name))
      }
      let userCount = max(8, Self.watcherCount / 5)
      var world = World(
        stage: stage,
        homes: homes,
        newcomers: (0..<userCount).map { "usr_new\($0)" },
        generator: SeededGenerator(state: 30),
        devices: homes.map { _ in [] },
        tenants: homes.map { _ in [] }
      )
      let users = world.users
      try await stage.withChannels(channelCount) { channels in
        let apps = (0..<Self.watcherCount).map { index in
          RandomApp(
            users[index % users.count],
            session: "ses_\(index)",
            channels[index % channels.count],
            stage.testLoop,
            seed: UInt64(index)
          )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for app in apps { group.addTask { await app.run() } }
          #expect(await stage.eventually { apps.allSatisfy(\.hasBegun) })
          for _ in 0..<Self.changeCount { try await world.change() }
          for user in users { try await world.write(user) }
          let writes = world.writes
          let areDone = await stage.eventually {
            apps.allSatisfy { $0.lastCount == writes[$0.user] }
          }
          #expect(areDone)
          group.cancelAll()
        }
        for app in apps {
          #expect(app.faults == [], "\(app.user)")
          let listed = try await stage.devices.list(
            .init(pageSize: 1000),
            options: .by(app.user)
          ).devices
          let expected = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0.name) })
          #expect(app.devices.mapValues(\.name) == expected, "\(app.user)")
        }
        let cuts = apps.reduce(0) { $0 + $1.cutCount }
        #expect(cuts > Self.watcherCount)
      }
      let areClosed = await stage.eventually {
        String(decoding: stage.metrics.render(), as: UTF8.self)
          .contains("gatehouse_tenancy_app_watches 0")
      }
      #expect(areClosed)
    }
  }
}

/// An app that keeps what it is told, and loses its stream again and again.
private final class RandomApp: Sendable {
  private struct State {
    var token = ""
    var devices: [String: Tenancy_V1.Device] = [:]
    /// When each device was last changed, as events have it.
    var changed: [String: Int64] = [:]
    var lastCount: Int?
    var hasBegun = false
    var needsList = true
    var faults: [String] = []
    var cutCount = 0
    var generator: SeededGenerator
  }

  let user: String
  private let channel: Channel
  private let session: String
  private let loop: any EventLoop
  private let state: Lock<State>
  private static let backoff = Backoff(20...2_000)

  init(
    _ user: String,
    session: String,
    _ channel: Channel,
    _ loop: any EventLoop,
    seed: UInt64
  ) {
    (self.user, self.session, self.channel, self.loop) = (user, session, channel, loop)
    state = Lock(State(generator: SeededGenerator(state: seed)))
  }

  var hasBegun: Bool { state.withLock { $0.hasBegun } }
  var lastCount: Int? { state.withLock { $0.lastCount } }
  var faults: [String] { state.withLock { $0.faults } }
  var devices: [String: Tenancy_V1.Device] { state.withLock { $0.devices } }
  var cutCount: Int { state.withLock { $0.cutCount } }

  private var options: CallOptions {
    CallOptions(
      timeout: .seconds(600),
      metadata: ["test-user": user, "test-acr": "pwd", "test-session": session]
    )
  }

  /// Watches until cancelled.
  func run() async {
    var refusalCount: Int64 = 0
    while !Task.isCancelled {
      let (token, count) = state.withLock { state in
        (state.token, Int.random(in: 1..<12, using: &state.generator))
      }
      do {
        try await watch(after: token, for: count)
        refusalCount = 0
      } catch {
        // Those that were cut may still count as open.
        let isExpected = error is CancellationError || (error as? RPCError)?.code == .cancelled
        let isBusy = (error as? RPCError)?.code == .resourceExhausted
        if !isExpected, !isBusy { note("\(error)") }
        if isBusy {
          // As clients do: later each time, and not all at the same instant.
          let pause = Self.backoff.spread(after: refusalCount, SystemRandomSource())
          refusalCount += 1
          await loop.sleep(.milliseconds(pause))
          continue
        }
      }
      state.withLock { $0.cutCount += 1 }
    }
  }

  private func watch(after token: String, for count: Int) async throws {
    var rest = count
    let events = Tenancy_V1.AppWatchClient(channel).watch(
      .init(resumeToken: token),
      options: options
    )
    for try await event in events {
      try await take(event)
      rest -= 1
      // Breaking the loop cancels the call.
      guard rest > 0 else { return }
    }
  }

  private func take(_ event: Tenancy_V1.AppEvent) async throws {
    switch event.kind {
    case .device: takeDevice(event)
    case .document: takeDocument(event)
    case .rights: state.withLock { $0.needsList = true }
    case .resync where event.objectType == "objects": note("resync")
    default: break
    }
    if state.withLock({ $0.needsList }) {
      let listed = try await Tenancy_V1.DevicesClient(channel).list(
        .init(pageSize: 1000),
        options: options
      ).devices
      state.withLock { state in
        state.needsList = false
        state.devices = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0) })
      }
    }
    state.withLock { state in
      // Not before: who is cut off in between must come back for it.
      state.token = event.resumeToken
      state.hasBegun = true
    }
  }

  private func takeDevice(_ event: Tenancy_V1.AppEvent) {
    state.withLock { state in
      guard let device = event.device else {
        if !event.gone { state.faults.append("no device") }
        state.devices[event.objectId] = nil
        return
      }
      let changed = device.updatedAt?.milliseconds ?? 0
      if changed < state.changed[device.id] ?? 0 { state.faults.append("backwards") }
      state.changed[device.id] = changed
      state.devices[device.id] = device
    }
  }

  private func takeDocument(_ event: Tenancy_V1.AppEvent) {
    let json = try? JSONReader.read(
      Array((event.document?.json ?? "").utf8),
      limits: JSONLimits(byteCountMax: 1000)
    ).object
    state.withLock { state in
      guard let count = json?["n"]?.number.flatMap({ Int($0.text) }) else {
        return state.faults.append("no document")
      }
      if json?["of"]?.string != user { state.faults.append("a document of another user") }
      if let last = state.lastCount {
        if count < last { state.faults.append("\(count) after \(last)") }
        if count == last, !event.repeated { state.faults.append("\(count) twice, unmarked") }
      }
      state.lastCount = count
    }
  }

  private func note(_ fault: String) { state.withLock { $0.faults.append(fault) } }
}
