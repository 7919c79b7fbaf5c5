import StrictJSON
import Testing

@testable import ServiceKit

@Suite("Settings of the store")
struct StoreSettingsTests {
  private func store(_ settings: JSONValue) throws -> StorePlace {
    try ConfigurationReader.decode(settings) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "auth", port: 1, adminPort: 2)
    }.store
  }

  @Test("A store is a file unless an address of PostgreSQL is set")
  func place_isReadFromEither() throws {
    #expect(try store([:]) == .file("auth.db"))
    #expect(try store(["database": "/data/a.db"]) == .file("/data/a.db"))
    let server = try store(["store": "postgresql://gatehouse@db.example/auth?sslmode=require"])
    #expect(server.server != nil)
    #expect(server.description == "postgresql://db.example/auth")
  }

  @Test(
    "What is no address, has a password or stands beside a file is refused, without the password",
    arguments: [
      (["store": "auth.db"], "must be an address of PostgreSQL"),
      (["store": "mysql://db/auth"], "must be an address of PostgreSQL"),
      (["store": "postgresql://a:secret@db/auth"], "must not have a password"),
      (["store": "postgresql://db/auth?user=a&password=secret"], "must not have a password"),
      (["store": "postgresql://db/auth", "database": "a.db"], "cannot be set beside database"),
      (["store": 5], "store"),
    ] as [(JSONValue, String)]
  )
  func place_isRefused(_ settings: JSONValue, _ reason: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try store(settings) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(reason) && !text.contains("secret"), "\(text)")
  }

  @Test("Commands for files say what to do with a store on a server")
  func commands_forFiles_refuseServers() throws {
    let location = try #require(PostgresLocation("postgresql://db/auth"))
    #expect(
      throws: StoreError.notInFile(path: "postgresql://db/auth", advice: "use pg_dump")
    ) { try StorePlace.server(location).file(instead: "use pg_dump") }
    #expect(try StorePlace.file("a.db").file(instead: "") == "a.db")
  }
}
