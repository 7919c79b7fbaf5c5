internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Accounts as AuthService shows them to operators.
struct Accounts: Sendable {
  let client: Auth_V1.OperatorsClient
  let options: CallOptions

  private static let pageSize: UInt32 = 1000

  /// Runs `body` with the accounts as the signed-in operator sees them.
  static func with<Result>(
    _ context: CommandContext,
    _ body: (Accounts) async throws -> Result
  ) async throws -> Result {
    try await context.signedIn(to: "auth") { channel, options in
      try await body(Accounts(client: Auth_V1.OperatorsClient(channel), options: options))
    }
  }

  /// Runs `body` with the identifier of the user with this identifier or address.
  static func with(
    _ user: String,
    _ context: CommandContext,
    _ body: (Accounts, _ id: String) async throws -> Void
  ) async throws {
    try await with(context) { accounts in
      try await body(accounts, user.contains("@") ? try await accounts.id(ofEmail: user) : user)
    }
  }

  /// Runs `body` for every account whose address or a name begins with `text`, page by page.
  func each(_ text: String, _ body: (Auth_V1.Account) async throws -> Void) async throws {
    var page = ""
    repeat {
      let answer = try await client.listUsers(
        .init(text: text, pageSize: Self.pageSize, pageToken: page),
        options: options
      )
      for account in answer.users { try await body(account) }
      page = answer.nextPageToken
    } while !page.isEmpty
  }

  /// The user with exactly this address, without regard to ASCII case.
  func id(ofEmail email: String) async throws -> String {
    // It comes first, before those whose addresses only begin with it.
    let first = try await client.listUsers(.init(text: email, pageSize: 1), options: options)
    guard let account = first.users.first,
      EmailAddress.lowercasedASCII(account.email) == EmailAddress.lowercasedASCII(email)
    else { throw AccountNotFound(email: email) }
    return account.id
  }
}

/// No account has the address that a command names: found out by a call, so the command has failed.
struct AccountNotFound: Error, CustomStringConvertible {
  let email: String

  var description: String { "account not found: \(email)" }
}
