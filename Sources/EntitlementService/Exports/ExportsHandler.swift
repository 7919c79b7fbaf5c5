internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `entitlement.v1.EntitlementExports`: what EntitlementService knows of a user, for AuthService alone.
struct ExportsHandler: Entitlement_V1.EntitlementExportsService {
  let core: EntitlementCore

  func exportUser(
    _ request: Entitlement_V1.ExportUserRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Entitlement_V1.ExportPart>
  ) async throws {
    let subject = ExportSubject(userID: request.userId, verifiedEmail: "")
    try await EntitlementExport.plan.read(subject, from: core.store) { section, records in
      try await writer.write(.init(section: section, records: records))
    }
  }
}
