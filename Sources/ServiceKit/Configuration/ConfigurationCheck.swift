internal import RPCKit

/// Collects what is wrong with the files that settings name, so that all of it can be said at once.
///
/// ```swift
/// check.file("policy", settings.policy) { try Policy.load(FileBytes.read($0, byteCountMax: …)) }
/// ```
public struct ConfigurationCheck: Sendable {
  /// The problems, each with the setting and the file that it is about.
  public private(set) var problems: [String] = []

  /// Whether a setting is among what is wrong already; what it names is not looked at then.
  let isWrong: @Sendable (_ setting: String) -> Bool

  /// Makes a check that found nothing yet.
  public init() { isWrong = { _ in false } }

  /// Goes on after the settings themselves were looked at.
  init(_ problems: [String], isWrong: @escaping @Sendable (_ setting: String) -> Bool) {
    self.problems = problems
    self.isWrong = isWrong
  }

  /// Opens the file of a setting with `body`; what that throws is a problem.
  public mutating func file(_ setting: String, _ path: String, _ body: (String) throws -> Void) {
    attempt(setting) {
      do {
        try body(path)
      } catch {
        let text = "\(error)"
        throw ConfigurationError(text.contains(path) ? text : "\(path): \(text)")
      }
    }
  }

  /// Looks at anything else that a setting says.
  public mutating func attempt(_ setting: String, _ body: () throws -> Void) {
    guard !isWrong(setting) else { return }
    do {
      try body()
    } catch {
      let text = "\(error)"
      problems.append(text.hasPrefix("setting ") ? text : "setting \(setting): \(text)")
    }
  }

  /// Looks whether the settings say where each of these services is, and whether this one can prove itself
  /// to them.
  public mutating func peers(_ names: [String], _ settings: ServiceSettings) {
    for name in names where settings.peers[name] == nil && !isWrong("peers.\(name)") {
      report("setting peers.\(name) is missing: set it to the address of the \(name) service")
    }
    ownProof(settings)
  }

  /// Adds a problem, said as `setting NAME: …`.
  mutating func report(_ problem: String) { problems.append(problem) }

  /// Throws all problems as one error, a line each.
  public func finish() throws(ConfigurationError) {
    guard problems.isEmpty else {
      throw ConfigurationError(problems.joined(separator: "\n"))
    }
  }
}

extension ConfigurationCheck {
  /// Largest file of certificates or keys, in bytes.
  private static let fileByteCountMax = 1 << 20

  /// Looks at what every service has: certificates, service keys, and where the others are.
  mutating func common(_ settings: ServiceSettings) {
    if let tls = settings.tls { certificates(tls, settings.http) }
    if let path = settings.serviceKeys.privateKey {
      file("service_keys.private_key", path) { _ = try ServiceKeyFiles.signingKey($0) }
    }
    for (name, paths) in settings.serviceKeys.trusted.sorted(by: { $0.key < $1.key }) {
      for path in paths {
        file("service_keys.trusted.\(name)", path) { _ = try ServiceKeyFiles.keys($0) }
      }
    }
    for (name, target) in settings.peers.sorted(by: { $0.key < $1.key }) {
      attempt("peers.\(name)") { _ = try ChannelTarget(target) }
    }
    gateways(settings)
    if let traces = settings.traces { self.traces(traces) }
    attempt("http.api_viewer") { _ = try settings.http.apiViewerDocuments() }
    addresses(settings)
  }

  private mutating func traces(_ traces: ServiceSettings.Traces) {
    if let path = traces.authorities {
      file("traces.ca_file", path) {
        _ = try FileBytes.read($0, byteCountMax: Self.fileByteCountMax)
      }
    }
    if let path = traces.headersFile {
      file("traces.headers_file", path) { _ in _ = try traces.headers() }
    }
  }

  private mutating func certificates(_ tls: ServiceSettings.TLS, _ http: ServiceSettings.HTTP) {
    let found = problems.count
    var files = [("tls.certificate", tls.certificate), ("tls.key", tls.key)]
    if let authorities = tls.authorities { files.append(("tls.authorities", authorities)) }
    for (setting, path) in files {
      file(setting, path) { _ = try FileBytes.read($0, byteCountMax: Self.fileByteCountMax) }
    }
    // Whether they fit together is only worth saying of files that are there.
    guard problems.count == found else { return }
    attempt("tls: \(files.map(\.1).joined(separator: ", "))") {
      let usage = try TLSContextSource(tls.serverConfiguration(http)).current.certificateUsage
      _ = try TLSContextSource(tls.clientConfiguration)
      let missing = [
        usage.server ? nil : "serverAuth",
        usage.client || tls.authorities == nil ? nil : "clientAuth",
      ]
      let words = missing.compactMap(\.self).joined(separator: " and ")
      guard words.isEmpty else {
        throw ConfigurationError(
          "setting tls.certificate: \(tls.certificate) lacks \(words) in its extendedKeyUsage, without which the "
            + "other services refuse it"
        )
      }
    }
  }
}
