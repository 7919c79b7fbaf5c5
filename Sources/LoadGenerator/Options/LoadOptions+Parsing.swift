package import CommandLineTool
internal import RPCKit

/// The command of the command line.
package enum LoadCommand: Sendable {
  /// Print the help and end.
  case help
  /// Make load.
  case run(LoadOptions)

  /// Reads the arguments without the program's name.
  ///
  /// Throws what is wrong and how to put it right.
  package init(_ arguments: [String]) throws(UsageError) {
    var parser = OptionParser()
    var reader = ArgumentReader(arguments)
    while let name = try reader.nextOption() {
      if name == "--help" || name == "-h" {
        self = .help
        return
      }
      try parser.read(name, &reader)
    }
    self = .run(try parser.finished())
  }
}

/// Gathers options and checks what they mean together.
private struct OptionParser {
  /// Longest run in seconds: a generator that is forgotten must end by itself.
  private static let secondsMax = 3600.0

  private var options = LoadOptions(target: .init(.address(.unix(path: "/"))))
  private var hasTarget = false
  private var hasService = false
  private var hasMethod = false
  private var requestOption: String?

  mutating func read(_ name: String, _ reader: inout ArgumentReader) throws(UsageError) {
    if try readLoad(name, &reader) { return }
    if try readCall(name, &reader) { return }
    if try readTLS(name, &reader) { return }
    if try readOutput(name, &reader) { return }
    throw UsageError("unknown option \(name); --help lists them")
  }

  private mutating func readLoad(
    _ name: String,
    _ reader: inout ArgumentReader
  ) throws(UsageError) -> Bool {
    switch name {
    case "--connections": options.connectionCount = try reader.integer(1...50_000)
    case "--in-flight": options.inFlightMax = try reader.integer(1...65_536)
    case "--threads": options.threadCount = try reader.integer(1...256)
    case "--seconds":
      options.measured = try reader.duration(seconds: 0.01...Self.secondsMax)
    case "--warmup": options.warmup = try reader.duration(seconds: 0...Self.secondsMax)
    case "--rate": options.rate = try reader.decimal(0...100_000_000)
    case "--poisson": options.isPoisson = true
    case "--seed": options.seed = try reader.unsigned()
    case "--backlog": options.backlogMax = try reader.integer(0...10_000_000)
    case "--slow-percent": options.slowPercent = try reader.decimal(0...100)
    case "--hold": options.hold = try reader.duration(seconds: 0...Self.secondsMax)
    case "--calls": options.callCountMax = try reader.integer(1...Int.max)
    case "--max-errors": options.errorCountMax = try reader.integer(1...Int.max)
    default: return false
    }
    return true
  }

  private mutating func readCall(
    _ name: String,
    _ reader: inout ArgumentReader
  ) throws(UsageError) -> Bool {
    switch name {
    case "--target": try readTarget(try reader.value())
    case "--service":
      options.service = try reader.value()
      hasService = true
    case "--method":
      options.method = try reader.value()
      hasMethod = true
    case "--request-file": try take(.delimitedFile(try reader.value()), name)
    case "--request-message": try take(.messageFile(try reader.value()), name)
    case "--request-hex":
      try take(.message(try HexText.bytes(try reader.value(), option: name)), name)
    case "--template": try take(.template(try reader.value()), name)
    case "--metadata": try readMetadata(try reader.value())
    case "--timeout": options.timeout = try reader.duration(seconds: 0.000_001...Self.secondsMax)
    case "--stock": options.isStock = true
    default: return false
    }
    return true
  }

  private mutating func readTLS(
    _ name: String,
    _ reader: inout ArgumentReader
  ) throws(UsageError) -> Bool {
    switch name {
    case "--tls-ca": options.tls.authoritiesPath = try reader.value()
    case "--tls-cert": options.tls.certificatePath = try reader.value()
    case "--tls-key": options.tls.keyPath = try reader.value()
    case "--tls-host": options.tls.host = try reader.value()
    default: return false
    }
    return true
  }

  private mutating func readOutput(
    _ name: String,
    _ reader: inout ArgumentReader
  ) throws(UsageError) -> Bool {
    switch name {
    case "--json": options.output = .json
    case "--text": options.output = .text
    case "--json-file": options.jsonPath = try reader.value()
    case "--quiet": options.isQuiet = true
    default: return false
    }
    return true
  }

  private mutating func readTarget(_ text: String) throws(UsageError) {
    let full =
      text.contains("://") ? text : text.hasPrefix("/") ? "unix://\(text)" : "tcp://\(text)"
    let target: ChannelTarget
    do {
      target = try ChannelTarget(full)
    } catch {
      throw UsageError("--target \(error)")
    }
    guard target.endpoints.count == 1, let endpoint = target.endpoints.first else {
      throw UsageError("--target takes one server, not a list")
    }
    options.target = endpoint
    hasTarget = true
  }

  private mutating func readMetadata(_ text: String) throws(UsageError) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw UsageError("--metadata needs key=value, not \"\(text)\"")
    }
    guard options.metadata.count < Limits().metadataCountMax else {
      throw UsageError("a call has at most \(Limits().metadataCountMax) --metadata pairs")
    }
    options.metadata.append(
      String(text[..<equals]),
      String(text[text.index(after: equals)...])
    )
  }

  private mutating func take(
    _ request: LoadOptions.Request,
    _ name: String
  ) throws(UsageError) {
    if let requestOption {
      throw UsageError("\(requestOption) and \(name) both give the request: use one of them")
    }
    requestOption = name
    options.request = request
  }

  consuming func finished() throws(UsageError) -> LoadOptions {
    guard hasTarget else {
      throw UsageError("--target is missing: tcp://host:port, tls://host:port or unix:///path")
    }
    guard hasService == hasMethod else {
      throw UsageError("--service and --method are given together or not at all")
    }
    if hasService, requestOption == nil { options.request = .message([]) }
    guard options.slowPercent == 0 || options.request == .benchmark else {
      throw UsageError("--slow-percent is for the benchmark's own request only")
    }
    guard !options.isPoisson || options.rate > 0 else {
      throw UsageError("--poisson needs a --rate")
    }
    guard options.callCountMax == nil || options.rate == 0 else {
      throw UsageError("--calls is for closed loops: leave out --rate")
    }
    guard options.threadCount <= options.connectionCount else {
      throw UsageError("--threads is at most --connections: a connection belongs to one thread")
    }
    guard options.tls.certificatePath == nil || options.tls.keyPath != nil,
      options.tls.keyPath == nil || options.tls.certificatePath != nil
    else { throw UsageError("--tls-cert and --tls-key are given together") }
    guard options.tls == LoadOptions.TLS() || options.target.tlsHost != nil else {
      throw UsageError("the --tls options need a --target of the form tls://host:port")
    }
    return options
  }
}
