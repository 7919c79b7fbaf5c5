internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// `tenancy.v1.Schemas`: the words of the policy in force.
struct SchemasHandler: Tenancy_V1.SchemasService {
  let core: TenancyCore

  func get(
    _ request: Tenancy_V1.GetSchemaRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Schema {
    let schema = Tenancy_V1.Schema(core.policy, types: Set(request.types))
    // Of the answer and not of the files: an edit that changes no word of it leaves what applications keep.
    let digest = Digests.sha256(schema.protobufBytes)
    call.responseMetadata["etag"] = "\"\(Base64URL.encode(Array(digest.prefix(16))))\""
    return schema
  }
}
