internal import PeerContracts
internal import RPCKit

/// The part of a user in a family, and the parents there.
struct FamilyStanding: Sendable {
  /// Whether a role lets the user into parent mode, with a step-up or without.
  var entersParentMode = false
  /// Whether the user may set the family's PIN.
  var setsPin = false
  /// The accounts that pair devices with the family, its parents: at most `parentCountMax`.
  var parents: [String] = []

  /// Parents of a family who get mails about it, at most.
  static let parentCountMax = 100
}

/// The actions of a family policy that AuthService asks about.
enum FamilyAction {
  /// Entering parent mode, on a parent's device or a child's.
  static let enterParentMode = "family.enter_parent_mode"
  /// Setting the family's PIN.
  static let setPin = "family.set_pin"
  /// Adding devices, which parents do and children never.
  static let pairDevices = "family.pair_devices"
}

extension UserContextSource {
  /// The part of a user in a family; none, where there is no such family or no policy with families.
  ///
  /// Throws UNAVAILABLE when TenancyService cannot be asked.
  func standing(of userID: String, in familyID: String) async throws -> FamilyStanding {
    let actions = [FamilyAction.enterParentMode, FamilyAction.setPin]
    let checks = actions.map {
      Tenancy_V1.CheckRequest(subjectId: userID, action: $0, entityId: familyID)
    }
    do {
      let answer = try await permissions.batchCheck(.init(checks: checks), timeout: Self.timeout)
      guard answer.decisions.count == actions.count else { return FamilyStanding() }
      let (entering, setting) = (answer.decisions[0], answer.decisions[1])
      var standing = FamilyStanding(
        entersParentMode: entering.allowed || entering.reason == .stepUpRequired,
        setsPin: setting.allowed
      )
      guard standing.entersParentMode || standing.setsPin else { return standing }
      standing.parents = try await parents(of: familyID)
      return standing
    } catch let error as RPCError where error.code == .invalidArgument {
      // The policy has no such action.
      return FamilyStanding()
    } catch {
      throw ContextError.unavailable("families", cause: error)
    }
  }

  private func parents(of familyID: String) async throws -> [String] {
    let answer = try await permissions.listSubjects(
      .init(
        entityId: familyID,
        action: FamilyAction.pairDevices,
        pageSize: UInt32(FamilyStanding.parentCountMax)
      ),
      timeout: Self.timeout
    )
    return Set(answer.subjects.map(\.userId)).sorted()
  }
}
