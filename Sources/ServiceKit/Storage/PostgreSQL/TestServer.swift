/// The server on which tests keep the stores that would be files otherwise, each in a schema of its own.
///
/// Named by the environment (`GATEHOUSE_TEST_SERVER`), and in debug builds alone.
package enum TestServer {
  private static let address: String? = {
    #if DEBUG
    ProcessEnvironment.variables["GATEHOUSE_TEST_SERVER"]
    #else
    nil
    #endif
  }()

  /// Whether there is one.
  package static var isUsed: Bool { address != nil }

  /// The place of the store that would be at `path`, which is made; nil when stores are files.
  static func location(of path: String) throws(StoreError) -> PostgresLocation? {
    guard let address, let server = PostgresLocation(address) else { return nil }
    let schema = "s\(hash(path))"
    try PostgresConnection(server).run("CREATE SCHEMA IF NOT EXISTS \(schema)")
    return PostgresLocation("\(address)&options=-csearch_path%3D\(schema)")
  }

  /// The same in every process (FNV-1a).
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
