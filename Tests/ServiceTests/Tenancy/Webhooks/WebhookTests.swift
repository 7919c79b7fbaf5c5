import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing
import TextEncodings

@testable import ServiceTesting
@testable import TenancyService

@Suite("Webhooks: what they get, from whom, and in which form", .timeLimit(.minutes(5)))
struct WebhookTests {
  @Test("A webhook gets the events of its tenant once it has answered a ping, and no others")
  func webhook_getsItsTenantsEvents() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let (home, other) = (
        try await Building(stage, name: "a"), try await Building(stage, name: "b")
      )
      let owner = CallOptions.by(home.owner, isRecent: true)
      let made = try await stage.webhooks.create(
        .init(entityId: home.portfolio, url: "https://hooks.example.com/in"),
        options: owner
      )
      #expect(made.secret.hasPrefix("whsec_") && made.webhook?.state == .unconfirmed)
      await stage.deliver()
      #expect(try fixture.receiver.events().isEmpty)
      let id = try #require(made.webhook?.id)
      let ping = try await stage.webhooks.ping(.init(id: id), options: owner)
      #expect(ping.isAnswered && ping.status == 200 && ping.webhook?.state == .active)
      #expect(try fixture.receiver.taken().map { try ReceivedEvent($0).type } == ["webhook.ping"])

      try await home.set("online", false, stage)
      _ = try await stage.devices.update(
        .init(deviceId: home.door, name: "Front door"),
        options: .by(home.manager)
      )
      _ = try await stage.devices.update(
        .init(deviceId: other.door, name: "Elsewhere"),
        options: .by(other.manager)
      )
      await stage.deliver()
      let events = try fixture.receiver.events()
      #expect(events.map(\.type) == ["entity.updated"])
      #expect(events.first?.subject == home.door)
      #expect(events.first?.data["changed"] == "name")
      #expect(events.first?.data["actor"] == "user:\(home.manager)")
      #expect(events.first?.data["tenantId"] == home.portfolio)
      // Names are the tenant's to read, not the receiver's.
      #expect(!"\(events)".contains("Front door"))
    }
  }

  @Test("Roles, operations, refusals, invitations and moves are events with their identifiers")
  func events_sayWhatHappened() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      _ = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "unlock"),
        options: .by(home.tenant)
      )
      #expect(
        try await refusal {
          try await stage.devices.operate(
            .init(deviceId: home.cellar, operation: "unlock"),
            options: .by(home.tenant)
          )
        } != nil
      )
      _ = try await stage.guests.revoke(.init(passId: home.pass), options: .by(home.tenant))
      _ = try await stage.invitations.create(
        .init(entityId: home.unit, role: "tenant", email: "new@example.com"),
        options: .by(home.manager)
      )
      await stage.deliver()
      let events = try fixture.receiver.events()
      #expect(
        Set(events.map(\.type))
          == ["device.operated", "device.refused", "role.ended", "invitation.created"]
      )
      #expect(events.first { $0.type == "device.operated" }?.data["operation"] == "unlock")
      let ended = try #require(events.first { $0.type == "role.ended" })
      #expect(ended.data["userId"] == home.guest && ended.data["entityId"] == home.door)
      #expect(ended.data["why"] == "revoke" && ended.data["role"] == "guest")
      #expect(!"\(events)".contains("new@example.com"))
    }
  }

  @Test("A request is signed as Standard Webhooks say, by both secrets while both are good")
  func requests_areSigned() async throws {
    // The vector of the specification.
    let secret = try #require(decoded("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let signed = Array("msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}".utf8)
    let vector = HMACKey(secret).code(of: signed)
    #expect(
      Base64.encode(vector.span, isPadded: true) == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )

    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      func renamed(_ name: String) async throws -> HTTPFetch {
        _ = try await stage.devices.update(
          .init(deviceId: home.door, name: name),
          options: .by(home.manager)
        )
        await stage.deliver()
        return try #require(fixture.receiver.taken().last)
      }
      let first = try await renamed("One")
      #expect(try isSigned(first, by: made.secret, at: stage.clock.now))
      #expect(first.contentType == "application/cloudevents+json; charset=utf-8")
      #expect(first.field("webhook-id")?.hasPrefix("evt_") == true)

      let rotated = try await stage.webhooks.rotateSecret(
        .init(id: id),
        options: .by(home.owner, isRecent: true)
      )
      let second = try await renamed("Two")
      #expect(try isSigned(second, by: made.secret, at: stage.clock.now))
      #expect(try isSigned(second, by: rotated.secret, at: stage.clock.now))
      stage.clock.advance(86_400_000)
      let third = try await renamed("Three")
      #expect(try !isSigned(third, by: made.secret, at: stage.clock.now))
      #expect(try isSigned(third, by: rotated.secret, at: stage.clock.now))
    }
  }

  @Test("With a pair of keys the receiver has the public one, and the former signs for a day")
  func signatures_byPairs() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(
        on: home.portfolio,
        by: home.owner,
        signature: .ed25519,
        fixture
      )
      let webhook = try #require(made.webhook)
      #expect(made.secret.isEmpty && webhook.signature == .ed25519)
      func renamed(_ name: String) async throws -> HTTPFetch {
        _ = try await stage.devices.update(
          .init(deviceId: home.door, name: name),
          options: .by(home.manager)
        )
        await stage.deliver()
        return try #require(fixture.receiver.taken().last)
      }
      let first = try await renamed("One")
      #expect(try isSigned(first, byPairOf: webhook.publicKey))
      #expect(first.field("webhook-signature")?.contains(" ") == false)
      let rotated = try await stage.webhooks.rotateSecret(
        .init(id: webhook.id),
        options: .by(home.owner, isRecent: true)
      )
      let publicKey = try #require(rotated.webhook?.publicKey)
      #expect(rotated.secret.isEmpty && publicKey != webhook.publicKey)
      let second = try await renamed("Two")
      #expect(try isSigned(second, byPairOf: webhook.publicKey))
      #expect(try isSigned(second, byPairOf: publicKey))
      stage.clock.advance(86_400_000)
      let third = try await renamed("Three")
      #expect(try !isSigned(third, byPairOf: webhook.publicKey))
      #expect(try isSigned(third, byPairOf: publicKey))
      var changed = third
      changed.content[changed.content.count - 3] ^= 1
      #expect(try !isSigned(changed, byPairOf: publicKey))
      let listed = try await stage.webhooks.list(
        .init(entityId: home.portfolio),
        options: .by(home.owner)
      )
      #expect(listed.webhooks.map(\.publicKey) == [publicKey])
      let unknown = try await refusal {
        try await stage.webhooks.create(
          .init(
            entityId: home.portfolio,
            url: "https://hooks.example.com/in",
            signature: .init(rawValue: 9)
          ),
          options: .by(home.owner, isRecent: true)
        )
      }
      #expect(unknown == Refusal(.invalidArgument, "SIGNATURE_UNKNOWN"))
    }
  }

  /// Verifies with a public key as a receiver would.
  private func isSigned(_ request: HTTPFetch, byPairOf publicKey: String) throws -> Bool {
    #expect(publicKey.hasPrefix("whpk_"))
    let key = RawPublicKey.ed25519(try #require(decoded(String(publicKey.dropFirst(5)))))
    let id = try #require(request.field("webhook-id"))
    let timestamp = try #require(request.field("webhook-timestamp"))
    let signed = Array("\(id).\(timestamp).".utf8) + request.content
    let signatures = try #require(request.field("webhook-signature")).split(separator: " ")
    return try signatures.contains { signature throws -> Bool in
      #expect(signature.hasPrefix("v1a,"))
      let bytes = try #require(decoded(String(signature.dropFirst(4))))
      do {
        try key.verify(bytes, of: signed)
        return true
      } catch SignatureError.signature {
        return false
      }
    }
  }

  @Test("With a public address an event names the schema of its data")
  func dataschema_namesTheSchema() async throws {
    var fixture = WebhookFixture()
    fixture.settings.schemas = EventSchemaAddress(base: "https://api.example.com/t")
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      _ = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      _ = try await stage.devices.update(
        .init(deviceId: home.door, name: "Pier"),
        options: .by(home.manager)
      )
      await stage.deliver()
      let request = try #require(fixture.receiver.taken().last)
      let text = String(decoding: request.content, as: UTF8.self)
      let url = "https://api.example.com/t/schemas/events/entity.updated.v1.json"
      #expect(text.contains("\"dataschema\":\"\(url)\""))
    }
  }

  private func decoded(_ text: String) -> [UInt8]? { Base64.decode(text.utf8.span) }

  /// Verifies as a receiver would.
  private func isSigned(_ request: HTTPFetch, by secret: String, at now: Int64) throws -> Bool {
    let key = try #require(decoded(String(secret.dropFirst("whsec_".count))))
    let id = try #require(request.field("webhook-id"))
    let timestamp = try #require(request.field("webhook-timestamp"))
    #expect(timestamp == "\(now / 1000)")
    let code = HMACKey(key).code(of: Array("\(id).\(timestamp).".utf8) + request.content)
    let expected = "v1,\(Base64.encode(code.span, isPadded: true))"
    return request.field("webhook-signature")?.split(separator: " ").contains { $0 == expected }
      ?? false
  }

  @Test(
    "A webhook gets the types that it names, and nothing of what its role or its maker may not view"
  )
  func webhook_getsWhatItMayView() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      _ = try await stage.makeWebhook(
        on: home.portfolio,
        by: home.owner,
        types: ["role.*"],
        url: "https://roles.example.com/",
        fixture
      )
      let narrow = try await stage.makeWebhook(
        on: home.portfolio,
        by: home.owner,
        role: "guest",
        url: "https://guests.example.com/",
        fixture
      )
      // Guests may view devices, and no portfolios.
      for (id, name) in [(home.door, "D"), (home.gate, "G")] {
        _ = try await stage.devices.update(
          .init(deviceId: id, name: name),
          options: .by(home.manager)
        )
      }
      _ = try await stage.portfolios.update(
        .init(portfolioId: home.portfolio, name: "P"),
        options: .by(home.owner)
      )
      _ = try await stage.guests.revoke(.init(passId: home.pass), options: .by(home.tenant))
      await stage.deliver()
      let requests = fixture.receiver.taken()
      func subjects(_ host: String) throws -> [String] {
        try requests.filter { $0.url.contains(host) }.map { try ReceivedEvent($0).subject }
      }
      #expect(try subjects("roles.") == [home.door])
      #expect(try subjects("guests.").sorted() == [home.door, home.door, home.gate].sorted())
      let attempts = try await stage.webhooks.listAttempts(
        .init(id: narrow.webhook?.id ?? "", failuresOnly: true),
        options: .by(home.owner)
      )
      #expect(attempts.attempts.map(\.outcome) == [.notAllowed])
      #expect(attempts.attempts.map(\.object) == [home.portfolio])
    }
  }

  @Test(
    "Without the right to manage webhooks at the moment of a delivery nothing is sent, until somebody resumes"
  )
  func lostRight_pauses() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      try await stage.makeOperator("usr_operator")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      _ = try await stage.subjects.suspend(
        .init(userId: home.owner, note: "a test"),
        options: .by("usr_operator", isRecent: true)
      )
      _ = try await stage.devices.update(
        .init(deviceId: home.door, name: "One"),
        options: .by(home.manager)
      )
      await stage.deliver()
      #expect(fixture.receiver.taken().isEmpty)
      _ = try await stage.subjects.resume(
        .init(userId: home.owner),
        options: .by("usr_operator", isRecent: true)
      )
      let paused = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
      #expect(paused.state == .paused && paused.pausedBecause == .makerLostRole)
      #expect(paused.waitingCount == 1)
      _ = try await stage.webhooks.resume(.init(id: id), options: .by(home.owner))
      await stage.deliver()
      #expect(try fixture.receiver.events().map(\.subject) == [home.door])
    }
  }

  @Test("Strangers, and members without the right, neither make nor see webhooks")
  func strangers_areRefused() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      for user in [home.admin, home.manager, home.guest, "usr_stranger"] {
        let options = CallOptions.by(user, isRecent: true)
        let create = try await refusal {
          try await stage.webhooks.create(
            .init(entityId: home.portfolio, url: "https://hooks.example.com/in"),
            options: options
          )
        }
        #expect(create != nil, "\(user)")
        #expect(
          try await refusal { try await stage.webhooks.get(.init(id: id), options: options) } != nil
        )
        #expect(
          try await refusal { try await stage.webhooks.delete(.init(id: id), options: options) }
            != nil
        )
        #expect(
          try await refusal {
            try await stage.webhooks.list(.init(entityId: home.portfolio), options: options)
          } != nil
        )
      }
      #expect(
        try await refusal {
          try await stage.webhooks.create(
            .init(entityId: "sys_root", url: "https://hooks.example.com/in"),
            options: .by(home.owner, isRecent: true)
          )
        } != nil
      )
      #expect(
        try await refusal {
          try await stage.webhooks.create(
            .init(entityId: home.unit, url: "https://hooks.example.com/in"),
            options: .by(home.owner, isRecent: true)
          )
        } != nil
      )
    }
  }

  @Test(
    "Addresses of this network, other ports, plaintext, user names and unknown types are refused"
  )
  func addresses_areChecked() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let owner = CallOptions.by(home.owner, isRecent: true)
      for url in [
        "http://hooks.example.com/", "https://hooks.example.com:8443/", "ftp://hooks.example.com/",
        "https://user@hooks.example.com/", "https://hooks.example.com/#part", "https:///",
        "https://:443/",
        "https://[::1/", "https://hooks.example.com:/",
      ] {
        let found = try await refusal {
          try await stage.webhooks.create(.init(entityId: home.portfolio, url: url), options: owner)
        }
        #expect(found == Refusal(.invalidArgument, "WEBHOOK_URL_INVALID"), "\(url)")
      }
      for type in ["role.grant", "nothing.*", "role.**"] {
        let found = try await refusal {
          try await stage.webhooks.create(
            .init(entityId: home.portfolio, url: "https://hooks.example.com/", types: [type]),
            options: owner
          )
        }
        #expect(found == Refusal(.invalidArgument, "EVENT_TYPE_UNKNOWN"), "\(type)")
      }
      for _ in 0..<WebhookRecord.countMax {
        _ = try await stage.webhooks.create(
          .init(entityId: home.portfolio, url: "https://hooks.example.com/"),
          options: owner
        )
      }
      #expect(
        try await refusal {
          try await stage.webhooks.create(
            .init(entityId: home.portfolio, url: "https://hooks.example.com/"),
            options: owner
          )
        }?.reason == "TOO_MANY_WEBHOOKS"
      )
    }
  }

  @Test("What happened before a webhook was made is not sent to it")
  func past_isNotSent() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      stage.clock.advance(1)
      let made = try await stage.webhooks.create(
        .init(entityId: home.portfolio, url: "https://hooks.example.com/in"),
        options: .by(home.owner, isRecent: true)
      )
      _ = try await stage.webhooks.ping(
        .init(id: made.webhook?.id ?? ""),
        options: .by(home.owner)
      )
      await stage.deliver()
      #expect(try fixture.receiver.events().isEmpty)
    }
  }

  @Test("A webhook is pinged ten times a minute, and where none are sent none is made")
  func pings_areBounded() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      // One was sent when it was made.
      for _ in 1..<10 { _ = try await stage.webhooks.ping(.init(id: id), options: .by(home.owner)) }
      let refused = try await refusal {
        try await stage.webhooks.ping(.init(id: id), options: .by(home.owner))
      }
      #expect(refused == Refusal(.resourceExhausted, "TOO_MANY_PINGS"))
      #expect(fixture.receiver.taken().count == 9)
      stage.clock.advance(60_001)
      _ = try await stage.webhooks.ping(.init(id: id), options: .by(home.owner))
    }
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let refused = try await refusal {
        try await stage.webhooks.create(
          .init(entityId: home.portfolio, url: "https://hooks.example.com/"),
          options: .by(home.owner, isRecent: true)
        )
      }
      #expect(refused == Refusal(.failedPrecondition, "WEBHOOKS_OFF"))
    }
  }

  @Test(
    "The rule for sockets follows the address: public ones by TLS, opened networks for the rest"
  )
  func rules_followTheAddress() throws {
    let network = try #require(AddressNetwork("10.1.0.0/16"))
    let closed = WebhookAddresses()
    let open = WebhookAddresses(allowed: [network])
    #expect(closed.rule(of: "https://a.example/x") == .publicOnly)
    #expect(closed.rule(of: "https://a.example:443/x") == .publicOnly)
    #expect(open.rule(of: "https://a.example/x") == .publicAnd([network]))
    #expect(open.rule(of: "https://a.example:8443/x") == .only([network]))
    #expect(open.rule(of: "http://a.example/x") == .only([network]))
    let inside = SocketAddress.ipv4([10, 1, 2, 3], port: 80)
    let loopback = SocketAddress.ipv4([127, 0, 0, 1], port: 80)
    let wire = SocketAddress.ipv4([168, 63, 129, 16], port: 80)
    let mapped = SocketAddress.ipv6(
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1],
      port: 80
    )
    let outside = SocketAddress.ipv4([93, 184, 216, 34], port: 443)
    #expect(AddressRule.publicAnd([network]).allows(inside))
    #expect(AddressRule.publicAnd([network]).allows(outside))
    #expect(!AddressRule.only([network]).allows(outside))
    for forbidden in [loopback, wire, mapped] {
      #expect(!AddressRule.publicOnly.allows(forbidden))
      #expect(!AddressRule.publicAnd([network]).allows(forbidden))
      #expect(!AddressRule.only([network]).allows(forbidden))
    }
    #expect(!AddressRule.publicOnly.allows(inside))
  }

  @Test("Roles that begin and end by the clock are events, once each, also after a stop")
  func clock_makesEvents() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      _ = try await stage.makeWebhook(
        on: home.portfolio,
        by: home.owner,
        types: ["role.*"],
        fixture
      )
      let times = RoleTimes(core: stage.service.core)
      #expect(try await !times.advance())
      _ = try await stage.guests.grant(
        .init(
          userId: "usr_later",
          deviceIds: [home.door],
          validFrom: .init(milliseconds: stage.clock.now + 600_000),
          validUntil: .init(milliseconds: stage.clock.now + 1_200_000)
        ),
        options: .by(home.tenant)
      )
      await stage.deliver()
      #expect(try fixture.receiver.events().map(\.type) == ["role.granted"])
      stage.clock.advance(600_000)
      while try await times.advance() {}
      await stage.deliver()
      let started = try fixture.receiver.events()
      #expect(started.map(\.type) == ["role.started"])
      #expect(started.first?.data["userId"] == "usr_later")
      // The building's own pass ends an hour after the start.
      stage.clock.advance(7_200_000)
      while try await times.advance() {}
      while try await times.advance() {}
      await stage.deliver()
      let ended = try fixture.receiver.events()
      #expect(ended.map(\.type) == ["role.ended", "role.ended"])
      #expect(ended.map { $0.data["userId"] } == ["usr_later", home.guest])
      #expect(ended.allSatisfy { $0.data["why"] == "expired" })
    }
  }

  @Test("Events about an erased person are not sent")
  func erasure_dropsEvents() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      _ = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      _ = try await stage.guests.grant(
        .init(
          userId: "usr_leaving",
          deviceIds: [home.door],
          validUntil: .init(milliseconds: stage.clock.now + 600_000)
        ),
        options: .by(home.tenant)
      )
      await stage.service.webhooks?.intake.drain()
      let core = stage.service.core
      _ = try await Tenancy_V1.ErasureClient(stage.channel).eraseUser(
        .init(userId: "usr_leaving", pseudonym: "del_0123456789"),
        options: .byService("auth")
      )
      await stage.deliver()
      let events = try fixture.receiver.events()
      #expect(!"\(events)".contains("usr_leaving"))
      #expect(
        try await core.database.read { tx in
          try EventTable.list(after: 0, limit: 1000, in: tx).allSatisfy {
            $0.userID != "usr_leaving"
          }
        }
      )
    }
  }
}
