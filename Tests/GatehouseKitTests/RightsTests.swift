import Foundation
import GatehouseKit
import Observation
import Testing

extension Action {
  fileprivate static let viewHorses: Action = "viewHorses"
}

@Suite struct RightsTests {
  /// As the guide shows it: a wrapper in an observable class.
  @Observable
  final class ViewModel {
    @ObservationIgnored @Permission var canView: Bool
    @ObservationIgnored @FeatureFlag var hasAnalytics: Bool
    @ObservationIgnored @HasRole var isGroom: Bool

    init(_ gatehouse: Gatehouse) {
      _canView = Permission(.viewHorses, in: gatehouse)
      _hasAnalytics = FeatureFlag("analytics", in: gatehouse)
      _isGroom = HasRole("groom", in: gatehouse)
    }
  }

  /// Compiled only: the short form, which asks `Gatehouse.current`.
  @Observable
  final class ShortViewModel {
    @ObservationIgnored @Permission(.viewHorses) var canView
    @ObservationIgnored @FeatureFlag("analytics") var hasAnalytics
    @ObservationIgnored @HasRole("groom") var isGroom
  }

  @Test("Wrappers answer no while nothing is known, and as the server said afterwards")
  func wrappers_beforeAndAfterSignIn() async throws {
    let stage = Stage()
    let model = ViewModel(stage.gatehouse)
    #expect(!model.canView && !model.hasAnalytics && !model.isGroom)
    #expect(stage.gatehouse.rights.permission(.viewHorses) == .unknown)
    #expect(stage.gatehouse.rights.gate(.permission(.viewHorses)) == .wait)
    try await stage.signIn()
    #expect(model.canView && model.hasAnalytics && model.isGroom)
    #expect(stage.gatehouse.rights.permission("horse.delete") == .denied)
    #expect(stage.gatehouse.rights.permission("stable.view") == .allowed)
    #expect(stage.gatehouse.rights.permission("stable.view", on: "hrs_1") == .denied)
    #expect(stage.gatehouse.rights.permission("view", on: "hrs_2") == .denied)
  }

  @Test("Views that read a wrapper are told of a change")
  func wrapper_inObservation_tells() async throws {
    let stage = Stage()
    try await stage.signIn()
    let model = ViewModel(stage.gatehouse)
    await confirmation { told in
      withObservationTracking {
        _ = model.canView
      } onChange: {
        told()
      }
      _ = try? await stage.gatehouse.account.signOut()
    }
    #expect(!model.canView)
  }

  @Test("Fields, limits and gates follow the server's answer")
  func fieldsLimitsAndGates() async throws {
    let stage = Stage()
    try await stage.signIn()
    let rights = stage.gatehouse.rights
    #expect(rights.canViewField("chipNumber", of: "hrs_1"))
    #expect(rights.canViewField("name", of: "hrs_1"))
    #expect(!rights.canViewField("ownerEmail", of: "hrs_1"))
    #expect(!rights.canViewField("name", of: "hrs_2"))
    #expect(rights.isWithinLimit("maxHorses", count: 4))
    #expect(!rights.isWithinLimit("maxHorses", count: 5))
    #expect(rights.isWithinLimit("maxMembers", count: 5000))
    #expect(!rights.isWithinLimit("maxUnicorns", count: 0))
    #expect(rights.tier == "standard")
    #expect(rights.gate(.feature("analytics")) == .show)
    let unlocked = rights.entitlement("lessons")?.unlockedBy
    #expect(unlocked?.tier == "pro")
    #expect(rights.gate(.feature("lessons")) == .upgrade("lessons", unlocked))
    #expect(
      rights.gate(.featureAndPermission("lessons", "view")) == .upgrade("lessons", unlocked)
    )
    #expect(rights.gate(.featureAndPermission("lessons", "horse.delete")) == .hide)
    #expect(rights.gate(.anyPermission(["horse.delete", "view"])) == .show)
    #expect(rights.gate(.allPermissions(["horse.delete", "view"])) == .hide)
    #expect(rights.gate(.roles(["veterinarian", "groom"])) == .show)
  }

  @Test("Rights that have ended hide, features are shown for days while the server is away")
  func answers_ended_followOfflineRules() async throws {
    let stage = Stage()
    try await stage.signIn()
    let rights = stage.gatehouse.rights
    stage.time.advance(by: 301)
    #expect(!rights.permission("view").isAllowed)
    #expect(!rights.feature("analytics").isAllowed)
    for place in ["GET permissions", "GET entitlements"] {
      stage.transport.on(place) { _ in throw URLError(.notConnectedToInternet) }
    }
    await #expect(throws: KitError.self) { try await rights.refresh() }
    #expect(!rights.permission("view").isAllowed)
    #expect(rights.feature("analytics").isAllowed)
    stage.time.advance(by: 3 * 86_400)
    #expect(!rights.feature("analytics").isAllowed)
  }

  @Test("With an hour without a server allowed, rights are shown for that long")
  func rights_withOfflineRule_areKept() async throws {
    let stage = Stage(offline: OfflineRules(rights: .seconds(3600)))
    try await stage.signIn()
    stage.transport.on("GET permissions") { _ in throw URLError(.notConnectedToInternet) }
    stage.time.advance(by: 301)
    #expect(!stage.gatehouse.rights.permission("view").isAllowed)
    _ = try? await stage.gatehouse.rights.refresh()
    #expect(stage.gatehouse.rights.permission("view").isAllowed)
    stage.time.advance(by: 3600)
    #expect(!stage.gatehouse.rights.permission("view").isAllowed)
  }

  @Test("Another object has its own rights, and late answers about the old one are dropped")
  func select_other_dropsOldRights() async throws {
    let stage = Stage()
    try await stage.signIn()
    let rights = stage.gatehouse.rights
    let latch = Latch()
    stage.transport.on("GET permissions") { [time = stage.time] request in
      guard request.url.query?.contains("org_ada") == true else {
        return .success(Stage.permissions(["other"], time))
      }
      await latch.wait()
      return .success(Stage.permissions(["late"], time))
    }
    let late = Task { try await rights.refresh() }
    #expect(await eventually { stage.transport.requests("GET permissions").count == 2 })
    try await stage.gatehouse.account.select("org_2")
    latch.open()
    _ = await late.result
    #expect(rights.permission("other") == .allowed)
    #expect(rights.permission("late") == .denied)
    #expect(stage.gatehouse.account.context == "org_2")
    #expect(stage.restarted().account.context == nil)
    let again = stage.restarted()
    await again.account.restore()
    #expect(again.account.context == "org_2")
  }
}
