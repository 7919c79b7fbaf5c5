// What actions, attributes, values and features of the products are called, and what operators and support people looked
// at. What is missing is read as it is written: list_tenants as "List tenants".
export default {
  "action.export_data": "Export data", "action.grant_guest": "Let guests in",
  "action.list_associations": "List roles", "action.set_brightness": "Set the brightness", "action.set_color": "Set the color",
  "action.set_color_temperature": "Set the color temperature", "action.set_fan": "Set the fan", "action.set_mode": "Set the mode",
  "action.set_pin": "Set the PIN", "action.set_temperature": "Set the temperature",

  "attribute.birth_year": "Year of birth", "attribute.ueln": "UELN", "attribute.auto_lock_seconds": "Locks itself after",
  "attribute.remote_operation_enabled": "Remote operation", "attribute.celsius": "Temperature", "attribute.percent": "Brightness",
  "attribute.kelvin": "Color temperature",

  "feature.advancedPermissions": "Advanced permissions", "feature.aiAssistant": "AI assistant", "feature.compliancePack": "Compliance Pack",
  "feature.leaveManagement": "Leave management", "feature.locationHistory": "Location history", "feature.maxHorses": "Horses",
  "feature.maxMembers": "Members", "feature.maxStables": "Stables", "feature.photoEvidence": "Photo evidence",
  "feature.selectionProcess": "Selection process", "feature.staffMatrix": "Staff matrix", "feature.supportAccess": "Support access",

  "look.user.get": "The account", "look.user.get_factors": "Ways to sign in", "look.user.disable": "Disabled the account",
  "look.user.enable": "Enabled the account", "look.session.list": "Sessions", "look.session.end_all": "Ended all sessions",
  "look.audit.list": "The audit log", "look.password.force_reset": "Reset the password", "look.account.request_change": "Asked for a change of the account",
  "look.account.cancel_change": "Withdrew a change of the account", "look.account.list_changes": "Changes of the account",
  "look.account.change": "Changed the account", "look.Associations/ListByUser": "Roles", "look.Associations/ListByEntity": "Who has a role",
  "look.Devices/Get": "The device", "look.Devices/ListHistory": "History of the device", "look.Entities/Get": "The object",
  "look.Entities/List": "What is in it", "look.Entitlements/Get": "The plan", "look.Families/GetOverview": "The family",
  "look.Families/ListPairings": "Paired devices", "look.Guests/List": "Guest passes", "look.Invitations/List": "Invitations",
  "look.Permissions/Check": "What is allowed", "look.Permissions/BatchCheck": "What is allowed", "look.Permissions/ListActions": "What is allowed",
  "look.Permissions/ListAccessible": "What is accessible", "look.Permissions/ListSubjects": "Who may do something",
  "look.Permissions/Explain": "Why something is allowed or not", "look.Purchases/List": "Purchases", "look.RoleDefinitions/List": "Own roles",
  "look.Roles/ListByEntity": "Who has a role", "look.Roles/ListByUser": "Roles", "look.Subscriptions/Get": "The subscription",
  "look.Subscriptions/ListScheduledChanges": "Changes to come", "look.Webhooks/Get": "The webhook", "look.Webhooks/List": "Webhooks",
  "look.Webhooks/ListAttempts": "Deliveries of the webhook", "look.Webhooks/Listen": "Events as they happen",
  "look.Portfolios/List": "What is in it", "look.Properties/List": "What is in it", "look.Units/List": "What is in it", "look.Devices/List": "What is in it",
  "look.Reports/Read": "The report", "look.Reports/Download": "The report", "look.TenancyAudit/Search": "The audit log",
  "look.EntitlementAudit/Search": "The audit log", "look.Policies/Compare": "Who gains or loses by other rules", "look.Policies/Decide": "What other rules would allow",
};
