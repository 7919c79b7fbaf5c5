import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import AccessEngine
@testable import TenancyService

/// Something that ends all rights of a manager on a flat.
enum Loss: String, CaseIterable, Sendable {
  case roleRemoved, windowShortened, suspended, entityMoved, entityDeleted, featureLost
  case sessionRevoked

  /// What the manager is told afterwards.
  var refusal: Refusal {
    switch self {
    case .roleRemoved, .entityMoved, .entityDeleted: Refusal(.notFound, "NOT_FOUND")
    case .windowShortened: Refusal(.permissionDenied, "EXPIRED")
    case .suspended: Refusal(.permissionDenied, "SUBJECT_SUSPENDED")
    case .featureLost: Refusal(.failedPrecondition, "FEATURE_NOT_AVAILABLE")
    case .sessionRevoked: Refusal(.unauthenticated, "CREDENTIALS_INVALID")
    }
  }
}

/// A write that needs a right on the flat or on what is in it.
enum WriteKind: String, CaseIterable, Sendable {
  case grantPass, update, createBelow, operate, addRole, move, delete
}

/// A flat of its own for one race: nothing that happens to it concerns another one.
struct RaceWorld: Sendable {
  let index: Int
  let loss: Loss

  var manager: String { "usr_manager\(index)" }
  private var portfolio: EntityRecord { record("prt", SmartHome.portfolio, under: nil) }
  private var property: EntityRecord { record("prp", SmartHome.property, under: "prt") }
  private var elsewhere: EntityRecord { record("els", SmartHome.property, under: "prt") }
  private var flat: EntityRecord { record("unt", SmartHome.unit, under: "prp") }
  private var role: AssociationRecord {
    AssociationRecord(
      id: "asc_\(index)",
      userID: manager,
      entity: property,
      role: SmartHome.propertyManager,
      grantedBy: "",
      now: 0
    )
  }

  private func id(_ prefix: String) -> String { "\(prefix)_\(index)" }

  private func record(_ prefix: String, _ type: String, under parent: String?) -> EntityRecord {
    EntityRecord(
      id: id(prefix),
      type: type,
      parentID: parent.map(id) ?? Forest.systemIdentifier,
      rootID: id("prt"),
      name: prefix,
      attributes: type == SmartHome.device ? [SmartHome.kind: "lock"] : [:],
      now: 0
    )
  }

  // MARK: The store

  /// Builds it, behind the handlers' backs.
  func build(_ policy: Policy, _ tx: borrowing WriteTransaction) throws {
    for record in [
      portfolio, property, elsewhere, flat,
      record("dev", SmartHome.device, under: "unt"), record("old", SmartHome.device, under: "unt"),
      record("new", SmartHome.device, under: "prp"),
    ] { _ = try EntityTable.put(record, insteadOf: nil, policy, in: tx) }
    _ = try AssociationTable.put(role, policy, in: tx)
  }

  /// Takes the manager's rights, and notes in the audit log when that was.
  func lose(_ core: TenancyCore, _ endings: Endings, _ tx: borrowing WriteTransaction) throws {
    let policy = core.policy
    switch loss {
    case .roleRemoved: _ = try AssociationTable.remove(role, policy, in: tx)
    case .windowShortened:
      var role = role
      role.validUntil = core.clock.now
      _ = try AssociationTable.put(role, policy, in: tx)
    case .suspended:
      _ = try SuspensionTable.suspend(
        SuspensionRecord(userID: manager, note: "", suspendedBy: "", now: tx.now),
        policy,
        in: tx
      )
    case .entityMoved:
      var moved = try EntityTable.known(flat.id, type: SmartHome.unit, in: tx)
      let before = moved
      moved.parentID = elsewhere.id
      _ = try EntityTable.put(moved, insteadOf: before, policy, in: tx)
    case .entityDeleted:
      for record in try EntityTable.subtree(of: flat.id, in: tx) {
        for association in try AssociationTable.all(on: record.id, in: tx) {
          _ = try AssociationTable.remove(association, policy, in: tx)
        }
        _ = try EntityTable.remove(record, policy, in: tx)
      }
    case .featureLost: endings.end(featuresOf: portfolio.id)
    case .sessionRevoked: endings.revoke(session: "ses_\(manager)")
    }
    try tx.audit(
      AuditRecord(
        actor: Self.loser,
        requestID: "",
        action: loss.rawValue,
        object: manager,
        scope: ""
      )
    )
  }

  /// Whom the audit log names for losses.
  static let loser = "svc://race"

  // MARK: Calls

  /// Does something as the manager; nil when it was done.
  func attempt(_ deed: WriteKind, _ stage: RaceStage) async -> Refusal? {
    let call = CallOptions.by(manager)
    let (flat, device) = (flat.id, id("dev"))
    do {
      switch deed {
      case .grantPass:
        _ = try await stage.guests.grant(
          .init(
            userId: "usr_guest\(index)",
            deviceIds: [device],
            validUntil: .init(milliseconds: TenancyStage.start + 3_600_000)
          ),
          options: call
        )
      case .update:
        _ = try await stage.units.update(.init(unitId: flat, name: "renamed"), options: call)
      case .createBelow:
        _ = try await stage.devices.register(
          .init(propertyId: id("prp"), unitId: flat, name: "Lamp", type: "light"),
          options: call
        )
      case .operate:
        _ = try await stage.devices.operate(
          .init(deviceId: device, operation: "unlock"),
          options: call
        )
      case .addRole:
        _ = try await stage.units.addTenant(
          .init(unitId: flat, userId: "usr_tenant\(index)"),
          options: call
        )
      case .move:
        _ = try await stage.units.assignDevice(
          .init(unitId: flat, deviceId: id("new")),
          options: call
        )
      case .delete:
        _ = try await stage.devices.delete(.init(deviceId: id("old")), options: call)
      }
      return nil
    } catch let error as RPCError {
      return Refusal(error)
    } catch {
      return Refusal(.unknown, "\(error)")
    }
  }
}
