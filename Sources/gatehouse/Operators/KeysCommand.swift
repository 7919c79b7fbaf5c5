internal import CommandLineTool
internal import AuthService
internal import RPCKit
internal import ServiceKit

extension Command {
  /// `gatehouse keys`: what a new installation needs before its services can start, or what services that
  /// join one need.
  static let keys = Command(
    name: "keys",
    arguments: "DIRECTORY [SERVICE]...",
    summary: "create the keys and secrets of a new installation",
    details: """
      Creates DIRECTORY with a key pair for each service and the secrets of AuthService, readable
      only by their owner, and prints the settings that use them. Never overwrites a file.
      With names of services of your own, creates only their key pairs, and prints the settings that
      make the others believe them.
      """
  ) { context, words in
    try InstallationKeys(words).write(context.console)
  }
}

/// The keys and secrets of an installation, or the keys of services that join one.
private struct InstallationKeys {
  /// Where the files go.
  private let directory: String
  /// Services that join; none for a new installation.
  private let joining: [String]

  private static let services = ["auth", "tenancy", "entitlement"]

  /// The directory, then the services that join.
  init(_ words: [String]) throws(UsageError) {
    directory = words[0]
    joining = Array(words.dropFirst())
    for name in joining {
      // It becomes a part of file names and tokens.
      let isPlain = name.utf8.allSatisfy { ("a"..."z").contains(Character(UnicodeScalar($0))) }
      guard isPlain, (1...32).contains(name.utf8.count) else {
        throw UsageError("service \"\(name)\" is not a name of 1 to 32 lower-case letters")
      }
      guard !Self.services.contains(name) else {
        throw UsageError(
          "service \"\(name)\" gets its keys with the installation: gatehouse keys DIRECTORY"
        )
      }
    }
  }

  /// Writes the files, and prints the settings that use them.
  func write(_ console: Console) throws {
    let services = joining.isEmpty ? Self.services : joining
    var files: [(path: String, text: String)] = []
    for service in services {
      let key = SigningKey.generate()
      files.append((privateKey(service), key.pem))
      files.append((publicKey(service), key.verificationKey.pem))
    }
    if joining.isEmpty {
      files.append((secrets, AuthSecrets.generate(SystemRandomSource())))
      // Without a line break: Envoy sends the file as it is.
      files.append((gatewaySecret, GatewaySecrets.generate(SystemRandomSource())))
    }
    // Looked at before anything is made, so that a refusal leaves nothing half done.
    if let file = files.first(where: { SecretFile.exists($0.path) }) {
      throw FileError(
        "\(file.path) exists already and is not overwritten; choose another directory"
      )
    }
    try FileBytes.createDirectory(directory)
    for file in files { try FileBytes.createSecret(file.text, at: file.path) }
    for service in services {
      try console.line("settings of the \(service) service:")
      try console.line(settings(service).indentedText)
    }
    guard !joining.isEmpty else { return }
    try console.line("settings to add to the services that they call, auth in any case:")
    try console.line(trust.indentedText)
  }

  /// The settings by which others trust the services that join.
  private var trust: JSONValue {
    var trusted = JSONObject()
    for service in joining { trusted[service] = .string(publicKey(service)) }
    return ["service_keys": ["trusted": .object(trusted)]]
  }

  private func settings(_ service: String) -> JSONValue {
    var trusted = JSONObject()
    var peers = JSONObject()
    // A service that joins calls AuthService; who else is its own business.
    for other in Self.services where other != service && (joining.isEmpty || other == "auth") {
      if joining.isEmpty { trusted[other] = .string(publicKey(other)) }
      peers[other] = CommandLineOptions.defaultTargets[other].map { .string($0) }
    }
    var settings: JSONObject = [
      "service_keys": ["private_key": .string(privateKey(service)), "trusted": .object(trusted)],
      "peers": .object(peers),
    ]
    if service == "auth" { settings["secrets"] = .string(secrets) }
    if service == "tenancy" { settings["gateway_secret"] = .string(gatewaySecret) }
    return .object(settings)
  }

  private func privateKey(_ service: String) -> String { "\(directory)/\(service).private.pem" }
  private func publicKey(_ service: String) -> String { "\(directory)/\(service).public.pem" }
  private var secrets: String { "\(directory)/auth.secrets.json" }
  private var gatewaySecret: String { "\(directory)/gateway.secret" }
}
