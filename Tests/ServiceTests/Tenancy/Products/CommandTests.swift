import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Commands for devices", .timeLimit(.minutes(5)))
struct CommandTests {
  private static let bridge = CallOptions.byService("bridge")
  typealias Events = ResponseStream<Tenancy_V1.CommandEvent>.AsyncIterator

  /// The next events that say something; heartbeats come when they like.
  private func next(
    _ count: Int,
    _ events: inout Events
  ) async throws -> [Tenancy_V1.CommandEvent] {
    var found: [Tenancy_V1.CommandEvent] = []
    while found.count < count, let event = try await events.next() {
      if event.kind != .heartbeat { found.append(event) }
    }
    return found
  }

  /// The commands of events; empty for those that have none.
  private func ids(_ events: [Tenancy_V1.CommandEvent]) -> [String] {
    events.map { $0.command?.id ?? "" }
  }

  private func watch(
    _ stage: TenancyStage,
    in property: String = "",
    after position: String = ""
  ) -> Events {
    stage.devices.watchCommands(
      .init(propertyId: property, afterPosition: position),
      options: CallOptions(timeout: .seconds(60), metadata: ["test-service": "bridge"])
    ).makeAsyncIterator()
  }

  /// What the tenant does to a device; the identifier of the command.
  @discardableResult
  private func operate(
    _ operation: String,
    _ device: String,
    _ stage: TenancyStage,
    by user: String
  ) async throws -> String {
    try await stage.devices.operate(
      .init(deviceId: device, operation: operation),
      options: .by(user)
    ).commandId
  }

  @Test("A bridge gets what it missed, once and in order, and then what is new")
  func watch_comesBack_getsEachOnce() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var given = [try await operate("lock", home.door, stage, by: home.tenant)]
      given.append(try await operate("unlock", home.door, stage, by: home.tenant))
      // Looking is nothing for the hardware to do.
      #expect(try await operate("view_status", home.door, stage, by: home.tenant).isEmpty)
      var events = watch(stage)
      let first = try await next(3, &events)
      #expect(first.map(\.kind) == [.command, .command, .current])
      #expect(ids(first) == given + [""])
      #expect(first.compactMap { $0.command?.operation } == ["lock", "unlock"])
      #expect(first.compactMap { $0.command?.propertyId } == [home.property, home.property])
      given.append(try await operate("lock", home.door, stage, by: home.tenant))
      #expect(try await ids(next(1, &events)) == [given[2]])
      // Away after the first event.
      given.append(try await operate("lock", home.gate, stage, by: home.tenant))
      var again = watch(stage, after: first[0].position)
      #expect(try await ids(next(4, &again)) == Array(given.dropFirst()) + [""])
      // One that knows nothing any more gets what was not acknowledged.
      for id in given.prefix(3) {
        _ = try await stage.devices.acknowledgeCommand(
          .init(commandId: id, outcome: .done),
          options: Self.bridge
        )
      }
      var fresh = watch(stage)
      #expect(try await ids(next(2, &fresh)) == [given[3], ""])
    }
  }

  @Test("A command that nobody has taken in time is not carried out any more")
  func command_expired_isNotSent() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let late = try await operate("unlock", home.door, stage, by: home.tenant)
      stage.clock.advance(CommandLimits.lifetime)
      let inTime = try await operate("lock", home.door, stage, by: home.tenant)
      var events = watch(stage)
      let found = try await next(2, &events)
      #expect(ids(found) == [inTime, ""])
      let command = try #require(found[0].command)
      #expect(command.expiresAt?.milliseconds == stage.clock.now + CommandLimits.lifetime)
      // The hardware may have begun with it just before, and says so.
      let answer = try await stage.devices.acknowledgeCommand(
        .init(commandId: late, outcome: .failed, detail: "jammed"),
        options: Self.bridge
      )
      #expect(answer.outcome == .failed)
      try await stage.service.purge(now: stage.clock.now + CommandLimits.retention + 1)
      let gone = try await refusal {
        try await stage.devices.acknowledgeCommand(
          .init(commandId: late, outcome: .done),
          options: Self.bridge
        )
      }
      #expect(gone == Refusal(.notFound, "NOT_FOUND"))
    }
  }

  @Test("An acknowledgement updates the device, and the first word stays")
  func acknowledge_reportsState() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let id = try await operate("lock", home.door, stage, by: home.tenant)
      func attributes(_ battery: Double) -> Google_Protobuf.Struct {
        .init(fields: ["battery": .init(kind: .numberValue(battery))])
      }
      let first = try await stage.devices.acknowledgeCommand(
        .init(commandId: id, outcome: .done, attributes: attributes(80)),
        options: Self.bridge
      )
      stage.clock.advance(1_000)
      let again = try await stage.devices.acknowledgeCommand(
        .init(commandId: id, outcome: .failed, attributes: attributes(10)),
        options: Self.bridge
      )
      #expect(again == first)
      #expect(first.outcome == .done)
      let device = try await stage.devices.get(
        .init(deviceId: home.door),
        options: .by(home.manager)
      )
      #expect(device.attributes?.fields["battery"]?.kind == .numberValue(80))
      #expect(device.desiredState == "locked")
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains(#"gatehouse_tenancy_commands_total{event="done"} 1"#))
      #expect(metrics.contains(#"gatehouse_tenancy_commands_total{event="failed"} 0"#))
    }
  }

  @Test("What the hardware reports takes effect: a device that is offline cannot be operated")
  func report_offline_isDecidedBy() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      func report(_ isOnline: Bool) async throws -> Bool {
        try await stage.devices.reportState(
          .init(
            deviceId: home.door,
            attributes: .init(fields: ["online": .init(kind: .boolValue(isOnline))])
          ),
          options: Self.bridge
        ).changed
      }
      #expect(try await report(false))
      #expect(try await !report(false))
      let refused = try await refusal {
        try await operate("unlock", home.door, stage, by: home.tenant)
      }
      #expect(refused == Refusal(.failedPrecondition, "DEVICE_OFFLINE"))
      #expect(try await report(true))
      // What was refused is no command.
      let id = try await operate("unlock", home.door, stage, by: home.tenant)
      var events = watch(stage)
      #expect(try await ids(next(2, &events)) == [id, ""])
      let unknown = try await refusal {
        try await stage.devices.reportState(.init(deviceId: "dev_1"), options: Self.bridge)
      }
      #expect(unknown == Refusal(.notFound, "NOT_FOUND"))
      let invalid = try await refusal {
        try await stage.devices.reportState(
          .init(
            deviceId: home.door,
            attributes: .init(fields: ["online": .init(kind: .stringValue("perhaps"))])
          ),
          options: Self.bridge
        )
      }
      #expect(invalid == Refusal(.invalidArgument, "ATTRIBUTE_INVALID"))
    }
  }

  @Test("A bridge of one property hears of that one alone, and a second one takes its place")
  func watch_ofProperty_isReplaced() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let other = try await Building(stage, name: "b")
      var old = watch(stage, in: home.property)
      #expect(try await next(1, &old).map(\.kind) == [.current])
      try await operate("lock", other.door, stage, by: other.tenant)
      let id = try await operate("lock", home.door, stage, by: home.tenant)
      #expect(try await ids(next(1, &old)) == [id])
      var elsewhere = watch(stage, in: other.property)
      #expect(try await next(2, &elsewhere).map(\.kind) == [.command, .current])
      var new = watch(stage, in: home.property)
      #expect(try await ids(next(2, &new)) == [id, ""])
      var ending: RPCError?
      do {
        while try await old.next() != nil {}
      } catch let error as RPCError {
        ending = error
      }
      #expect(ending?.reason == "WATCH_REPLACED")
      let latest = try await operate("unlock", home.door, stage, by: home.tenant)
      #expect(try await ids(next(1, &new)) == [latest])
    }
  }

  @Test("A bridge that takes no events is cut off with a reason, and has lost nothing")
  func watch_tooSlow_isCut() async throws {
    var policy = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    policy.replace(
      #""auto_lock_seconds": {"#,
      with: #"""
        "note": { "kind": "text", "max_bytes": 16384, "access": "use", "setting": true },
        "auto_lock_seconds": {
        """#,
      maxReplacements: 1
    )
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let home = try await Building(stage, name: "a")
      let text = String(repeating: "x", count: 14 << 10)
      var given: [String] = []
      for number in 0..<40 {
        given.append(
          try await stage.devices.operate(
            .init(
              deviceId: home.door,
              operation: "change_settings",
              parameters: .init(
                fields: ["note": .init(kind: .stringValue("\(number)\(text)"))]
              )
            ),
            options: .by(home.manager)
          ).commandId
        )
      }
      var slow = watch(stage, in: home.property)
      // Of 560 KB the stream takes 256 KiB before somebody reads; so the rest waits from here on.
      var seen = try await next(1, &slow)
      let property = home.property
      try await stage.service.database.write { tx in
        for _ in 0...CommandLimits.missedCountMax {
          try tx.appendChange(kind: CommandRecord.changeKind, subject: "dev_1", scope: property)
        }
      }
      var ending: RPCError?
      do {
        while let event = try await slow.next() { seen.append(event) }
      } catch let error as RPCError {
        ending = error
      }
      #expect(ending.map { Refusal($0) } == Refusal(.resourceExhausted, "WATCH_TOO_SLOW"))
      #expect(seen.count < given.count)
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains(#"gatehouse_tenancy_commands_total{event="watch_too_slow"} 1"#))
      var resumed = watch(stage, in: home.property, after: seen.last?.position ?? "")
      let rest = try await next(given.count - seen.count + 1, &resumed)
      #expect(ids(seen + rest) == given + [""])
    }
  }
}
