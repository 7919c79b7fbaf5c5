internal import RPCKit
internal import ServiceKit

/// A user whom a caller names: by identifier, or by the address of the account.
enum NamedUser: Hashable, Sendable {
  case id(String)
  case email(String)

  /// Takes the two fields of a request, of which exactly one has to be given.
  init(id: String, email: String) throws(RPCError) {
    switch (id.isEmpty, email.isEmpty) {
    case (false, true): self = .id(id)
    case (true, false): self = .email(email)
    case (true, true):
      throw TenancyError.invalidField("user_id", "REQUIRED", "or email is required")
    case (false, false):
      throw TenancyError.invalidField(
        "email",
        "USER_NAMED_TWICE",
        "and user_id are both set; give one of them"
      )
    }
  }

  /// What is wrong when nobody has this name; `path` is where the request says it.
  fileprivate func unknown(in path: String) -> RPCError {
    switch self {
    case .id: TenancyError.invalidField("\(path)user_id", "USER_UNKNOWN", "is no user")
    case .email:
      TenancyError.invalidField(
        "\(path)email",
        "USER_UNKNOWN",
        "has no account; ask its owner to sign up first"
      )
    }
  }
}

/// The users whom a request names, as they were looked up before its write.
struct NamedUsers: Sendable {
  /// Nil when nobody was looked up, because the caller did not look as if it might know the answer.
  fileprivate let found: Result<[NamedUser: String], RPCError>?

  /// Thrown by `id` when nobody was looked up.
  fileprivate struct Unasked: Error {}

  /// The identifier of one of them, for a write that was found to be allowed.
  ///
  /// Throws INVALID_ARGUMENT when any of them does not exist, or why that cannot be told; pass on
  /// whatever it throws.
  func id(of user: NamedUser) throws -> String {
    guard let found else { throw Unasked() }
    guard let id = try found.get()[user] else {
      preconditionFailure("a write that is about a user must name it before")
    }
    return id
  }
}

extension TenancyCore {
  /// As the other `write`, for a request that names users who must have an account.
  ///
  /// They are looked up before the transaction, and only if `mayAsk` says that the caller may do what
  /// it asks for: nobody else finds out who has an account. `body` decides that again, by `require` with
  /// its transaction, before it asks `NamedUsers` for anybody. That somebody is unknown is a refusal
  /// of the write, kept under its key like any other; so a repeated request gets its answer whatever
  /// has become of an address, even when AuthService is down.
  ///
  /// `path` is what errors say before `user_id` or `email`, by place in `named`: `grants[3].`.
  func write<Request: Message, Response: Message>(
    _ call: CallContext,
    _ user: UserIdentity,
    key: String,
    request: Request,
    naming named: [NamedUser],
    path: (Int) -> String = { _ in "" },
    ifAllowed mayAsk: () async throws -> Bool,
    _ body: @escaping @Sendable (NamedUsers, borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    let users =
      if try await mayAsk() { try await lookUp(named, path, for: user) } else {
        NamedUsers(found: nil)
      }
    do {
      return try await write(call, user, key: key, request: request) { tx in try body(users, tx) }
    } catch is NamedUsers.Unasked {
      // The right came between the two decisions.
      let users = try await lookUp(named, path, for: user)
      return try await write(call, user, key: key, request: request) { tx in try body(users, tx) }
    }
  }

  private func lookUp(
    _ named: [NamedUser],
    _ path: (Int) -> String,
    for user: UserIdentity
  ) async throws -> NamedUsers {
    do {
      var found: [NamedUser: String] = [:]
      let ids = Set(named.compactMap { if case .id(let id) = $0 { id } else { nil } })
      if !ids.isEmpty {
        for id in try await displayNames(of: Array(ids)).keys { found[.id(id)] = id }
      }
      let emails = Set(named.compactMap { if case .email(let email) = $0 { email } else { nil } })
      if !emails.isEmpty {
        for (email, id) in try await userIDs(of: Array(emails), for: user) {
          found[.email(email)] = id
        }
      }
      if let missing = named.firstIndex(where: { found[$0] == nil }) {
        throw named[missing].unknown(in: path(missing))
      }
      return NamedUsers(found: .success(found))
    } catch let error as RPCError {
      return NamedUsers(found: .failure(error))
    }
  }

  /// Users of addresses; UNAVAILABLE when they cannot be told.
  private func userIDs(
    of emails: [String],
    for user: UserIdentity
  ) async throws -> [String: String] {
    do {
      return try await users.userIDs(of: emails, for: user)
    } catch let error as CancellationError {
      throw error
    } catch {
      if let refusal = error as? RPCError, refusal.reason == "TOO_MANY_UNKNOWN_ADDRESSES" {
        throw TenancyError.tooManyUnknownAddresses(refusal)
      }
      var unavailable = TenancyError.usersUnavailable
      unavailable.cause = error
      throw unavailable
    }
  }
}
