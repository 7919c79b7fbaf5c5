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
  /// The same for one child.
  static let pairChildDevices = "child.pair_devices"
  /// Exporting, deleting and handing over the account of a child.
  static let manageChildAccount = "child.manage_account"
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

  /// Whether a user may do something to an object, without any step-up.
  ///
  /// Throws UNAVAILABLE when TenancyService cannot be asked.
  func may(_ userID: String, _ action: String, on id: String) async throws -> Bool {
    let check = Tenancy_V1.CheckRequest(subjectId: userID, action: action, entityId: id)
    do {
      let answer = try await permissions.batchCheck(.init(checks: [check]), timeout: Self.timeout)
      return answer.decisions.first?.allowed == true
    } catch let error as RPCError where error.code == .invalidArgument {
      // The policy has no such action.
      return false
    } catch {
      throw ContextError.unavailable("families", cause: error)
    }
  }

  /// Pairs a device with a child's account, in the name of a parent.
  func pair(
    _ request: Tenancy_V1.PairChildDeviceRequest
  ) async throws -> Tenancy_V1.PairChildDeviceResponse {
    try await passing { try await childDevices.pair(request, timeout: Self.timeout) }
  }

  /// Ends the pairing of a child's device, in the name of a parent.
  func unpair(_ request: Tenancy_V1.UnpairChildDeviceRequest) async throws {
    _ = try await passing { try await childDevices.unpair(request, timeout: Self.timeout) }
  }

  /// Passes on what TenancyService refuses; UNAVAILABLE for everything else.
  private func passing<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
    do {
      return try await ask()
    } catch let error as RPCError
      where [.notFound, .failedPrecondition, .permissionDenied].contains(error.code)
    {
      throw error
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
