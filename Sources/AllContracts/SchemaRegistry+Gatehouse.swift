internal import AuthContracts
internal import EntitlementContracts
internal import PeerContracts
internal import TenancyContracts
public import RPCKit
public import Reflection

extension SchemaRegistry {
  /// Everything that Gatehouse serves and what that is made of.
  public static let gatehouse: SchemaRegistry = {
    do {
      return try SchemaRegistry(contracts)
    } catch {
      preconditionFailure("the generated descriptors cannot be read: \(error)")
    }
  }()

  /// The descriptors of all contracts of Gatehouse, and of what they are made of.
  public static let contracts: [EmbeddedDescriptor] = [
    Audit_V1.auditV1AuditFile, Event_V1.eventV1EventsFile,
    Auth_V1.authV1AccountsFile,
    Auth_V1.authV1AuthenticationFile, Auth_V1.authV1ChildrenFile,
    Auth_V1.authV1ConsoleFile,
    Auth_V1.authV1DeletionsFile,
    Auth_V1.authV1ExportsFile,
    Auth_V1.authV1FamilyEndsFile,
    Auth_V1.authV1IdentitiesFile,
    Auth_V1.authV1ImportsFile,
    Auth_V1.authV1IntrospectionFile,
    Auth_V1.authV1KeysFile,
    Auth_V1.authV1OperatorsFile,
    Auth_V1.authV1PasskeysFile,
    Auth_V1.authV1SecondFactorsFile,
    Auth_V1.authV1SessionsFile,
    Auth_V1.authV1StepUpFile,
    Auth_V1.authV1UserChangesFile,
    Auth_V1.authV1UsersFile,
    Tenancy_V1.tenancyV1AddressFile, Tenancy_V1.tenancyV1AppWatchFile,
    Tenancy_V1.tenancyV1AssociationFile, Tenancy_V1.tenancyV1AuditFile,
    Tenancy_V1.tenancyV1AuthzenFile,
    Tenancy_V1.tenancyV1ChangesFile, Tenancy_V1.tenancyV1ChildDevicesFile,
    Tenancy_V1.tenancyV1DevicesFile,
    Tenancy_V1.tenancyV1DocumentsFile, Tenancy_V1.tenancyV1LegacyFile,
    Tenancy_V1.tenancyV1FamiliesFile, Tenancy_V1.tenancyV1InvitationsFile,
    Entitlement_V1.entitlementV1AuditFile, Entitlement_V1.entitlementV1ErasureFile,
    Tenancy_V1.tenancyV1ErasureFile,
    Tenancy_V1.tenancyV1ExportsFile, Tenancy_V1.tenancyV1WebhooksFile,
    Tenancy_V1.tenancyV1PoliciesFile,
    Tenancy_V1.tenancyV1ReportsFile,
    Tenancy_V1.tenancyV1EntitiesFile, Tenancy_V1.tenancyV1RolesFile,
    Tenancy_V1.tenancyV1RoleDefinitionsFile,
    Tenancy_V1.tenancyV1GuestsFile, Tenancy_V1.tenancyV1PeopleFile,
    Tenancy_V1.tenancyV1PermissionsFile,
    Tenancy_V1.tenancyV1PortfoliosFile, Tenancy_V1.tenancyV1PropertiesFile,
    Tenancy_V1.tenancyV1SchemaFile,
    Tenancy_V1.tenancyV1SubjectsFile, Tenancy_V1.tenancyV1UnitsFile,
    Entitlement_V1.entitlementV1ExportsFile,
    Entitlement_V1.entitlementV1FeatureFlagsFile,
    Entitlement_V1.entitlementV1EntitlementsFile, Entitlement_V1.entitlementV1PointsFile,
    Entitlement_V1.entitlementV1PointsSummariesFile,
    Entitlement_V1.entitlementV1PurchasesFile, Entitlement_V1.entitlementV1SubscriptionsFile,
    Envoy_Config_Core_V3.envoyConfigCoreV3BaseFile,
    Envoy_Service_Auth_V3.envoyServiceAuthV3ExternalAuthFile,
    Envoy_Type_V3.envoyTypeV3HttpStatusFile,
    Grpc_Health_V1.grpcHealthV1HealthFile, Google_Rpc.googleRpcErrorDetailsFile,
    Google_Rpc.googleRpcStatusFile, Google_Protobuf.googleProtobufAnyFile,
    Google_Protobuf.googleProtobufDurationFile, Google_Protobuf.googleProtobufEmptyFile,
    Google_Protobuf.googleProtobufFieldMaskFile, Google_Protobuf.googleProtobufStructFile,
    Google_Protobuf.googleProtobufTimestampFile,
  ]
}
