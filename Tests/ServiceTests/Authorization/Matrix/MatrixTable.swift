/// Every method of every contract; one that has no row fails `MatrixTests`.
///
/// Long because each method has a row, and a list of rows has no better order than that of the services.
enum MatrixTable {
  static let rows =
    auth + identities + passkeys + portfolios + properties + units + devices + generic + tenancy
    + invitations + families + documents + entitlement + points + reports + deletions
    + webhooks

  private static let auth: [MatrixRow] = [
    .init(
      "Authentication/SignUp",
      .none,
      .everyone,
      #"{"email": "<new address>", "password": "<password>", "displayName": "New"}"#
    ),
    .init(
      "Authentication/SignIn",
      .none,
      .everyone,
      #"{"email": "<address>", "password": "<password>"}"#
    ),
    // Nobody has begun one: what that allows is for SecondFactorTests.
    .init(
      "Authentication/CompleteSignIn",
      .none,
      [],
      #"{"secondFactorToken": "<mail token>", "code": "000000"}"#,
      yes: "accessToken"
    ),
    .init("Authentication/Refresh", .none, .everyone, #"{"refreshToken": "<refresh token>"}"#),
    .init("Authentication/SignOut", .none, .everyone, endsSession: true),
    // There is no console here: what its page gets is in EndToEndTests.
    .init(
      "ConsoleSessions/Begin",
      .none,
      [],
      #"{"refreshToken": "<refresh token>"}"#,
      yes: "accessToken"
    ),
    .init("ConsoleSessions/Resume", .none, [], yes: "accessToken"),
    .init("ConsoleSessions/End", .none, [], yes: "success"),
    .init("Users/GetMe", .none, .everyone),
    .init("Users/ListAccess", .none, .everyone),
    .init("Users/UpdateProfile", .none, .everyone, #"{"firstName": "First"}"#),
    .init("Users/UpdateSettings", .none, .everyone, #"{"settings": "{}"}"#),
    .init(
      "Users/RecordActivity",
      .none,
      .everyone,
      #"{"name": "checkin", "day": "<today>"}"#
    ),
    // A suspended user's roles and settings stay its own.
    .init(
      "Users/SetDefaults",
      .portfolio,
      .portfolioStaff,
      #"{"portfolioId": "<portfolio>"}"#
    ),
    .init("Users/SetDefaults", .property, .staff, #"{"propertyId": "<property>"}"#),
    .init("Users/SetDefaults", .unit, .unitUsers, #"{"unitId": "<unit>"}"#),
    .init(
      "Users/ChangePassword",
      .none,
      .everyone,
      #"{"currentPassword": "<password>", "newPassword": "<password>"}"#
    ),
    .init("Accounts/RequestEmailVerification", .none, .everyone),
    // Nobody has a token: what those allow is for AccountTests.
    .init("Accounts/VerifyEmail", .none, [], #"{"token": "<mail token>"}"#, yes: "verified"),
    .init("Accounts/RefuseAccountChange", .none, [], #"{"token": "<mail token>"}"#, yes: "stopped"),
    .init("Accounts/DisownEmail", .none, [], #"{"token": "<mail token>"}"#, yes: "disowned"),
    .init("Accounts/RequestPasswordReset", .none, .everyone, #"{"email": "<new address>"}"#),
    .init(
      "Accounts/ResetPassword",
      .none,
      [],
      #"{"token": "<mail token>", "newPassword": "<password>"}"#,
      yes: "revokedSessions"
    ),
    .init(
      "Accounts/ChangeEmail",
      .none,
      .everyone,
      #"{"currentPassword": "<password>", "newEmail": "<new address>"}"#
    ),
    .init("Accounts/ConfirmEmailChange", .none, [], #"{"token": "<mail token>"}"#, yes: "changed"),
    .init("Accounts/UndoEmailChange", .none, [], #"{"token": "<mail token>"}"#, yes: "undone"),
    .init("SecondFactors/Get", .none, .everyone),
    // Nobody has begun to add an app: what that allows is for SecondFactorTests.
    .init("SecondFactors/ConfirmTotp", .none, [], #"{"code": "000000"}"#, yes: "recoveryCodes"),
    // An app that is not confirmed is no factor, so everybody can go on with a password.
    .init("SecondFactors/EnrollTotp", .none, .everyone),
    // Nobody has proved a second factor.
    .init("SecondFactors/RemoveTotp", .none, [], yes: "removed"),
    .init("SecondFactors/RegenerateRecoveryCodes", .none, [], yes: "recoveryCodes"),
    .init("SecondFactors/Verify", .none, [], #"{"code": "000000"}"#, yes: "accessToken"),
    .init("StepUp/SetPin", .none, .everyone, #"{"pin": "482915"}"#),
    .init("StepUp/GetPin", .none, .everyone),
    .init(
      "StepUp/VerifyPin",
      .none,
      .everyone,
      #"{"pin": "482915", "purpose": "device.unlock"}"#
    ),
    .init("StepUp/ClearPin", .none, .everyone),
    // The smart home has no families; see FamilyPinTests, ParentModeTests and ChildrenTests.
    .init(
      "Children/BeginSession",
      .foreignProduct,
      [],
      #"{"childId": "<portfolio>", "deviceId": "ipad"}"#
    ),
    .init(
      "Children/EndSession",
      .foreignProduct,
      [],
      #"{"childId": "<portfolio>", "deviceId": "ipad"}"#
    ),
    .init("Children/GetAccount", .foreignProduct, [], #"{"childId": "<portfolio>"}"#),
    .init("Children/ExportAccount", .foreignProduct, [], #"{"childId": "<portfolio>"}"#),
    .init("Children/DeleteAccount", .foreignProduct, [], #"{"childId": "<portfolio>"}"#),
    .init("Children/CancelDeletion", .foreignProduct, [], #"{"childId": "<portfolio>"}"#),
    .init(
      "Children/HandOver",
      .foreignProduct,
      [],
      #"{"childId": "<portfolio>", "email": "<new address>"}"#
    ),
    .init(
      "Children/TakeOver",
      .none,
      [],
      #"{"token": "<mail token>", "password": "<password>"}"#,
      yes: "taken over"
    ),
    .init(
      "StepUp/SetFamilyPin",
      .foreignProduct,
      [],
      #"{"familyId": "<portfolio>", "pin": "482915"}"#
    ),
    .init("StepUp/GetFamilyPin", .foreignProduct, [], #"{"familyId": "<portfolio>"}"#),
    .init(
      "StepUp/VerifyFamilyPin",
      .foreignProduct,
      [],
      #"{"familyId": "<portfolio>", "pin": "482915"}"#
    ),
    .init("StepUp/ClearFamilyPin", .foreignProduct, [], #"{"familyId": "<portfolio>"}"#),
    .init(
      "Accounts/SendInvitation",
      .service,
      [],
      #"{"invitationId": "inv_1", "email": "<new address>", "code": "ABC", "inviterId": "<user>", "#
        + #""role": "tenant", "entityType": "unit", "expiresAt": "2030-01-01T00:00:00Z"}"#
    ),
    .init(
      "Accounts/SendNotice",
      .service,
      [],
      #"{"noticeId": "ntc_1", "userId": "<user>", "kind": "NOTICE_KIND_ACCESS_GIVEN", "#
        + #""happenedAt": "2030-01-01T00:00:00Z", "role": "tenant", "entityType": "unit"}"#
    ),
    .init("TokenIntrospection/Introspect", .service, [], #"{"token": "<mail token>"}"#),
    .init("Exports/ExportAccount", .none, .everyone),
    .init("TenancyExports/ExportUser", .service, [], #"{"userId": "<user>"}"#),
    .init("EntitlementExports/ExportUser", .service, [], #"{"userId": "<user>"}"#),
    // The names of people: those who may list the roles on a flat see its tenant, who sees itself.
    .init("Users/Get", .none, .unitUsers, #"{"userId": "<tenant>"}"#, yes: "displayName"),
    .init("Users/Lookup", .none, .unitUsers, #"{"userIds": ["<tenant>"]}"#, yes: "displayName"),
    .init("Users/Get", .somebody, .operators, #"{"userId": "<neighbour>"}"#),
    .init("Users/Lookup", .none, .everyone, #"{"userIds": ["<me>"]}"#, yes: "displayName"),
    .init("People/Lookup", .service, [], #"{"askerId": "<me>", "userIds": ["<user>"]}"#),
    .init("UserChanges/Watch", .service, []),
    .init("Users/BatchGet", .service, [], #"{"userIds": ["<user>"]}"#),
    .init("Users/FindByEmail", .service, [], #"{"email": "<address>"}"#),
    .init("Users/GetAddress", .service, [], #"{"userId": "<user>"}"#),
    .init("Operators/ListUsers", .system, .operators),
    .init("Operators/ListMails", .system, .operators),
    .init("Operators/EndSessions", .system, .operators, #"{"userId": "<user>"}"#),
    .init("Operators/GetUser", .system, .operators, #"{"userId": "<user>"}"#),
    .init("Operators/ListUserSessions", .system, .operators, #"{"userId": "<user>"}"#),
    .init("Operators/ListAccountChanges", .system, .operators),
    // What these do is for AccountChangeTests: nothing waits here.
    .init(
      "Operators/RequestAccountChange",
      .system,
      [],
      #"{"userId": "<user>", "kind": "ACCOUNT_CHANGE_KIND_REMOVE_TOTP", "reason": "lost"}"#,
      yes: "requestedBy"
    ),
    .init(
      "Operators/ApproveAccountChange",
      .system,
      [],
      #"{"changeId": "chg_none"}"#,
      yes: "requestedBy"
    ),
    .init(
      "Operators/CancelAccountChange",
      .system,
      [],
      #"{"changeId": "chg_none"}"#,
      yes: "requestedBy"
    ),
    .init("Operators/SearchAudit", .system, .operators),
    .init("Operators/GetUserFactors", .system, .operators, #"{"userId": "<user>"}"#),
    .init("Operators/ListUserAudit", .system, .operators, #"{"userId": "<user>"}"#),
    .init(
      "Operators/ForcePasswordReset",
      .system,
      .operators,
      #"{"userId": "<user>", "reason": "a leak"}"#
    ),
    .init(
      "Operators/DisableUser",
      .system,
      .operators,
      #"{"userId": "<user>", "reason": "a leak"}"#
    ),
    .init(
      "Operators/EnableUser",
      .system,
      .operators,
      #"{"userId": "<user>", "reason": "mended"}"#
    ),
    .init(
      "Imports/ImportUsers",
      .system,
      .operators,
      #"{"source": "old", "run": "1", "rows": [{"sourceId": "1"}]}"#
    ),
    .init(
      "Imports/ImportBatch",
      .system,
      .operators,
      #"{"source": "old", "run": "1", "rows": [{"sourceId": "1"}]}"#
    ),
    .init("Imports/ListImports", .system, .operators),
    .init("Deletions/ListDeletions", .system, .operators),
    .init("Imports/GetImport", .system, .operators, #"{"source": "old", "run": "1"}"#),
    .init("Sessions/List", .none, .everyone),
    .init("Sessions/Revoke", .self_, .everyone, #"{"sessionId": "<session>"}"#),
    .init("Sessions/RevokeOthers", .none, .everyone),
    .init("Sessions/RevokeAll", .none, .everyone, endsSession: true),
    .init("Sessions/Introspect", .service, [], #"{"sessionId": "<session>"}"#),
    .init("Keys/GetKeySet", .none, .everyone),
    .init("Keys/WatchRevocations", .service, []),
  ]

  private static let portfolios: [MatrixRow] = [
    .init("Portfolios/Create", .none, .unsuspended, #"{"name": "New"}"#),
    .init("Portfolios/List", .none, .everyone),
    .init("Portfolios/Get", .portfolio, .portfolioStaff, #"{"portfolioId": "<portfolio>"}"#),
    .init("Portfolios/Update", .portfolio, .portfolioStaff, #"{"portfolioId": "<portfolio>"}"#),
    .init(
      "Portfolios/Delete",
      .portfolio,
      .owners,
      #"{"portfolioId": "<portfolio>", "cascade": true, "dryRun": true}"#
    ),
    .init(
      "Portfolios/CreateProperty",
      .portfolio,
      .portfolioStaff,
      #"{"portfolioId": "<portfolio>", "name": "New"}"#
    ),
    .init(
      "Portfolios/ListProperties",
      .portfolio,
      .deviceUsers,
      #"{"portfolioId": "<portfolio>"}"#
    ),
    .init(
      "Portfolios/AddAdmin",
      .portfolio,
      .owners,
      #"{"portfolioId": "<portfolio>", "userId": "<user>"}"#
    ),
    .init(
      "Portfolios/RemoveAdmin",
      .portfolio,
      .owners,
      #"{"portfolioId": "<portfolio>", "userId": "<user>"}"#
    ),
  ]

  private static let properties: [MatrixRow] = [
    .init(
      "Properties/Create",
      .portfolio,
      .portfolioStaff,
      #"{"portfolioId": "<portfolio>", "name": "New"}"#
    ),
    .init("Properties/List", .none, .everyone),
    // Those with a role below it get what they may see of it, and nothing is that too.
    .init("Properties/List", .portfolio, .deviceUsers, #"{"portfolioId": "<portfolio>"}"#),
    .init("Properties/Get", .property, .staff, #"{"propertyId": "<property>"}"#),
    .init("Properties/Update", .property, .staff, #"{"propertyId": "<property>"}"#),
    .init(
      "Properties/Delete",
      .property,
      .portfolioStaff,
      #"{"propertyId": "<property>", "cascade": true, "dryRun": true}"#
    ),
    .init(
      "Properties/CreateUnit",
      .property,
      .staff,
      #"{"propertyId": "<property>", "name": "New"}"#
    ),
    .init("Properties/ListUnits", .property, .deviceUsers, #"{"propertyId": "<property>"}"#),
    .init(
      "Properties/AddManager",
      .property,
      .portfolioStaff,
      #"{"propertyId": "<property>", "userId": "<user>"}"#
    ),
    .init(
      "Properties/RemoveManager",
      .property,
      .portfolioStaff,
      #"{"propertyId": "<property>", "userId": "<user>"}"#
    ),
  ]

  private static let units: [MatrixRow] = [
    .init("Units/Create", .property, .staff, #"{"propertyId": "<property>", "name": "New"}"#),
    .init("Units/List", .none, .everyone),
    .init("Units/List", .property, .deviceUsers, #"{"propertyId": "<property>"}"#),
    .init("Units/Get", .unit, .unitUsers, #"{"unitId": "<unit>"}"#),
    .init("Units/Update", .unit, .staff, #"{"unitId": "<unit>"}"#),
    .init("Units/Delete", .unit, .staff, #"{"unitId": "<unit>", "dryRun": true}"#),
    .init("Units/AddTenant", .unit, .staff, #"{"unitId": "<unit>", "userId": "<user>"}"#),
    .init("Units/RemoveTenant", .unit, .staff, #"{"unitId": "<unit>", "userId": "<user>"}"#),
    .init("Units/ListTenants", .unit, .staff, #"{"unitId": "<unit>"}"#),
    .init("Units/AssignDevice", .unit, .staff, #"{"unitId": "<unit>", "deviceId": "<door>"}"#),
    .init("Units/UnassignDevice", .unit, .staff, #"{"unitId": "<unit>", "deviceId": "<cellar>"}"#),
    .init("Units/ListDevices", .unit, .deviceUsers, #"{"unitId": "<unit>"}"#),
  ]

  private static let devices: [MatrixRow] = [
    .init(
      "Devices/Register",
      .property,
      .staff,
      #"{"propertyId": "<property>", "name": "New", "type": "light"}"#
    ),
    .init("Devices/Provision", .system, .operators, #"{"name": "New", "type": "light"}"#),
    .init(
      "Devices/Claim",
      .property,
      .staff,
      #"{"code": "<claim code>", "propertyId": "<property>"}"#
    ),
    .init("Devices/Release", .device, .staff, #"{"deviceId": "<fresh device>"}"#),
    .init("Devices/List", .none, .everyone),
    .init("Devices/List", .portfolio, .deviceUsers, #"{"portfolioId": "<portfolio>"}"#),
    .init("Devices/List", .property, .deviceUsers, #"{"propertyId": "<property>"}"#),
    .init("Devices/List", .unit, .deviceUsers, #"{"unitId": "<unit>"}"#),
    .init("Devices/Get", .device, .deviceUsers, #"{"deviceId": "<door>"}"#),
    .init("Devices/Update", .device, .staff, #"{"deviceId": "<door>"}"#),
    .init("Devices/Delete", .device, .staff, #"{"deviceId": "<door>", "dryRun": true}"#),
    .init(
      "Devices/Operate",
      .device,
      .deviceUsers,
      #"{"deviceId": "<door>", "operation": "unlock"}"#
    ),
    .init("Devices/ListHistory", .device, .unitUsers, #"{"deviceId": "<door>"}"#),
    .init("Devices/WatchCommands", .service, []),
    .init(
      "Devices/AcknowledgeCommand",
      .service,
      [],
      #"{"commandId": "cmd_1", "outcome": "COMMAND_OUTCOME_DONE"}"#
    ),
    .init("Devices/ReportState", .service, [], #"{"deviceId": "<door>"}"#),
  ]

  /// Entities and roles of every type, on those of the smart home.
  private static let generic: [MatrixRow] = [
    .init(
      "Entities/Create",
      .none,
      .unsuspended,
      #"{"entity": {"type": "portfolio", "name": "New"}}"#
    ),
    .init(
      "Entities/Create",
      .property,
      .staff,
      #"{"entity": {"type": "device", "parentId": "<property>", "name": "New"}}"#
    ),
    .init(
      "Entities/BatchCreate",
      .portfolio,
      .portfolioStaff,
      #"{"entities": [{"type": "property", "parentId": "<portfolio>", "name": "New"}]}"#
    ),
    .init("Entities/Get", .portfolio, .portfolioStaff, #"{"entityId": "<portfolio>"}"#),
    .init("Entities/Get", .device, .deviceUsers, #"{"entityId": "<door>"}"#),
    .init("Entities/List", .none, .everyone, #"{"type": "device"}"#),
    .init("Entities/List", .unit, .deviceUsers, #"{"type": "device", "within": "<unit>"}"#),
    .init("Entities/Update", .unit, .staff, #"{"entityId": "<unit>"}"#),
    .init("Entities/Move", .device, .staff, #"{"entityId": "<door>", "parentId": "<unit>"}"#),
    .init(
      "Entities/Delete",
      .portfolio,
      .owners,
      #"{"entityId": "<portfolio>", "cascade": true, "dryRun": true}"#
    ),
    .init("Entities/Delete", .device, .staff, #"{"entityId": "<door>", "dryRun": true}"#),
    .init(
      "Roles/BatchGrant",
      .portfolio,
      .owners,
      #"{"roles": [{"entityId": "<portfolio>", "role": "portfolio_admin", "userId": "<user>"}]}"#
    ),
    .init(
      "Roles/Grant",
      .device,
      .unitUsers,
      #"""
      {"role": {"entityId": "<door>", "role": "guest", "userId": "<user>", "validUntil": "<soon>"}}
      """#
    ),
    .init(
      "Roles/BatchGrant",
      .unit,
      .staff,
      #"{"roles": [{"entityId": "<unit>", "role": "tenant", "userId": "<user>"}]}"#
    ),
    .init(
      "Roles/Revoke",
      .unit,
      .staff,
      #"{"entityId": "<unit>", "role": "tenant", "userId": "<user>"}"#
    ),
    // A role that nobody holds there: what others give back is not the table's to end.
    .init("Roles/Leave", .none, .unsuspended, #"{"entityId": "<gate>", "role": "guest"}"#),
    .init("Roles/ListByUser", .none, .everyone),
    .init("Roles/ListByEntity", .portfolio, .portfolioStaff, #"{"entityId": "<portfolio>"}"#),
    .init("Roles/ListByEntity", .device, .staff, #"{"entityId": "<door>"}"#),
    // The smart home's policy names no action that defines roles.
    .init(
      "RoleDefinitions/Put",
      .portfolio,
      [],
      #"{"entityId": "<portfolio>", "name": "own", "baseRole": "tenant", "actions": ["unit.view"]}"#
    ),
    .init(
      "RoleDefinitions/Delete",
      .portfolio,
      [],
      #"{"entityId": "<portfolio>", "name": "own"}"#
    ),
    .init("RoleDefinitions/List", .portfolio, .portfolioStaff, #"{"entityId": "<portfolio>"}"#),
  ]

  private static let tenancy: [MatrixRow] = [
    .init(
      "Guests/Grant",
      .device,
      .unitUsers,
      #"{"userId": "<user>", "deviceIds": ["<door>"], "validUntil": "<soon>"}"#
    ),
    .init(
      "Guests/Grant",
      .unit,
      .unitUsers,
      #"{"userId": "<user>", "unitIds": ["<unit>"], "validUntil": "<soon>"}"#
    ),
    .init(
      "Guests/Grant",
      .property,
      .staff,
      #"{"userId": "<user>", "propertyIds": ["<property>"], "validUntil": "<soon>"}"#
    ),
    .init("Guests/List", .none, .everyone),
    .init("Guests/List", .property, .staff, #"{"propertyId": "<property>"}"#),
    .init("Guests/List", .device, .deviceUsers, #"{"deviceId": "<door>"}"#),
    .init("Guests/List", .unit, .unitUsers, #"{"unitId": "<unit>"}"#),
    .init("Guests/Update", .pass, .unitUsers, #"{"passId": "<pass>"}"#),
    .init(
      "Guests/Revoke",
      .pass,
      .passUsers,
      #"{"passId": "<fresh pass>"}"#,
      yes: #""removed":1"#
    ),
    .init("Associations/ListByUser", .none, .everyone),
    .init(
      "Associations/ListByEntity",
      .portfolio,
      .portfolioStaff,
      #"{"entityId": "<portfolio>"}"#
    ),
    .init("Associations/ListByEntity", .property, .staff, #"{"entityId": "<property>"}"#),
    .init("Associations/ListByEntity", .unit, .staff, #"{"entityId": "<unit>"}"#),
    .init("Associations/ListByEntity", .device, .staff, #"{"entityId": "<door>"}"#),
    .init("Associations/GrantSuperAdmin", .service, [], #"{"userId": "<operator>"}"#),
    .init("Associations/RevokeSuperAdmin", .service, [], #"{"userId": "usr_somebody"}"#),
    .init("Associations/GrantSupport", .service, [], #"{"userId": "<operator>"}"#),
    .init("Associations/RevokeSupport", .service, [], #"{"userId": "usr_somebody"}"#),
    .init("Subjects/Suspend", .system, .operators, #"{"userId": "<user>"}"#),
    .init("Subjects/Resume", .system, .operators, #"{"userId": "<user>"}"#),
    .init("Subjects/ListSuspended", .system, .operators),
    .init("TenancyAudit/Search", .system, .operators),
    .init("TenancyAudit/ListAccess", .none, .everyone),
    .init("TenancyAudit/ListAccess", .property, .staff, #"{"entityId": "<property>"}"#),
    .init("Entities/GetUsage", .property, .staff, #"{"entityId": "<property>"}"#),
    // There is no workbench here: what it answers is for WorkbenchTests.
    .init("Policies/GetInForce", .system, [], yes: "files"),
    .init(
      "Policies/Check",
      .system,
      [],
      #"{"files": [{"name": "a", "text": "{}"}]}"#,
      yes: "problem"
    ),
    .init(
      "Policies/Compare",
      .system,
      [],
      #"{"files": [{"name": "a", "text": "{}"}]}"#,
      yes: "problem"
    ),
    .init(
      "Policies/Decide",
      .system,
      [],
      #"""
      {"files": [{"name": "a", "text": "{}"}], "userId": "<user>", "action": "device.unlock",
        "entityId": "<door>"}
      """#,
      yes: "problem"
    ),
    .init("Roles/ListConverted", .system, .operators),
    .init(
      "Roles/RestoreConverted",
      .system,
      [],
      #"{"associationId": "asc_none"}"#,
      yes: "grantedBy"
    ),
    .init("Associations/ListByUser", .system, .operators, #"{"userId": "usr_somebody"}"#),
    .init("Roles/ListByUser", .system, .operators, #"{"userId": "usr_somebody"}"#),
    .init(
      "Permissions/Check",
      .device,
      .deviceUsers,
      #"{"action": "device.unlock", "entityId": "<door>", "forCache": true}"#,
      yes: #""allowed":true"#
    ),
    .init(
      "Permissions/Check",
      .unit,
      .staff,
      #"{"action": "unit.update", "entityId": "<unit>"}"#,
      yes: #""allowed":true"#
    ),
    .init(
      "Permissions/BatchCheck",
      .device,
      .unitUsers,
      #"{"checks": [{"action": "device.view_history", "entityId": "<door>"}]}"#,
      yes: #""allowed":true"#
    ),
    .init(
      "Permissions/ListActions",
      .device,
      .deviceUsers,
      #"{"entityIds": ["<door>"]}"#,
      yes: #""device.unlock""#
    ),
    // The words of the policy are no secret: what they allow is decided elsewhere.
    .init("Schemas/Get", .none, .everyone, "{}"),
    .init(
      "Permissions/ListAccessible",
      .none,
      .everyone,
      #"{"action": "device.view", "entityType": "device"}"#
    ),
    .init(
      "Permissions/ListSubjects",
      .portfolio,
      .portfolioStaff,
      #"{"action": "portfolio.view", "entityId": "<portfolio>"}"#
    ),
    .init(
      "Permissions/ListSubjects",
      .device,
      .staff,
      #"{"action": "device.unlock", "entityId": "<door>"}"#
    ),
    .init(
      "Permissions/Explain",
      .device,
      .deviceUsers,
      #"{"action": "device.unlock", "entityId": "<door>"}"#,
      yes: #""reach":"ROLE_REACH_"#
    ),
    .init(
      "Permissions/Explain",
      .device,
      .staff,
      #"{"action": "device.unlock", "entityId": "<door>", "subjectId": "<user>"}"#
    ),
    .init(
      "Permissions/Fetch",
      .device,
      .deviceUsers,
      #"{"entityId": "<door>"}"#,
      yes: #""device.unlock""#
    ),
    .init("Permissions/WatchChanges", .service, []),
    .init(
      "AuthZen/Evaluate",
      .device,
      .deviceUsers,
      #"{"subject": {"type": "user", "id": "<me>"}, "action": {"name": "device.unlock"}, "#
        + #""resource": {"type": "device", "id": "<door>"}}"#,
      yes: #""decision":true"#
    ),
    .init(
      "AuthZen/EvaluateAll",
      .device,
      .deviceUsers,
      #"{"subject": {"type": "user", "id": "<me>"}, "action": {"name": "device.unlock"}, "#
        + #""evaluations": [{"resource": {"type": "device", "id": "<door>"}}]}"#,
      yes: #""decision":true"#
    ),
    .init(
      "AuthZen/SearchSubjects",
      .device,
      .staff,
      #"{"subject": {"type": "user"}, "action": {"name": "device.unlock"}, "#
        + #""resource": {"type": "device", "id": "<door>"}}"#,
      yes: #""type":"user""#
    ),
    .init(
      "AuthZen/SearchResources",
      .none,
      .everyone,
      #"{"subject": {"type": "user", "id": "<me>"}, "action": {"name": "device.view"}, "#
        + #""resource": {"type": "device"}}"#
    ),
    .init(
      "AuthZen/SearchActions",
      .device,
      .deviceUsers,
      #"{"subject": {"type": "user", "id": "<me>"}, "resource": {"type": "device", "id": "<door>"}}"#,
      yes: #""device.unlock""#
    ),
  ]

  // Who may answer an invitation is said by its code or address; see InvitationTests for one that is there.
  private static let invitations: [MatrixRow] = [
    .init(
      "Invitations/Create",
      .portfolio,
      .owners,
      #"{"entityId": "<portfolio>", "role": "portfolio_admin"}"#
    ),
    .init("Invitations/Create", .unit, .staff, #"{"entityId": "<unit>", "role": "tenant"}"#),
    .init("Invitations/List", .none, .unsuspended),
    .init("Invitations/List", .unit, .staff, #"{"entityId": "<unit>"}"#),
    .init("Invitations/ListReceived", .none, .unsuspended),
    .init("Invitations/Accept", .foreignProduct, [], #"{"invitationId": "<pass>"}"#),
    .init("Invitations/Decline", .foreignProduct, [], #"{"invitationId": "<pass>"}"#),
    .init("Invitations/Revoke", .foreignProduct, [], #"{"invitationId": "<pass>"}"#),
    .init("Invitations/Update", .foreignProduct, [], #"{"invitationId": "<pass>"}"#),
    .init("Invitations/Resend", .foreignProduct, [], #"{"invitationId": "<pass>"}"#),
  ]

  // The smart home has no families; see PairingTests for a policy that has.
  private static let families: [MatrixRow] = [
    .init("Families/CreatePairingCode", .unserved, []),
    .init("Families/PairDevice", .unserved, []),
    .init("Families/GetDeviceContext", .unserved, []),
    .init("Families/ListPairings", .unserved, []),
    .init("Families/GetOverview", .unserved, []),
    .init("Families/Unpair", .unserved, []),
    .init("ChildDevices/Pair", .unserved, []),
    .init("ChildDevices/Unpair", .unserved, []),
  ]

  /// In this order: what is put is there for those that follow, and gone after the last one.
  private static let documents: [MatrixRow] = [
    .init(
      "Documents/Put",
      .none,
      .unsuspended,
      #"{"put": {"collection": "moods", "documentId": "m1", "json": "{}"}}"#
    ),
    .init(
      "Documents/Set",
      .none,
      .unsuspended,
      #"{"collection": "moods", "documentId": "m3", "json": "{}"}"#
    ),
    .init(
      "Documents/Merge",
      .none,
      .unsuspended,
      #"{"collection": "moods", "documentId": "m3", "json": "{}"}"#
    ),
    .init("Documents/Get", .none, .unsuspended, #"{"collection": "moods", "documentId": "m1"}"#),
    .init("Documents/List", .none, .unsuspended, #"{"collection": "moods"}"#),
    .init("Documents/Browse", .none, .unsuspended, #"{"collection": "moods"}"#),
    .init("Documents/Remove", .none, .unsuspended, #"{"collection": "moods", "documentId": "m3"}"#),
    .init("Documents/Watch", .none, .unsuspended, #"{"collection": "moods"}"#),
    .init("AppWatch/Watch", .none, .unsuspended),
    .init("Documents/GetUsage", .none, .unsuspended),
    .init(
      "Documents/BatchWrite",
      .none,
      .unsuspended,
      #"{"writes": [{"put": {"collection": "moods", "documentId": "m2"}}]}"#
    ),
    .init(
      "Documents/Delete",
      .none,
      .unsuspended,
      #"{"delete": {"collection": "moods", "documentId": "m1"}}"#
    ),
    .init(
      "LegacyDocuments/Import",
      .system,
      .operators,
      #"""
      {"collection": "LEGACY_COLLECTION_INSIGHTS", "documents": [
        {"id": "d1", "userId": "usr_somebody", "json": "{}"}]}
      """#
    ),
    .init("LegacyDocuments/Seal", .system, .operators),
    .init("LegacyDocuments/GetCollections", .system, .operators),
    .init("LegacyDocuments/Migrate", .none, .unsuspended),
    .init("LegacyDocuments/GetMigration", .none, .unsuspended),
    .init("Documents/DeleteAll", .none, .unsuspended),
  ]

  private static let entitlement: [MatrixRow] = [
    .init(
      "Entitlements/Get",
      .portfolio,
      .unitUsers,
      ofPortfolio(""),
      tellsOperators: true
    ),
    .init("Entitlements/Get", .self_, .everyone, ofSelf(""), tellsOperators: true),
    .init(
      "FeatureFlags/Evaluate",
      .portfolio,
      .unitUsers,
      #"{"key": "analytics", "context": {"targetingKey": "<portfolio>", "subjectKind": "portfolio"}}"#,
      tellsOperators: true
    ),
    .init(
      "FeatureFlags/EvaluateAll",
      .self_,
      .everyone,
      #"{"context": {"targetingKey": "<self>"}}"#,
      tellsOperators: true
    ),
    .init("Entitlements/GetPlans", .service, [], #"{"subjects": [\#(portfolio)]}"#),
    .init("Entitlements/CheckFeature", .portfolio, .unitUsers, ofPortfolio(feature)),
    .init("Entitlements/CheckFeature", .self_, .everyone, ofSelf(feature)),
    .init("Entitlements/CheckLimit", .portfolio, .unitUsers, ofPortfolio(limit)),
    .init("Entitlements/CheckLimit", .self_, .everyone, ofSelf(limit)),
    .init(
      "Entitlements/BatchCheck",
      .portfolio,
      .unitUsers,
      #"{"checks": [{"feature": \#(ofPortfolio(feature))}]}"#
    ),
    .init(
      "Entitlements/BatchCheck",
      .self_,
      .everyone,
      #"{"checks": [{"limit": \#(ofSelf(limit))}]}"#
    ),
    // What is shared is used up by services only.
    .init("Entitlements/Consume", .portfolio, [], ofPortfolio(use)),
    .init("Entitlements/Consume", .self_, .everyone, ofSelf(use)),
    .init(
      "Entitlements/ListChanges",
      .portfolio,
      .portfolioStaff,
      ofPortfolio(""),
      tellsOperators: true
    ),
    .init("Entitlements/ListChanges", .self_, .everyone, ofSelf(""), tellsOperators: true),
    .init("Entitlements/Watch", .service, []),
    .init("Subscriptions/ListTiers", .none, .everyone),
    .init("Subscriptions/Get", .portfolio, .portfolioStaff, ofPortfolio("")),
    .init(
      "Subscriptions/Put",
      .system,
      .operators,
      #"{"subscription": {"subject": \#(portfolio), "tier": "pro"}}"#
    ),
    .init(
      "Subscriptions/Delete",
      .system,
      .operators,
      #"{"subject": {"kind": "SUBJECT_KIND_USER", "id": "<user>"}}"#
    ),
    .init("Subscriptions/Redeem", .portfolio, .portfolioStaff, ofPortfolio(trial)),
    .init("Subscriptions/Redeem", .self_, .everyone, ofSelf(trial)),
    .init(
      "Subscriptions/ScheduleChange",
      .system,
      .operators,
      #"{"subject": \#(portfolio), "effectiveAt": "<soon>", "tier": "pro"}"#
    ),
    .init(
      "Subscriptions/ListScheduledChanges",
      .portfolio,
      .portfolioStaff,
      ofPortfolio(""),
      tellsOperators: true
    ),
    .init(
      "Subscriptions/CancelScheduledChange",
      .system,
      .operators,
      #"{"subject": \#(portfolio), "id": "sch_unknown"}"#
    ),
    .init(
      "Purchases/SubmitTransaction",
      .none,
      .everyone,
      #"{"signedTransaction": "<transaction>"}"#
    ),
    .init(
      "Purchases/SubmitTransaction",
      .portfolio,
      .portfolioStaff,
      ofPortfolio(#", "signedTransaction": "<estate>""#)
    ),
    .init("Purchases/Restore", .none, .everyone, #"{"signedTransactions": ["<transaction>"]}"#),
    .init(
      "Purchases/ValidateReceipt",
      .none,
      .everyone,
      #"{"receiptData": "<transaction>", "productId": "com.unifiedsmarthome.compliancepack1"}"#
    ),
    .init(
      "Purchases/HandleNotification",
      .none,
      .everyone,
      #"{"signedPayload": "<notification>"}"#
    ),
    .init("Purchases/List", .none, .everyone),
    .init(
      "Purchases/List",
      .portfolio,
      .portfolioStaff,
      ofPortfolio(""),
      tellsOperators: true
    ),
    .init(
      "Purchases/Move",
      .foreignProduct,
      [],
      #"{"purchaseId": "pur_unknown", "subject": \#(portfolio)}"#
    ),
    .init("Purchases/List", .somebody, .operators, #"{"userId": "usr_somebody"}"#),
    .init("EntitlementAudit/Search", .system, .operators),
    .init("EntitlementAudit/ListAccess", .none, .everyone),
  ]

  /// Last, because by then everybody has bought what readers need.
  private static let reports: [MatrixRow] = [
    .init(
      "Reports/Read",
      .portfolio,
      .portfolioStaff,
      #"{"rootId": "<portfolio>", "from": "1970-01-01T00:00:00Z"}"#
    ),
    .init(
      "Reports/Download",
      .portfolio,
      .portfolioStaff,
      #"{"rootId": "<portfolio>", "from": "1970-01-01T00:00:00Z", "format": "json"}"#
    ),
    .init("Reports/GetKeys", .none, .everyone),
  ]

  // The smart home's policy has no actions of points; see PointsRightsTests for one that has.
  private static let points: [MatrixRow] = [
    .init("Points/SetRule", .foreignProduct, [], ofHolder(#", "rule": {"app": "math"}"#)),
    .init("Points/ListRules", .foreignProduct, [], ofHolder("")),
    .init("Points/Earn", .foreignProduct, [], ofHolder(#", "app": "math", "minutes": 1"#)),
    .init(
      "Points/Redeem",
      .foreignProduct,
      [],
      ofHolder(#", "parts": [{"app": "math", "all": true}]"#)
    ),
    .init("Points/Reverse", .foreignProduct, [], ofHolder(#", "transactionId": "ptx_1""#)),
    .init("Points/Balances", .foreignProduct, [], ofHolder("")),
    .init("Points/History", .foreignProduct, [], ofHolder("")),
    .init("Points/ActiveRewards", .foreignProduct, [], ofHolder("")),
    .init("Points/ListRequests", .foreignProduct, [], ofHolder("")),
    .init("Points/Approve", .foreignProduct, [], ofHolder(#", "requestId": "prq_1""#)),
    .init("Points/Decline", .foreignProduct, [], ofHolder(#", "requestId": "prq_1""#)),
    .init("Points/Cancel", .foreignProduct, [], ofHolder(#", "requestId": "prq_1""#)),
    .init("PointsSummaries/Get", .service, [], #"{"holderIds": ["<portfolio>"]}"#),
  ]

  private static func ofHolder(_ rest: String) -> String {
    #"{"holderId": "<portfolio>"\#(rest)}"#
  }

  private static let portfolio = #"{"kind": "SUBJECT_KIND_PORTFOLIO", "id": "<portfolio>"}"#
  private static let feature = #", "feature": "compliancePack""#
  private static let trial = #", "trial": "<fresh trial>""#
  private static let use = #", "limit": "unknown""#
  private static let limit = #", "limit": "maxHorses", "currentCount": "1""#

  private static func ofPortfolio(_ rest: String) -> String {
    #"{"subject": \#(portfolio)\#(rest)}"#
  }

  private static func ofSelf(_ rest: String) -> String {
    #"{"subject": {"kind": "SUBJECT_KIND_USER", "id": "<self>"}\#(rest)}"#
  }
}
