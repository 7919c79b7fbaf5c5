/// A request that names what the caller may know beside what is somebody else's.
///
/// `<their …>` is somebody else's, gone, or made up: the answer has to be the same.
struct Mixture: Sendable {
  let method: String
  let request: String

  init(_ method: String, _ request: String) {
    self.method = method
    self.request = request
  }

  static let all: [Mixture] = [
    .init(
      "Permissions/BatchCheck",
      """
      {"checks": [{"action": "device.view", "entityId": "<door>"},
        {"action": "device.view", "entityId": "<their door>"}]}
      """
    ),
    .init("Permissions/ListActions", #"{"entityIds": ["<door>", "<their door>", "<gate>"]}"#),
    .init(
      "Guests/Grant",
      """
      {"userId": "<user>", "deviceIds": ["<door>", "<their door>"], "validUntil": "<soon>"}
      """
    ),
    .init("Guests/List", #"{"deviceId": "<their door>", "unitId": "<unit>"}"#),
    .init("Guests/List", #"{"deviceId": "<door>", "unitId": "<their unit>"}"#),
    .init(
      "Units/Create",
      #"{"propertyId": "<property>", "name": "New", "deviceIds": ["<their cellar>"]}"#
    ),
    .init(
      "Units/Create",
      #"{"propertyId": "<property>", "name": "New", "commonAreaDeviceIds": ["<their gate>"]}"#
    ),
    .init(
      "Properties/CreateUnit",
      #"{"propertyId": "<property>", "name": "New", "deviceIds": ["<their cellar>"]}"#
    ),
    .init(
      "Units/Update",
      #"{"unitId": "<unit>", "commonAreaDevices": {"deviceIds": ["<gate>", "<their gate>"]}}"#
    ),
    .init("Units/AssignDevice", #"{"unitId": "<unit>", "deviceId": "<their cellar>"}"#),
    .init("Units/AssignDevice", #"{"unitId": "<their unit>", "deviceId": "<cellar>"}"#),
    .init("Units/UnassignDevice", #"{"unitId": "<unit>", "deviceId": "<their door>"}"#),
    .init("Units/UnassignDevice", #"{"unitId": "<their unit>", "deviceId": "<door>"}"#),
    .init("Units/ListDevices", #"{"unitId": "<unit>", "propertyId": "<their property>"}"#),
    .init(
      "Devices/Register",
      """
      {"propertyId": "<property>", "unitId": "<their unit>", "name": "New", "type": "light"}
      """
    ),
    .init(
      "Devices/Register",
      """
      {"propertyId": "<their property>", "unitId": "<unit>", "name": "New", "type": "light"}
      """
    ),
    .init("Devices/List", #"{"portfolioId": "<portfolio>", "unitId": "<their unit>"}"#),
    .init("Devices/List", #"{"portfolioId": "<their portfolio>", "unitId": "<unit>"}"#),
    .init("Devices/List", #"{"propertyId": "<their property>", "unitId": "<unit>"}"#),
    .init(
      "Entitlements/BatchCheck",
      """
      {"checks": [
        {"feature": {"subject": {"kind": "SUBJECT_KIND_PORTFOLIO", "id": "<portfolio>"},
          "feature": "compliancePack"}},
        {"feature": {"subject": {"kind": "SUBJECT_KIND_PORTFOLIO", "id": "<their portfolio>"},
          "feature": "compliancePack"}}]}
      """
    ),
    .init(
      "Entitlements/BatchCheck",
      """
      {"checks": [{"feature": {"feature": "compliancePack"}},
        {"feature": {"subject": {"kind": "SUBJECT_KIND_USER", "id": "<their user>"},
          "feature": "compliancePack"}}]}
      """
    ),
    .init(
      "Users/SetDefaults",
      #"{"portfolioId": "<portfolio>", "propertyId": "<their property>"}"#
    ),
    .init("Users/SetDefaults", #"{"portfolioId": "<their portfolio>", "unitId": "<unit>"}"#),
  ]
}
