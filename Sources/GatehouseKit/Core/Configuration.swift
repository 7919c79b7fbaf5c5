/// How long answers are shown that have ended, while the server cannot be reached.
public struct OfflineRules: Sendable {
  /// Permissions, roles and visible fields: not at all by default, 24 hours at most.
  public var rights: Duration
  /// Features and limits: three days by default, and never past a known end.
  public var plan: Duration

  /// Makes rules.
  public init(rights: Duration = .zero, plan: Duration = .seconds(3 * 86_400)) {
    self.rights = min(rights, .seconds(86_400))
    self.plan = plan
  }
}

/// The settings of an app.
public struct Configuration: Sendable {
  /// Where the services are.
  public var gateway: Gateway
  /// The app and its version, for lists of devices and logs.
  public var appVersion: String
  /// The device's name for people: `Ada's iPhone`.
  public var deviceName: String
  /// The rules of answers without a server.
  public var offline: OfflineRules

  /// Makes a configuration.
  public init(
    gateway: Gateway,
    appVersion: String,
    deviceName: String = "",
    offline: OfflineRules = OfflineRules()
  ) {
    self.gateway = gateway
    self.appVersion = appVersion
    self.deviceName = deviceName
    self.offline = offline
  }
}
