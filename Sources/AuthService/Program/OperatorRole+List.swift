internal import PeerContracts
internal import RPCKit
public import ServiceKit

extension OperatorRole {
  /// Operators asked for at once.
  private static let pageSize: UInt32 = 1000

  /// The current operators, as TenancyService tells AuthService and no user: in the order in which
  /// they were granted it.
  static func holders(in environment: ServiceEnvironment) async throws -> [String] {
    let tenancy = try environment.authenticatedChannel(to: "tenancy")
    do {
      let holders = try await holders(Tenancy_V1.PermissionsClient(tenancy))
      await tenancy.close()
      return holders
    } catch {
      await tenancy.close()
      throw error
    }
  }

  private static func holders(_ permissions: Tenancy_V1.PermissionsClient) async throws -> [String]
  {
    let right = Permission.administration
    var holders: [String] = []
    var pageToken = ""
    repeat {
      let page = try await permissions.listSubjects(
        .init(
          entityId: right.entity,
          action: right.action,
          pageSize: pageSize,
          pageToken: pageToken
        ),
        timeout: .seconds(10)
      )
      holders += page.subjects.map(\.userId)
      pageToken = page.nextPageToken
    } while !pageToken.isEmpty
    return holders
  }
}

extension AuthProgram {
  /// The command that lists the operators.
  ///
  /// Talks to TenancyService as AuthService itself: users cannot list operators.
  public static let listSuperAdmins = OperatorCommand<AuthProgram>(
    name: "list-super-admins",
    arguments: "",
    summary: "List the operators, an identifier a line; TenancyService must be running."
  ) { _, environment, _ in
    let holders = try await OperatorRole.holders(in: environment)
    return holders.isEmpty ? "nobody is super_admin" : holders.joined(separator: "\n")
  }
}
