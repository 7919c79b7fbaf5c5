internal import AuthService
internal import RPCKit
internal import ServiceKit

/// `gatehouse keys`: what a new installation needs before its services can start.
struct KeysCommand: Command {
  /// Where the files go.
  let directory: String

  private static let services = ["auth", "tenancy", "entitlement"]

  func run(_ context: CommandContext) async throws {
    var files: [(path: String, text: String)] = []
    for service in Self.services {
      let key = SigningKey.generate()
      files.append((privateKey(service), key.pem))
      files.append((publicKey(service), key.verificationKey.pem))
    }
    files.append((secrets, AuthSecrets.generate(SystemRandomSource())))
    // Looked at before anything is made, so that a refusal leaves nothing half done.
    if let file = files.first(where: { SecretFile.exists($0.path) }) {
      throw FileError(
        "\(file.path) exists already and is not overwritten; choose another directory"
      )
    }
    try FileBytes.createDirectory(directory)
    for file in files { try FileBytes.createSecret(file.text, at: file.path) }
    for service in Self.services {
      try context.console.line("settings of the \(service) service:")
      try context.console.line(settings(service).indentedText)
    }
  }

  private func settings(_ service: String) -> JSONValue {
    var trusted = JSONObject()
    var peers = JSONObject()
    for other in Self.services where other != service {
      trusted[other] = .string(publicKey(other))
      peers[other] = CommandLineOptions.defaultTargets[other].map { .string($0) }
    }
    var settings: JSONObject = [
      "service_keys": ["private_key": .string(privateKey(service)), "trusted": .object(trusted)],
      "peers": .object(peers),
    ]
    if service == "auth" { settings["secrets"] = .string(secrets) }
    return .object(settings)
  }

  private func privateKey(_ service: String) -> String { "\(directory)/\(service).private.pem" }
  private func publicKey(_ service: String) -> String { "\(directory)/\(service).public.pem" }
  private var secrets: String { "\(directory)/auth.secrets.json" }
}
