internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `auth.v1.Children`: accounts that parents make for their children.
struct ChildrenHandler: Auth_V1.ChildrenService {
  let deletions: DeletionSaga
  let exports: ExportsHandler

  var core: AuthCore { deletions.core }

  func beginSession(
    _ request: Auth_V1.BeginChildSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.BeginChildSessionResponse {
    let (parent, childID) = (try call.requireUser(), request.childId)
    try await require(FamilyAction.pairChildDevices, on: childID, parent)
    let core = core
    // Before anything is made: what cannot be signed must not be begun.
    let signer = try await core.signer()
    let account = try await account(of: childID, for: parent, call)
    let device = DeviceDescription(request.device)
    let paired = try await core.contexts.pair(
      .init(
        parentId: parent.userID,
        childId: childID,
        userId: account.userID,
        deviceId: request.deviceId,
        deviceName: device.name
      )
    )
    let network = CallSource(call, core.settings.sourceLimits).network
    var session = core.newSession(
      of: account.userID,
      from: device,
      network: network,
      proof: .child,
      now: core.clock.now
    )
    (session.childDevice, session.pairingID) = (request.deviceId, paired.pairingId)
    let (begun, endsMine) = (session, request.endMine)
    let ended = try await core.store.write(call) { tx in
      try begin(begun, named: paired.childName, for: parent, endingTheirs: endsMine, in: tx)
    }
    core.countRevoked(ended)
    core.outbox.wake()
    return .init(
      tokens: core.tokens(of: begun, by: signer),
      userId: account.userID,
      pairingId: paired.pairingId
    )
  }

  /// The account of a child, made if there is none.
  ///
  /// Before its device is paired: what is made for nothing is found by the next attempt.
  private func account(
    of childID: String,
    for parent: UserIdentity,
    _ call: CallContext
  ) async throws -> ChildAccountRecord {
    let (core, now) = (core, core.clock.now)
    return try await core.store.write(call) { tx in
      try core.requireActiveSession(of: parent, now: now, in: tx)
      // The child was deleted since it was asked for.
      guard try !core.secrets.tombstones.contains(.holder(childID), in: tx) else {
        throw ChildError.unknown
      }
      if let known = try ChildAccountTable.find(ofChild: childID, in: tx) { return known }
      let user = UserRecord(
        id: core.identifiers.make(.user),
        email: "",
        isEmailVerified: false,
        created: now,
        updated: now,
        language: try UserTable.require(parent.userID, in: tx).language
      )
      // No password matches an empty record.
      try UserTable.insert(user, password: "", in: tx)
      let record = ChildAccountRecord(userID: user.id, childID: childID, created: now)
      try ChildAccountTable.insert(record, in: tx)
      try tx.audit("child_account.create", object: user.id, detail: childID)
      return record
    }
  }

  /// Begins a session of a child in place of those on the same device; gives what ended.
  private func begin(
    _ session: SessionRecord,
    named name: String,
    for parent: UserIdentity,
    endingTheirs endsMine: Bool,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    let (userID, now) = (session.userID, session.created)
    try core.requireActiveSession(of: parent, now: now, in: tx)
    // Somebody has ended the pairing since it was made.
    guard try !core.secrets.tombstones.contains(.holder(session.pairingID), in: tx) else {
      throw AuthError.overtaken
    }
    guard try DeletionTable.find(of: userID, in: tx) == nil,
      try DisablementTable.find(userID, in: tx) == nil,
      var user = try UserTable.find(userID, in: tx)
    else { throw ChildError.ending }
    if user.displayName.isEmpty, !name.isEmpty {
      user.displayName = name
      user.updated = now
      try UserTable.update(&user, in: tx)
      try UserNames.changed(of: userID, in: tx)
    }
    let earlier = try SessionTable.alive(of: userID, now: now, in: tx)
      .filter { $0.childDevice == session.childDevice }
    var ended = try SessionTable.revoke(earlier.map(\.id), of: userID, now: now, in: tx)
    ended += try core.begin(session, of: user, in: tx)
    try tx.audit("child_session.begin", object: session.id, detail: userID)
    if endsMine {
      ended += try SessionTable.revoke([parent.sessionID], of: parent.userID, now: now, in: tx)
      try tx.audit("session.sign_out", object: parent.sessionID)
    }
    return ended
  }

  func endSession(
    _ request: Auth_V1.EndChildSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.EndChildSessionResponse {
    let (parent, deviceID) = (try call.requireUser(), request.deviceId)
    let account = try await known(request.childId, FamilyAction.pairChildDevices, parent)
    // Before the pairing: the device is signed out even if TenancyService cannot be asked.
    let (core, userID) = (core, account.userID)
    let ended = try await core.writeInSession(call) { _, now, tx in
      let sessions = try SessionTable.alive(of: userID, now: now, in: tx)
        .filter { $0.childDevice == deviceID }
      let ended = try SessionTable.revoke(sessions.map(\.id), of: userID, now: now, in: tx)
      if !ended.isEmpty { try tx.audit("child_session.end", object: userID, detail: deviceID) }
      return ended
    }
    core.countRevoked(ended)
    try await core.contexts.unpair(
      .init(parentId: parent.userID, userId: userID, deviceId: deviceID)
    )
    return .init(ended: UInt32(ended.count))
  }

  func getAccount(
    _ request: Auth_V1.GetChildAccountRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ChildAccount {
    let account = try await known(
      request.childId,
      FamilyAction.pairChildDevices,
      try call.requireUser()
    )
    let now = core.clock.now
    let (sessions, deletion) = try await core.store.read { tx in
      (
        try SessionTable.alive(of: account.userID, now: now, in: tx),
        try DeletionTable.find(of: account.userID, in: tx)
      )
    }
    return .init(
      userId: account.userID,
      childId: account.childID,
      createdAt: .init(milliseconds: account.created),
      devices: sessions.filter { !$0.childDevice.isEmpty }.map {
        .init(
          deviceId: $0.childDevice,
          device: $0.device.message,
          lastSeenAt: .init(milliseconds: $0.refresh.rotated)
        )
      },
      deletion: deletion.map { .init($0) }
    )
  }

  // MARK: Rights

  /// Throws CHILD_UNKNOWN unless the user may do something for a child.
  func require(_ action: String, on childID: String, _ user: UserIdentity) async throws {
    guard try await core.contexts.may(user.userID, action, on: childID) else {
      throw ChildError.unknown
    }
  }

  /// The account of a child for which the user may do something; throws CHILD_UNKNOWN.
  func known(
    _ childID: String,
    _ action: String,
    _ user: UserIdentity
  ) async throws -> ChildAccountRecord {
    try await require(action, on: childID, user)
    let account = try await core.store.read { tx in
      try ChildAccountTable.find(ofChild: childID, in: tx)
    }
    guard let account else { throw ChildError.unknown }
    return account
  }
}
