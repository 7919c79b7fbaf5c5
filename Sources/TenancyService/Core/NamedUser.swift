internal import RPCKit
internal import ServiceKit

/// A person whom a caller names: a user by its identifier, or the person who proves to receive mail at an
/// address.
enum NamedUser: Hashable, Sendable {
  case id(String)
  /// Its account is not looked up: the person is invited (docs/decisions/0182).
  case email(String)

  /// Takes the two fields of a request, of which exactly one has to be given.
  init(id: String, email: String) throws(RPCError) {
    switch (id.isEmpty, email.isEmpty) {
    case (false, true): self = .id(id)
    case (true, false):
      try EmailAddress(email).requireMailable()
      self = .email(email)
    case (true, true):
      throw ErrorCatalog.tenancy.invalid("user_id", "REQUIRED", "must be set, unless email is")
    case (false, false):
      throw ErrorCatalog.tenancy.invalid(
        "email",
        "USER_NAMED_TWICE",
        "must be empty when user_id is set"
      )
    }
  }
}

extension EmailAddress {
  /// INVALID_ARGUMENT unless mail can be sent there.
  func requireMailable() throws(RPCError) {
    guard isMailable else {
      throw ErrorCatalog.tenancy.invalid(
        "email",
        "EMAIL_INVALID",
        "must be an e-mail address, like ada@example.com"
      )
    }
  }
}

/// The users whom a request names by identifier, as they were looked up before its write.
struct NamedUsers: Sendable {
  /// Nil when nobody was looked up, because the caller did not look as if it might know the answer.
  fileprivate let found: Result<[String: PersonName], RPCError>?

  /// Thrown by `require` when nobody was looked up.
  fileprivate struct Unasked: Error {}

  /// Throws INVALID_ARGUMENT when any of them does not exist, or why that cannot be determined; for a write
  /// that was found to be allowed, which passes on whatever it throws.
  func require(_ id: String) throws {
    guard let found else { throw Unasked() }
    guard try found.get()[id] != nil else {
      preconditionFailure("a write that is about a user must name it before")
    }
  }

  /// As the other `require`, for a user who is shown from now on: its name is known with the write.
  func require(_ id: String, _ tx: borrowing WriteTransaction) throws {
    try require(id)
    if let name = try found?.get()[id] { try PersonTable.note(person: id, named: name, in: tx) }
  }
}

extension TenancyCore {
  /// As the other `write`, for a request that names users, who must exist.
  ///
  /// They are looked up before the transaction, and only if `mayAsk` says that the caller may do what
  /// it asks for: nobody else finds out who exists. `body` decides that again, by `require` with its
  /// transaction, before it asks `NamedUsers` for anybody. That somebody is unknown is a refusal of the
  /// write, kept under its key like any other; so a repeated request gets its answer even when AuthService
  /// is down. Of people who are named by address nobody is looked up.
  ///
  /// `path` is what errors say before `user_id`, by place in `named`: `grants[3].`.
  func write<Request: Message, Response: Message>(
    _ call: CallContext,
    _ request: Request,
    key: (Request) -> String,
    naming named: [NamedUser],
    path: (Int) -> String = { _ in "" },
    ifAllowed mayAsk: () async throws -> Bool,
    heads: WriteHeads = .unknown,
    _ body:
      @escaping @Sendable (NamedUsers, ChangeSet, borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    let users =
      if try await mayAsk() { try await lookUp(named, path) } else { NamedUsers(found: nil) }
    do {
      return try await write(call, request, key: key, heads: heads) { try body(users, $0, $1) }
    } catch is NamedUsers.Unasked {
      // The right came between the two decisions.
      let users = try await lookUp(named, path)
      return try await write(call, request, key: key, heads: heads) { try body(users, $0, $1) }
    }
  }

  private func lookUp(_ named: [NamedUser], _ path: (Int) -> String) async throws -> NamedUsers {
    let ids = named.map { if case .id(let id) = $0 { id } else { "" } }
    let asked = Set(ids).subtracting([""])
    guard !asked.isEmpty else { return NamedUsers(found: .success([:])) }
    do {
      let found = try await displayNames(of: Array(asked))
      if let missing = ids.firstIndex(where: { !$0.isEmpty && found[$0] == nil }) {
        throw ErrorCatalog.tenancy.invalid("\(path(missing))user_id", "USER_UNKNOWN", "is no user")
      }
      return NamedUsers(found: .success(found))
    } catch let error as RPCError {
      return NamedUsers(found: .failure(error))
    }
  }
}

extension UserIdentity {
  /// A user whom a change is about or in whose name it is made, and who does not call.
  ///
  /// Nobody's token: it only says who, and how that user had proved to be it.
  static func named(_ userID: String, _ assurance: Assurance = Assurance(text: "")) -> UserIdentity
  {
    UserIdentity(
      userID: userID,
      sessionID: "",
      token: BearerToken(""),
      acr: assurance.acr,
      // A proof that was recent then still counts: see `Assurance.text`.
      authenticated: assurance.isRecent ? .max : 0,
      tokenExpires: .max,
      purpose: assurance.purpose,
      object: assurance.object
    )
  }
}
