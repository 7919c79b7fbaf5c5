internal import PeerContracts
internal import RPCKit
public import ServiceKit

extension OperatorRole {
  /// Operators asked for at once.
  private static let pageSize: UInt32 = 1000

  /// Those who have a right of operators or of support people, as TenancyService tells AuthService and no user: in
  /// the order in which they were granted it.
  static func holders(
    of right: Permission,
    in environment: ServiceEnvironment
  ) async throws -> [Tenancy_V1.AllowedSubject] {
    let tenancy = try environment.authenticatedChannel(to: "tenancy")
    do {
      let holders = try await holders(of: right, Tenancy_V1.PermissionsClient(tenancy))
      await tenancy.close()
      return holders
    } catch {
      await tenancy.close()
      throw error
    }
  }

  private static func holders(
    of right: Permission,
    _ permissions: Tenancy_V1.PermissionsClient
  ) async throws -> [Tenancy_V1.AllowedSubject] {
    var holders: [Tenancy_V1.AllowedSubject] = []
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
      holders += page.subjects
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
    let holders = try await OperatorRole.holders(of: .administration, in: environment)
    return holders.isEmpty
      ? "nobody is super_admin" : holders.map(\.userId).joined(separator: "\n")
  }

  /// The command that lists the support people.
  public static let listSupport = OperatorCommand<AuthProgram>(
    name: "list-support",
    arguments: "",
    summary: "List the support people, an identifier a line; TenancyService must be running."
  ) { _, environment, _ in
    // Operators have the right too, by their own role.
    let holders = try await OperatorRole.holders(of: .inspection, in: environment)
      .filter { $0.role == "support" }
    return holders.isEmpty
      ? "nobody has the role support" : holders.map(\.userId).joined(separator: "\n")
  }
}
