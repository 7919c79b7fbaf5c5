internal import PeerContracts
internal import RPCKit
public import ServiceKit

extension AuthProgram {
  /// The command that makes a user a support person.
  ///
  /// Talks to the running services as AuthService itself, which only its private key can prove.
  public static let grantSupport = OperatorCommand<AuthProgram>(
    name: "grant-support",
    arguments: "USER",
    summary:
      "Make a user a support person, by its identifier or its verified address; the services must be running."
  ) { _, environment, arguments in
    try await OperatorRole.withUser(
      arguments[0],
      needsProof: true,
      in: environment
    ) { id, associations in
      _ = try await associations.grantSupport(.init(userId: id), timeout: .seconds(10))
      return "\(id) has the role support now; it counts after a sign-in with a second factor"
    }
  }

  /// The command that takes that away again.
  public static let revokeSupport = OperatorCommand<AuthProgram>(
    name: "revoke-support",
    arguments: "USER",
    summary: "Take that right away from the user."
  ) { _, environment, arguments in
    try await OperatorRole.withUser(
      arguments[0],
      needsProof: false,
      in: environment
    ) { id, associations in
      let response = try await associations.revokeSupport(
        .init(userId: id),
        timeout: .seconds(10)
      )
      return response.removed > 0
        ? "\(id) no longer has the role support"
        : "\(id) did not have the role support; nothing changed"
    }
  }
}
