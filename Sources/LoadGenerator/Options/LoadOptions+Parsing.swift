internal import CommandLineTool
internal import RPCKit
internal import TextEncodings

/// The command of the command line.
package enum LoadCommand: Sendable {
  /// Print the help and end.
  case help
  /// Make load.
  case run(LoadOptions)

  /// Reads the arguments without the program's name.
  ///
  /// Throws `UsageError`: what is wrong and how to put it right.
  package init(_ arguments: [String]) throws {
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
  private var service: String?
  private var method: String?
  private var requestOption: String?
  private var hasRoute = false

  private typealias Reading =
    @Sendable (inout OptionParser, inout ArgumentReader) throws -> Void

  private static let load: [String: Reading] = [
    "--connections": { $0.options.connectionCount = try $1.integer(1...50_000) },
    "--in-flight": { $0.options.inFlightMax = try $1.integer(1...65_536) },
    "--threads": { $0.options.threadCount = try $1.integer(1...256) },
    "--seconds": { $0.options.measured = try $1.duration(seconds: 0.01...secondsMax) },
    "--warmup": { $0.options.warmup = try $1.duration(seconds: 0...secondsMax) },
    "--rate": { $0.options.rate = try $1.decimal(0...100_000_000) },
    "--poisson": { parser, _ in parser.options.isPoisson = true },
    "--seed": { $0.options.seed = try $1.unsigned() },
    "--backlog": { $0.options.backlogMax = try $1.integer(0...10_000_000) },
    "--slow-percent": { $0.options.slowPercent = try $1.decimal(0...100) },
    "--hold": { $0.options.hold = try $1.duration(seconds: 0...secondsMax) },
    "--calls": { $0.options.callCountMax = try $1.integer(1...Int.max) },
    "--max-errors": { $0.options.errorCountMax = try $1.integer(1...Int.max) },
  ]

  private static let call: [String: Reading] = [
    "--wire": { try $0.readWire(try $1.value()) },
    "--route": { try $0.readRoute(try $1.value()) },
    "--bearer-file": { try $0.readBearer(try $1.value()) },
    "--target": { try $0.readTarget(try $1.value()) },
    "--service": { $0.service = try $1.value() },
    "--method": { $0.method = try $1.value() },
    "--request-file": { try $0.take(.delimitedFile(try $1.value()), $1.name) },
    "--request-message": { try $0.take(.messageFile(try $1.value()), $1.name) },
    "--request-hex": {
      try $0.take(.message(try HexText.bytes(try $1.value(), option: $1.name)), $1.name)
    },
    "--template": { try $0.take(.template(try $1.value()), $1.name) },
    "--metadata": { try $0.readMetadata(try $1.value()) },
    "--timeout": { $0.options.timeout = try $1.duration(seconds: 0.000_001...secondsMax) },
    "--stock": { parser, _ in parser.options.isStock = true },
  ]

  private static let rest: [String: Reading] = [
    "--tls-ca": { $0.options.tls.authoritiesPath = try $1.value() },
    "--tls-cert": { $0.options.tls.certificatePath = try $1.value() },
    "--tls-key": { $0.options.tls.keyPath = try $1.value() },
    "--tls-host": { $0.options.tls.host = try $1.value() },
    "--json": { parser, _ in parser.options.output = .json },
    "--text": { parser, _ in parser.options.output = .text },
    "--json-file": { $0.options.jsonPath = try $1.value() },
    "--quiet": { parser, _ in parser.options.isQuiet = true },
  ]

  mutating func read(_ name: String, _ reader: inout ArgumentReader) throws {
    guard let reading = Self.load[name] ?? Self.call[name] ?? Self.rest[name] else {
      throw UsageError("unknown option \(name); --help lists them")
    }
    try reading(&self, &reader)
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

  private mutating func readWire(_ text: String) throws(UsageError) {
    guard let wire = LoadOptions.Wire(rawValue: text) else {
      let wires = LoadOptions.Wire.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--wire is one of \(wires), not \"\(text)\"")
    }
    options.wire = wire
  }

  private mutating func readRoute(_ text: String) throws(UsageError) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, !words[0].isEmpty, words[0].utf8.allSatisfy(\.isASCIIUppercase),
      words[1].hasPrefix("/"), words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw UsageError(
        "--route needs a method and a path, as in \"POST /v1/check\", not \"\(text)\""
      )
    }
    let path = try TextTemplate(String(words[1]), option: "--route")
    guard path.isFilledIn else {
      throw UsageError(
        "--route has a brace that is neither {n} nor {random}: give variables a value"
      )
    }
    options.route = LoadOptions.Route(method: String(words[0]), path: String(words[1]))
    hasRoute = true
  }

  private mutating func readBearer(_ path: String) throws(UsageError) {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(path, byteCountMax: 1 << 16)
    } catch {
      throw UsageError(error.description)
    }
    let words = bytes.split { $0 == 32 || (9...13).contains($0) }
    guard words.count == 1, words[0].allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw UsageError("--bearer-file: \(path) is not one token")
    }
    try readMetadata("authorization=Bearer \(String(decoding: words[0], as: UTF8.self))")
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
    guard (service == nil) == (method == nil) else {
      throw UsageError("--service and --method are given together or not at all")
    }
    if let service, let method {
      (options.service, options.method) = (service, method)
      if requestOption == nil { options.request = .message([]) }
    }
    try checkWire()
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
  /// Checks what goes with one wire alone.
  private mutating func checkWire() throws(UsageError) {
    guard options.wire.isREST else {
      guard !hasRoute else { throw UsageError("--route is for --wire rest and rest-http2") }
      guard !options.isStock || options.wire == .frames else {
        throw UsageError("--stock is for --wire frames")
      }
      return
    }
    guard service == nil else {
      throw UsageError("by REST a method is called by its --route, not by --service and --method")
    }
    guard !options.isStock else { throw UsageError("--stock is for --wire frames") }
    guard options.wire != .rest || options.inFlightMax == 1 else {
      throw UsageError(
        "HTTP/1.1 has one call in flight on a connection: give more --connections, or --wire rest-http2"
      )
    }
    if hasRoute, requestOption == nil { options.request = .message([]) }
    guard hasRoute || requestOption == nil else {
      throw UsageError("a request by REST needs a --route, as in --route \"POST /v1/check\"")
    }
  }
}
