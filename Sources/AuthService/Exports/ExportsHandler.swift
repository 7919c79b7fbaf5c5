internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// `auth.v1.Exports`: all that the three services know of an account, as one document.
struct ExportsHandler: Auth_V1.ExportsService {
  let core: AuthCore
  let sources: ExportSources

  func exportAccount(
    _ request: Auth_V1.ExportAccountRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Auth_V1.ExportPiece>
  ) async throws {
    try await export(try call.requireUser().userID, call, to: writer)
  }

  /// Exports the caller's account, or one for which the caller may do that.
  func export(
    _ userID: String,
    _ call: CallContext,
    to writer: ResponseWriter<Auth_V1.ExportPiece>
  ) async throws {
    let user = try await begin(userID, call)
    let email = user.isEmailVerified ? user.email : ""
    let stream = ExportStream(ExportDocument(userID: user.id, now: core.clock.now), to: writer)
    try await stream.tell("auth") { take in
      let subject = ExportSubject(userID: user.id, verifiedEmail: email)
      try await AuthExport.plan.read(subject, from: core.store, take)
    }
    try await requireWhole("tenancy") {
      try await stream.tell("tenancy") { take in
        try await sources.readTenancy(user.id, verifiedEmail: email, take)
      }
    }
    try await requireWhole("entitlement") {
      try await stream.tell("entitlement") { take in
        try await sources.readEntitlement(user.id, take)
      }
    }
    // Before the end is sent: anyone who has the whole document has used up the day's.
    try await complete(userID, call)
    try await stream.finish()
  }

  /// Ends the export when a service cannot tell all that it knows: nothing is left out without a word.
  private func requireWhole(_ service: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      throw ExportError.incomplete(service, cause: error)
    }
  }

  /// Counts the export and records that it was asked for; whose account it is.
  ///
  /// Throws RESOURCE_EXHAUSTED when there was one today.
  private func begin(_ userID: String, _ call: CallContext) async throws -> UserRecord {
    try await core.writeInSession(call) { _, now, tx in
      let user = try UserTable.require(userID, in: tx)
      var allowance = try ExportTable.find(user.id, in: tx) ?? ExportAllowance(now: now)
      if let wait = allowance.begin(now: now) {
        throw ExportError.tooSoon(retryAfter: .milliseconds(wait))
      }
      try ExportTable.save(allowance, of: user.id, in: tx)
      try tx.audit("account.export", object: user.id)
      return user
    }
  }

  private func complete(_ userID: String, _ call: CallContext) async throws {
    try await core.writeInSession(call) { _, now, tx in
      var allowance = try ExportTable.find(userID, in: tx) ?? ExportAllowance(now: now)
      allowance.complete(now: now)
      try ExportTable.save(allowance, of: userID, in: tx)
      try tx.audit("account.exported", object: userID)
    }
  }
}
