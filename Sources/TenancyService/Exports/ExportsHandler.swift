internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.TenancyExports`: what TenancyService knows of a user, for AuthService alone.
struct ExportsHandler: Tenancy_V1.TenancyExportsService {
  let core: TenancyCore
  let refusals: RefusalTally

  func exportUser(
    _ request: Tenancy_V1.ExportUserRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.ExportPart>
  ) async throws {
    // A refusal of a moment ago is exported too.
    await refusals.flush(core.store)
    let subject = ExportSubject(userID: request.userId, verifiedEmail: request.verifiedEmail)
    try await TenancyExport.plan.read(subject, from: core.store) { section, records in
      try await writer.write(.init(section: section, records: records))
    }
  }
}
