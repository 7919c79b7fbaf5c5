internal import ServiceKit

/// The device tokens that AuthServices gave this machine, by which they know it again.
///
/// A token proves nobody's identity: with it a sign-in does not wait for what strangers try
/// (docs/decisions/0039-known-devices.md). So it outlives the session.
struct KnownDevices: Equatable, Sendable {
  /// A token, and for whom it is good.
  struct Entry: Equatable, Sendable {
    /// The AuthService that made it; it is sent nowhere else.
    var authTarget: String
    /// The address that signed in, as AuthService compares addresses.
    var email: String
    /// The token for the next sign-in.
    var token: String
  }

  /// Most entries that are kept; the one that signed in longest ago goes first.
  static let countMax = 32
  /// Longest token that is kept, in bytes; the contract takes no longer one.
  static let tokenByteCountMax = 256

  /// The last one that signed in comes first.
  private(set) var entries: [Entry] = []

  /// Nothing is known yet.
  init() {}

  /// The token for a sign-in; empty, as the contract has it, when there is none.
  func token(authTarget: String, email: String) -> String {
    let email = EmailAddress.lowercasedASCII(email)
    return entries.first { $0.authTarget == authTarget && $0.email == email }?.token ?? ""
  }

  /// Keeps `token` instead of the one before it; false when nothing changes by that.
  mutating func keep(_ token: String, authTarget: String, email: String) -> Bool {
    guard !token.isEmpty, token.utf8.count <= Self.tokenByteCountMax else { return false }
    let before = self
    let entry = Entry(
      authTarget: authTarget,
      email: EmailAddress.lowercasedASCII(email),
      token: token
    )
    entries.removeAll { $0.authTarget == authTarget && $0.email == entry.email }
    entries.insert(entry, at: 0)
    entries.removeLast(max(0, entries.count - Self.countMax))
    return self != before
  }
}

extension KnownDevices {
  /// Reads the file's contents.
  init(_ value: JSONValue) throws(JSONDecodingError) {
    var members = try JSONField(value).members()
    for element in try members.required("devices").elements() {
      var entry = try element.members()
      entries.append(
        Entry(
          authTarget: try entry.required("auth_target").string(),
          email: try entry.required("email").string(),
          token: try entry.required("device_token").string()
        )
      )
      try entry.finish()
    }
    try members.finish()
  }

  /// The file's contents.
  var json: JSONValue {
    let devices = entries.map { entry -> JSONValue in
      [
        "auth_target": .string(entry.authTarget), "email": .string(entry.email),
        "device_token": .string(entry.token),
      ]
    }
    return ["devices": .array(devices)]
  }
}
