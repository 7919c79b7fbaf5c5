import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit

@testable import TenancyService

/// A family with two children, and somebody in each adult's role.
struct FamilyHome: Sendable {
  static let organizer = "usr_olive"
  static let parent = "usr_paul"
  static let guardian = "usr_gwen"
  /// The child's account, which holds nothing before its device is paired.
  static let annie = "usr_annie"

  let stage: TenancyStage
  let family: String
  let ann: String
  let ben: String

  var calls: Tenancy_V1.FamiliesClient { stage.families }

  /// Runs `body` in a service with the policy of families.
  static func run(
    familyAccounts: (any FamilyAccounts)? = nil,
    _ body: (FamilyHome) async throws -> Void
  ) async throws {
    let policy = try PolicyFile.bytes("family")
    try await TenancyStage.run(policy: policy, familyAccounts: familyAccounts) { stage in
      try await body(FamilyHome(stage))
    }
  }

  init(_ stage: TenancyStage, organizer: String = organizer) async throws {
    self.stage = stage
    family = try await stage.create("family", name: "Kerr", by: organizer).id
    ann = try await stage.create("child", under: family, name: "Ann", by: organizer).id
    ben = try await stage.create("child", under: family, name: "Ben", by: organizer).id
    guard organizer == Self.organizer else { return }
    for (user, role) in [(Self.parent, "parent"), (Self.guardian, "guardian")] {
      try await stage.grant(role, on: family, to: user, by: organizer)
    }
  }

  /// A code for a child's device, or a parent's without a child.
  func code(for child: String = "", by user: String = parent) async throws -> String {
    try await calls.createPairingCode(
      .init(familyId: family, deviceRole: child.isEmpty ? .parent : .child, childId: child),
      options: .by(user)
    ).code
  }

  @discardableResult
  func pair(
    _ code: String,
    device: String = "ipad-1",
    by user: String = annie
  ) async throws -> Tenancy_V1.Pairing {
    try await calls.pairDevice(
      .init(code: code, deviceId: device, deviceName: "iPad"),
      options: .by(user)
    ).pairing ?? .init()
  }

  func context(
    of device: String = "ipad-1",
    for user: String = annie,
    acr: String = "pwd",
    purpose: String? = nil
  ) async throws -> Tenancy_V1.DeviceContext {
    try await calls.getDeviceContext(
      .init(deviceId: device),
      options: .by(user, acr: acr, purpose: purpose)
    )
  }

  /// Why a device was not paired; nil when it was.
  func refusedPair(
    _ code: String,
    device: String = "ipad-1",
    by user: String = annie
  ) async throws -> String? {
    do {
      try await pair(code, device: device, by: user)
      return nil
    } catch let error as RPCError {
      return error.reason
    }
  }

  /// Why a code was not made; nil when it was.
  func refusedCode(for child: String = "", by user: String = parent) async throws -> String? {
    do {
      _ = try await code(for: child, by: user)
      return nil
    } catch let error as RPCError {
      return error.reason
    }
  }

  /// Why a user is not told what a device is; nil when it is.
  func refusedContext(
    of device: String = "ipad-1",
    for user: String = annie
  ) async throws -> String? {
    do {
      _ = try await context(of: device, for: user)
      return nil
    } catch let error as RPCError {
      return error.reason
    }
  }

  /// What a mode of a device says to a user; nil when the device does not have it.
  func reason(
    _ mode: Tenancy_V1.DeviceMode,
    of device: String = "ipad-1",
    for user: String = annie,
    acr: String = "pwd",
    purpose: String? = nil
  ) async throws -> String? {
    let modes = try await context(of: device, for: user, acr: acr, purpose: purpose).modes
    return modes.first { $0.mode == mode }?.reason
  }

  /// A call in parent mode, which the PIN of a family has opened: of this one, if no other is given.
  func inParentMode(_ user: String, of other: String? = nil) -> CallOptions {
    .by(
      user,
      acr: "family_pin",
      purpose: "family.enter_parent_mode",
      object: other ?? family
    )
  }

  /// The answer to a call that asks for one action.
  func reason(
    _ action: String,
    on id: String,
    _ options: CallOptions
  ) async throws -> Tenancy_V1.Reason {
    try await stage.permissions.check(.init(action: action, entityId: id), options: options).reason
  }

  /// Whether a user may do something to a child.
  func may(_ user: String, _ action: String, _ child: String) async throws -> Bool {
    try await stage.reason(user, action, child) == .allowed
  }
}
