internal import CPostgreSQL

/// The hosts of an address, which are tried one by one.
///
/// libpq would stop at the first that takes writes, be it an old primary, and at one that accepts a connection and
/// closes it, as a proxy does whose server is away. A name with several addresses is still its own affair.
struct PostgresHosts: Sendable {
  /// One host, by the parameters that name it to libpq; without any, all that it finds by itself.
  typealias Host = [String: String]

  private let all: [Host]
  private let isShuffled: Bool

  /// Parameters that say which hosts there are, and what may not go by one at a time.
  private static let names = [
    "host", "hostaddr", "port", "service", "target_session_attrs", "load_balance_hosts",
  ]

  /// The hosts of an address; libpq must be loaded.
  init(_ location: PostgresLocation) {
    var given: [String: String] = [:]
    var port = ""
    // Of an address that is wrong, libpq says why when it connects.
    if let options = unsafe CPostgreSQL_parse(location.address) {
      for name in Self.names {
        given[name] = unsafe postgresText(CPostgreSQL_given(options, name))
      }
      port = unsafe postgresText(CPostgreSQL_built_in(options, "port"))
      unsafe CPostgreSQL_free(options)
    }
    self.init(given: given, defaultPort: port, environment: ProcessEnvironment.variables)
  }

  /// The hosts that parameters give; empty ones count as absent.
  init(given: [String: String], defaultPort: String, environment: [String: String]) {
    let balancing = given["load_balance_hosts"].flatMap { $0.isEmpty ? nil : $0 }
    isShuffled = (balancing ?? environment["PGLOADBALANCEHOSTS"]) == "random"
    all = Self.listed(given, defaultPort, environment) ?? [[:]]
  }

  /// Whether there are several.
  var areSeveral: Bool { all.count > 1 }

  /// All of them in the order in which they are tried next.
  var inOrder: [Host] { isShuffled ? all.shuffled() : all }

  /// A host in errors: `db1:5433`.
  static func name(_ host: Host) -> String {
    let name = host["host"] ?? host["hostaddr"] ?? ""
    return host["port"].map { "\(name):\($0)" } ?? name
  }

  /// The hosts of a list; nil where libpq is to find them.
  private static func listed(
    _ given: [String: String],
    _ defaultPort: String,
    _ environment: [String: String]
  ) -> [Host]? {
    // These may have lists too, and how those go together is libpq's affair. One that prefers standbys has to see all.
    guard given["service", default: ""].isEmpty, environment["PGSERVICE"] == nil,
      environment["PGHOSTADDR"] == nil, environment["PGPORT"]?.contains(",") != true,
      given["target_session_attrs"] != "prefer-standby"
    else { return nil }
    let names = parts(given["host"])
    let addresses = parts(given["hostaddr"])
    let ports = parts(given["port"])
    let count = addresses.isEmpty ? names.count : addresses.count
    // What does not fit together is an error of libpq's, and an empty name its own folder of sockets.
    guard count > 1, [0, count].contains(names.count), [0, 1, count].contains(ports.count),
      !names.contains(""), !addresses.contains("")
    else { return nil }
    return (0..<count).map { index in
      var host: Host = [:]
      if !names.isEmpty { host["host"] = names[index] }
      if !addresses.isEmpty { host["hostaddr"] = addresses[index] }
      if let port = ports.count == 1 ? ports.first : ports.dropFirst(index).first {
        // An empty one would leave the list in force.
        host["port"] = port.isEmpty ? defaultPort : port
      }
      return host
    }
  }

  private static func parts(_ list: String?) -> [String] {
    guard let list, !list.isEmpty else { return [] }
    return list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
}
