import AccessEngine
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Columns of TenancyService's tables")
struct TableColumnsTests {
  private static let window = RecurringWindow(storedText: "1 480 1080 Europe/Berlin")

  private static let entity = EntityRecord(
    id: "a",
    type: "b",
    parentID: "c",
    rootID: "d",
    name: "e",
    attributes: ["f": .boolean(true)],
    now: 1
  )

  private static var association: AssociationRecord {
    var record = AssociationRecord(
      id: "g",
      userID: "h",
      entity: entity,
      role: "i",
      variant: RoleDefinitionRecord(id: "j", rootID: "d", name: "k", baseRole: "i", actions: []),
      validFrom: 2,
      validUntil: 3,
      recurring: window,
      grantedBy: "l",
      now: 4
    )
    (record.added, record.updatedAt, record.revision, record.nameKey) = (5, 6, 7, "m")
    return record
  }

  private static func invitation() throws -> InvitationRecord {
    var record = try InvitationRecord(
      InvitationDraft(
        email: "a@b.example",
        role: "b",
        on: "c",
        during: RoleWindow(from: 1, until: 2, recurring: window),
        expiresAt: 3
      ),
      id: "d",
      codeDigest: [4],
      on: entity,
      by: .named("e"),
      for: RoleDefinitionRecord(id: "f", rootID: "g", name: "h", baseRole: "i", actions: ["j"]),
      at: 5,
      now: 0
    )
    (record.inviterACR, record.createdAt, record.replacesWindow) = ("k", 6, true)
    (record.state, record.closedAt, record.closedBy) = (.accepted, 7, "l")
    (record.associationID, record.convertedFrom) = ("m", "n")
    (record.updatedAt, record.revision, record.mailedAt) = (8, 9, 10)
    (record.letterCount, record.resentSince, record.resentCount) = (11, 12, 13)
    var taken = TakenRole(userID: "o", role: "p", variant: "q", associationID: "r")
    taken.revision = 14
    record.taken = taken
    return record
  }

  private func check<Record: Equatable>(
    _ record: Record,
    _ columns: RecordColumns<Record>,
    _ tx: borrowing ReadTransaction
  ) throws {
    #expect(try tx.readBack(record, columns) == record)
    // The table has all of them.
    _ = try tx.query(columns, "LIMIT 1")
  }

  private func read(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Void
  )
    async throws
  {
    let folder = try TestFolder()
    let database = try await Database.open(
      DatabaseConfiguration(
        path: folder.path("store"),
        applicationID: TenancySchema.applicationID
      ),
      migrations: TenancySchema.migrations,
      clock: ManualClock()
    )
    do {
      try await database.read(body)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    withExtendedLifetime(folder) {}
  }

  @Test("Entities and what is kept of them are read as they are written")
  func entities_areReadBack() async throws {
    try await read { tx in
      var entity = Self.entity
      (entity.desiredState, entity.revision, entity.updatedAt) = ("g", 2, 3)
      (entity.desiredValues, entity.reportedAt) = (["h": 4], 5)
      try check(entity, EntityRecord.columns, tx)
      try check(
        EntityDeletionRecord(
          id: "a",
          entityID: "b",
          entityType: "c",
          deletedBy: "d",
          deletedAt: 1,
          holderCount: 2,
          finishedAt: 3
        ),
        EntityDeletionRecord.columns,
        tx
      )
    }
  }

  @Test("Roles are read as they are written")
  func roles_areReadBack() async throws {
    try await read { tx in
      let held = Self.association
      try check(held, AssociationRecord.columns, tx)
      try check(AssociationState(held, now: 6), AssociationState.columns, tx)
      var definition = RoleDefinitionRecord(
        id: "a",
        rootID: "b",
        name: "c",
        baseRole: "d",
        actions: ["e", "f"]
      )
      (definition.definedBy, definition.createdAt, definition.updatedAt) = ("g", 1, 2)
      definition.revision = 3
      try check(definition, RoleDefinitionRecord.columns, tx)
    }
  }

  @Test("Invitations, and the roles that became some, are read as they are written")
  func invitations_areReadBack() async throws {
    try await read { tx in
      try check(try Self.invitation(), InvitationRecord.columns, tx)
      var converted = ConvertedRole(Self.association, invitationID: "m", now: 6)
      (converted.restoredAt, converted.restoredAs) = (7, "n")
      try check(converted, ConvertedRole.columns, tx)
    }
  }

  @Test("What is kept of users is read as it is written")
  func users_areReadBack() async throws {
    try await read { tx in
      try check(
        AccountState(userID: "a", version: 1, isDisabled: true, isDeletionBegun: false),
        AccountState.columns,
        tx
      )
      try check(
        SuspensionRecord(userID: "a", note: "b", suspendedBy: "c", now: 1, revision: 2),
        SuspensionRecord.columns,
        tx
      )
      var refusal = RefusalCount(
        key: .init(
          rootID: "a",
          hour: 1,
          actor: "b",
          onBehalfOf: "c",
          action: "d",
          object: "e",
          reason: "f"
        ),
        count: 2,
        at: 3
      )
      refusal.lastAt = 4
      try check(refusal, RefusalCount.columns, tx)
    }
  }

  @Test("Pairings and their codes are read as they are written")
  func pairings_areReadBack() async throws {
    try await read { tx in
      let code = PairingCodeRecord(
        PassedCode(typed: "ABCDEFGHJK"),
        digest: [1],
        familyID: "a",
        childID: "b",
        by: .named("c"),
        now: 2
      )
      try check(code, PairingCodeRecord.columns, tx)
      var pairing = PairingRecord(
        id: "d",
        code,
        deviceID: "e",
        deviceName: "f",
        userID: "g",
        now: 3
      )
      (pairing.associationID, pairing.childName, pairing.rootID) = ("h", "i", "j")
      try check(pairing, PairingRecord.columns, tx)
    }
  }

  @Test("What was done with devices is read as it is written")
  func devices_areReadBack() async throws {
    try await read { tx in
      try check(
        AccessRecord(
          id: "a",
          deviceID: "b",
          userID: "c",
          operation: "d",
          succeeded: true,
          reason: "e",
          role: "f",
          recordedAt: 1,
          changes: [
            .init(name: "g", from: .none, to: .number(JSONNumber(21))),
            .init(name: "h", from: "i", to: .none),
          ]
        ),
        AccessRecord.columns,
        tx
      )
      try check(
        CommandRecord(
          id: "a",
          revision: 1,
          deviceID: "b",
          propertyID: "c",
          operation: "d",
          parameters: "e",
          changes: [.init(name: "f", from: true, to: false)],
          createdAt: 2,
          expiresAt: 3,
          outcome: .done,
          acknowledgedAt: 4
        ),
        CommandRecord.columns,
        tx
      )
    }
  }
}
