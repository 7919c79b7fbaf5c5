public import RPCKit
public import StrictJSON

/// The settings that all services have.
public struct ServiceSettings: Sendable {
  /// Certificates of one side, as files.
  public struct TLS: Sendable {
    /// The own certificate and its issuers, PEM.
    public var certificate: String
    /// Its private key, PEM.
    public var key: String
    /// Authorities that issue the certificates of clients and servers of this installation, PEM;
    /// with it, clients need one (mutual TLS).
    public var authorities: String?
    /// The name that the own commands expect in the certificate; nil for the host of the first
    /// address that is listened at.
    public var serverName: String?
  }

  /// How services prove themselves to one another where TLS does not.
  public struct ServiceKeys: Sendable {
    /// This service's private key, PEM; nil: it calls no other service.
    public var privateKey: String?
    /// Files with the public keys of the services that may call this one, PEM, by name.
    public var trusted: [String: [String]]
  }

  /// How many streaming calls, which may last forever, are open at a time.
  public struct Streams: Sendable {
    /// All together; of these a quarter is for services alone.
    public var total = Limits().streamingCallsMax
    /// Of one connection.
    public var perConnection = Limits().streamingCallsPerConnectionMax
    /// Of anonymous callers at one address.
    public var perSource = Limits().streamingCallsPerSourceMax
    /// Of one user.
    public var perUser = Limits().streamingCallsPerUserMax
    /// Of one service, in all its instances.
    public var perService = Limits().streamingCallsPerServiceMax

    /// The defaults.
    public init() {}

    /// Bounds a server by these numbers.
    func apply(to limits: inout Limits) {
      limits.streamingCallsMax = total
      limits.streamingCallsPerConnectionMax = perConnection
      limits.streamingCallsPerSourceMax = perSource
      limits.streamingCallsPerUserMax = perUser
      limits.streamingCallsPerServiceMax = perService
    }
  }

  /// Where to listen for calls.
  public var listen: [SocketAddress]
  /// Where to listen for metrics and probes; nil for nowhere.
  public var admin: SocketAddress?
  /// The mode of the files of Unix sockets among these addresses, which says who may connect.
  public var socketMode: UInt32
  /// Connections for calls that may be open at a time.
  public var connectionCountMax: Int
  /// Those of one address, or of one user at a Unix socket; nil for three quarters of all.
  public var connectionsPerSourceMax: Int?
  /// Event loops, each a thread.
  public var loopCount: Int
  /// Whether answers are compressed for clients that can read it.
  public var compressesAnswers: Bool
  /// The protocols beside frames at the same addresses.
  public var http: HTTP
  /// Certificates; nil for plaintext.
  public var tls: TLS?
  /// How many streaming calls are open at a time.
  public var streams: Streams
  /// How services prove themselves.
  public var serviceKeys: ServiceKeys
  /// Where gateways call from that have no certificate.
  public var gateways: GatewayAddresses
  /// A file with the secrets that those show; nil: their addresses are all that they prove.
  public var gatewaySecret: String?
  /// The store.
  public var store: StorePlace
  /// How long audit records are kept, in milliseconds; nil keeps them all.
  public var auditLifetime: Int64?
  /// Whether events are kept for other systems, for 30 days.
  public var keepsEvents: Bool
  /// Bytes of log that one user may leave at once; they come back over an hour.
  public var logBudgetByteCount: Int64
  /// Targets of other services, by name: `tcp://127.0.0.1:7402`.
  public var peers: [String: String]
  /// Where spans are sent; nil: nothing is traced.
  public var traces: Traces?
  /// Lines below this level are not written.
  public var logLevel: LogLevel
  /// How long a drain may take.
  public var drainTimeout: Duration
  /// How long a service that drains still takes calls, so that balancers notice first.
  public var drainDelay: Duration

  /// Takes the common settings out of `members`; what a service adds stays.
  public init(
    _ members: inout JSONMembers,
    name: String,
    port: UInt16,
    adminPort: UInt16
  ) throws(JSONDecodingError) {
    listen = []
    for address in try members.optional("listen")?.elements() ?? [] {
      listen.append(try address.socketAddress())
    }
    if listen.isEmpty { listen = [.ipv4([127, 0, 0, 1], port: port)] }
    admin = .ipv4([127, 0, 0, 1], port: adminPort)
    if let field = members.optional("admin") {
      admin = field.value == false ? nil : try field.socketAddress()
    }
    socketMode =
      try members.optional("socket_mode").map(Self.mode) ?? ListenOptions().unixSocketMode
    connectionCountMax =
      Int(
        try members.optional("connections")?.integer(in: 1...1_000_000)
          ?? Int64(Limits().connectionCountMax)
      )
    connectionsPerSourceMax =
      (try members.optional("connections_per_source")?.integer(in: 1...1_000_000)).map { Int($0) }
    loopCount = Int(try members.optional("loops")?.integer(in: 1...256) ?? 2)
    compressesAnswers = try members.optional("compression")?.boolean() ?? false
    http = try HTTP(members.optional("http"))
    tls = try members.optional("tls").map(Self.tls)
    streams = try Self.streams(members.optional("streams"))
    serviceKeys = try Self.serviceKeys(members.optional("service_keys"))
    gateways = try GatewayAddresses(members.optional("gateways"))
    gatewaySecret = try members.optional("gateway_secret")?.nonEmptyString()
    store = try Self.store(&members, name)
    auditLifetime = try members.optional("audit_days")?.days(in: 30...36_500)
    keepsEvents = try members.optional("events")?.boolean() ?? false
    logBudgetByteCount =
      (try members.optional("log_budget_mib")?.integer(in: 1...1_048_576) ?? 64) << 20
    peers = try Self.texts(members.optional("peers"))
    traces = try Traces.read(members.optional("traces"))
    logLevel = try Self.logLevel(members.optional("log"))
    drainTimeout = try members.optional("drain_timeout")?.seconds(in: 0...3600) ?? .seconds(30)
    drainDelay = try members.optional("drain_delay")?.seconds(in: 0...600) ?? .zero
  }

  /// A path under `database`, or a server under `store`.
  private static func store(
    _ members: inout JSONMembers,
    _ name: String
  ) throws(JSONDecodingError) -> StorePlace {
    let database = members.optional("database")
    guard let field = members.optional("store") else {
      return .file(try database?.string() ?? "\(name).db")
    }
    if database != nil { throw field.error("cannot be set beside database: a store has one place") }
    let address = try field.string()
    guard let server = PostgresLocation(address) else {
      throw field.error(
        "must be an address of PostgreSQL, for example \"postgresql://gatehouse@db.example/\(name)\"; "
          + "the path of a file is the setting database"
      )
    }
    if server.hasPassword {
      throw field.error("must not have a password: name a file of passwords with ?passfile=PATH")
    }
    return .server(server)
  }

  /// A mode as chmod(1) takes it: three octal digits, a zero before them or not.
  ///
  /// A variable of the environment that holds only digits comes as a number.
  private static func mode(_ field: JSONField) throws(JSONDecodingError) -> UInt32 {
    var text = field.value.string ?? ""
    if field.value.string == nil { text = String(try field.integer(in: 0...777)) }
    guard text.utf8.count <= 4, let mode = UInt32(text, radix: 8), mode <= 0o777 else {
      throw field.error("must be three octal digits, for example \"660\"")
    }
    return mode
  }

  private static func tls(_ field: JSONField) throws(JSONDecodingError) -> TLS {
    var members = try field.members()
    let tls = TLS(
      certificate: try members.required("certificate").string(),
      key: try members.required("key").string(),
      authorities: try members.optional("authorities")?.string(),
      serverName: try members.optional("server_name")?.string()
    )
    try members.finish()
    return tls
  }

  private static func streams(_ field: JSONField?) throws(JSONDecodingError) -> Streams {
    var streams = Streams()
    guard let field else { return streams }
    // Less than the handlers that a server may have, so that other calls find a place.
    let range = Int64(1)...Int64(Limits().runningHandlersMax * 4 / 5)
    var members = try field.members()
    for (name, path) in [
      ("total", \Streams.total), ("per_connection", \.perConnection),
      ("per_source", \.perSource), ("per_user", \.perUser), ("per_service", \.perService),
    ] as [(String, WritableKeyPath<Streams, Int>)] {
      guard let field = members.optional(name) else { continue }
      streams[keyPath: path] = Int(try field.integer(in: range))
    }
    try members.finish()
    return streams
  }

  private static func serviceKeys(_ field: JSONField?) throws(JSONDecodingError) -> ServiceKeys {
    guard let field else { return ServiceKeys(privateKey: nil, trusted: [:]) }
    var members = try field.members()
    var keys = ServiceKeys(
      privateKey: try members.optional("private_key")?.string(),
      trusted: [:]
    )
    if let field = members.optional("trusted") {
      var services = try field.members()
      for (name, field) in services.rest() { keys.trusted[name] = try files(field) }
    }
    try members.finish()
    return keys
  }

  /// One file, or a list of them.
  private static func files(_ field: JSONField) throws(JSONDecodingError) -> [String] {
    if let path = field.value.string { return [path] }
    let elements = try field.elements()
    guard (1...8).contains(elements.count) else { throw field.error("must name 1 to 8 files") }
    var files: [String] = []
    for element in elements { files.append(try element.string()) }
    return files
  }

  private static func logLevel(_ field: JSONField?) throws(JSONDecodingError) -> LogLevel {
    guard let field else { return .info }
    var members = try field.members()
    let level = members.optional("level")
    try members.finish()
    guard let level else { return .info }
    guard let known = LogLevel(name: try level.string()) else {
      throw level.error("must be trace, debug, info, notice, warning, error or critical")
    }
    return known
  }

  /// An object of strings.
  private static func texts(_ field: JSONField?) throws(JSONDecodingError) -> [String: String] {
    guard let field else { return [:] }
    var members = try field.members()
    var texts: [String: String] = [:]
    for (name, value) in members.rest() { texts[name] = try value.string() }
    return texts
  }
}
