import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Watches of apps that come back", .timeLimit(.minutes(5)))
struct ResumeTests {
  @Test("An app that comes back is told what it missed, the last of each object, and then CURRENT")
  func watch_resumed_missesNothing() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var app = AppClient(stage, home.tenant)
      try await app.current()
      let token = app.token
      try await home.set("online", false, stage)
      try await stage.documents(of: home.tenant).put("m1", #"{"n":1}"#)
      try await home.set("online", true, stage)
      try await stage.documents(of: home.tenant).put("m1", #"{"n":2}"#)
      for _ in 0..<2 {
        var again = AppClient(stage, home.tenant, after: token)
        #expect(try await again.current() == ["device \(home.door)", "document m1"])
      }
      // Within what was missed, too: each event has a token of its own.
      var part = AppClient(stage, home.tenant, after: token)
      _ = try await part.next()
      var rest = AppClient(stage, home.tenant, after: part.token)
      #expect(try await rest.current() == ["document m1 repeated"])
      var nothing = AppClient(stage, home.tenant, after: rest.token)
      #expect(try await nothing.current() == [])
    }
  }

  @Test("A role that ended in between shows nothing of what happened before it did")
  func watch_resumed_decidesAnew() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var app = AppClient(stage, home.tenant)
      try await app.current()
      try await home.set("online", false, stage)
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      var again = AppClient(stage, home.tenant, after: app.token)
      let told = try await again.current()
      #expect(told == ["rights"])
    }
  }

  @Test("A restart of the service misses nothing")
  func watch_afterRestart_continues() async throws {
    let folder = try TestFolder()
    var token = ""
    try await TenancyStage.run(in: folder) { stage in
      var app = AppClient(stage, "usr_ada")
      try await app.current()
      token = app.token
      try await stage.documents(of: "usr_ada").put("m1")
    }
    try await TenancyStage.run(in: folder) { stage in
      var again = AppClient(stage, "usr_ada", after: token)
      let told = try await again.current()
      // Where several programs serve the store, each start tells of its policy.
      let news = stage.service.core.database.isShared ? ["rights"] : []
      #expect(told.suffix(1 + news.count) == ["document m1"] + news)
    }
  }

  @Test("A token of another user, of nobody, or of something else is refused")
  func token_foreign_isRefused() async throws {
    try await TenancyStage.run { stage in
      var eve = AppClient(stage, "usr_eve")
      try await eve.current()
      let revision = try await stage.documents(of: "usr_ada").put("m1").revision
      let cut = String(eve.token.dropLast())
      for token in [eve.token, revision, "x", cut, eve.token + "AAAA"] {
        var app = AppClient(stage, "usr_ada", after: token)
        #expect(await app.ending() == "INVALID_ARGUMENT RESUME_TOKEN_INVALID", "\(token)")
      }
    }
  }

  @Test("Too far behind, or ahead of a store that was restored: read everything again")
  func watch_tooOld_resyncs() async throws {
    try await TenancyStage.run { stage in
      let user = UserIdentity(
        userID: "usr_ada",
        sessionID: "ses_test",
        token: BearerToken(""),
        acr: "pwd",
        authenticated: 0,
        tokenExpires: .max
      )
      try await stage.documents(of: "usr_ada").put("m1")
      let ahead = AppWatchPosition(
        revision: stage.service.database.revision + 1,
        relayed: stage.service.apps.relayed.end
      )
      var app = AppClient(stage, "usr_ada", after: ahead.token(of: user, stage.service.core.tokens))
      #expect(try await app.current() == ["resync objects"])
      #expect(try await app.told() == [])
    }
  }
}
