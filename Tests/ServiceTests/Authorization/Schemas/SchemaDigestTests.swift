import ServiceKit
import Testing

@testable import AuthService
@testable import EntitlementService
@testable import TenancyService

@Suite("Digests of the services' schemas")
struct SchemaDigestTests {
  private static let schemas = [
    "AuthSchema": (AuthSchema.migrations, AuthSchema.digest),
    "TenancySchema": (TenancySchema.migrations, TenancySchema.digest),
    "EntitlementSchema": (EntitlementSchema.migrations, EntitlementSchema.digest),
  ]

  @Test(
    "The digest by which a service knows its schema is that of its migrations",
    arguments: schemas.keys.sorted()
  )
  func digest_isOfTheMigrations(name: String) throws {
    let (migrations, digest) = try #require(Self.schemas[name])
    let made = try SchemaListing.digest(of: migrations)
    #expect(digest == made, "\(name).digest")
  }
}
