internal import CommandLineTool
internal import RPCKit

/// The command line: options anywhere, and the words between them.
struct CommandLineOptions: Sendable, Equatable {
  /// Services that a command can reach, with their default addresses.
  static let defaultTargets = [
    "auth": "tcp://127.0.0.1:7401",
    "tenancy": "tcp://127.0.0.1:7402",
    "entitlement": "tcp://127.0.0.1:7403",
  ]

  /// The command and what belongs to it.
  private(set) var words: [String] = []
  /// Where each service listens.
  private(set) var targets = defaultTargets
  /// A file with the contracts of other services; nil for those of Gatehouse alone.
  private(set) var descriptorsPath: String?
  /// The file that keeps the session.
  private(set) var sessionPath: String
  /// Whether calls go without the session's token.
  private(set) var isAnonymous = false
  /// How long a call may take; nil is what suits the command.
  private(set) var timeout: Duration?
  /// Authorities that `tls://` targets are checked against, PEM; nil for the system's.
  private(set) var authoritiesPath: String?
  /// How results are written; nil is what suits the command.
  private(set) var output: OutputFormat?
  /// The request that `logs` looks for.
  private(set) var request: String?
  /// The product whose world `seed` makes; nil is a portfolio of the signed-in user.
  private(set) var product: SeedProduct?
  /// The role that `policy explain` is about; nil is all of them.
  private(set) var role: String?
  /// Whether `import` only says what it would do.
  private(set) var isDryRun = false
  /// Whether `import` takes the file's word for which addresses are verified.
  private(set) var vouchesForAddresses = false
  /// The options of `report`, by name.
  private(set) var report: [String: String] = [:]
  /// Whether help was asked for.
  private(set) var wantsHelp = false
  /// Whether the version was asked for.
  private(set) var wantsVersion = false

  /// Every option, for completion.
  static let names = [
    "--anonymous", "--ca", "--descriptors", "--dry-run", "--format", "--from", "--help", "--key",
    "--output", "--product", "--request", "--role", "--session", "--target", "--timeout", "--to",
    "--verify", "--version", "--vouch-for-addresses",
  ]

  /// Reads the arguments after the program's name; variables go before defaults, options before
  /// both.
  init(_ arguments: [String], environment: [String: String]) throws(UsageError) {
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "."
    sessionPath = "\(home)/.gatehouse-session.json"
    for service in Self.defaultTargets.keys.sorted() {
      let variable = "GATEHOUSE_\(service.uppercased())"
      guard let target = environment[variable] else { continue }
      try setTarget(service, target, named: variable)
    }
    var reader = ArgumentReader(arguments)
    while let argument = try reader.next() {
      switch argument {
      case .word(let word): words.append(word)
      case .option(let name): try readOption(name, &reader)
      }
    }
    // Without other contracts, another name is a mistake.
    let others = targets.keys.filter { Self.defaultTargets[$0] == nil }.sorted()
    if descriptorsPath == nil, let other = others.first { throw Self.unknownService(other) }
  }

  /// Those of the options given that belong to one command.
  var ownOptions: [String] {
    var names = report.keys.sorted()
    if request != nil { names.append("--request") }
    if product != nil { names.append("--product") }
    if isDryRun { names.append("--dry-run") }
    if vouchesForAddresses { names.append("--vouch-for-addresses") }
    if role != nil { names.append("--role") }
    return names
  }

  /// Where a service listens.
  func target(of service: String) throws(UsageError) -> ChannelTarget {
    guard let text = targets[service] else {
      guard descriptorsPath != nil else { throw Self.unknownService(service) }
      throw UsageError(
        "service \"\(service)\" has no target; say --target \(service)=tcp://HOST:PORT"
      )
    }
    do {
      return try ChannelTarget(text)
    } catch {
      throw UsageError("the target of \(service): \(error)")
    }
  }

  private mutating func readOption(
    _ name: String,
    _ reader: inout ArgumentReader
  ) throws(UsageError) {
    switch name {
    case "--target": try readTarget(try reader.value())
    case "--session": sessionPath = try reader.value()
    case "--descriptors": descriptorsPath = try reader.value()
    case "--ca": authoritiesPath = try reader.value()
    case "--timeout":
      let text = try reader.value()
      guard let seconds = Double(text), (0.001...86_400).contains(seconds) else {
        throw UsageError("--timeout \"\(text)\" is not a number of seconds from 0.001 to 86400")
      }
      timeout = .seconds(seconds)
    case "--output":
      let text = try reader.value()
      // Reports are written to a file.
      if let format = OutputFormat(rawValue: text) { output = format } else { report[name] = text }
    case "--format", "--from", "--key", "--to", "--verify":
      report[name] = try reader.value()
    case "--request": request = try reader.value()
    case "--role": role = try reader.value()
    case "--product":
      let text = try reader.value()
      guard let product = SeedProduct(rawValue: text) else {
        let known = SeedProduct.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--product \"\(text)\" is not a product; use \(known)")
      }
      self.product = product
    case "--anonymous": isAnonymous = true
    case "--dry-run": isDryRun = true
    case "--help", "-h": wantsHelp = true
    case "--version": wantsVersion = true
    case "--vouch-for-addresses": vouchesForAddresses = true
    default:
      throw UsageError("unknown option \(name); use \(Self.names.joined(separator: ", "))")
    }
  }

  private mutating func readTarget(_ text: String) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2 else {
      throw UsageError("--target must be SERVICE=TARGET, for example auth=tcp://127.0.0.1:7401")
    }
    try setTarget(String(parts[0]), String(parts[1]), named: "--target")
  }

  private mutating func setTarget(
    _ service: String,
    _ target: String,
    named name: String
  ) throws(UsageError) {
    do {
      _ = try ChannelTarget(target)
    } catch {
      throw UsageError("\(name): \(error)")
    }
    targets[service] = target
  }

  private static func unknownService(_ name: String) -> UsageError {
    UsageError("unknown service \"\(name)\"; use auth, tenancy or entitlement")
  }
}
