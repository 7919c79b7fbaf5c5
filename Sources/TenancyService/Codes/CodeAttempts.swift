internal import RPCKit
internal import ServiceKit

/// Bounds how many wrong codes are tried: by one user, and by all together.
///
/// An attempt is taken before its code is looked at, and given back unless the code was wrong. So many
/// tries at once gain nothing, and who types a code correctly is never refused for having done so.
final class CodeAttempts: Sendable {
  /// How many, in how long.
  struct Limits: Sendable {
    /// Wrong codes of one user.
    let ofUser: Int
    /// Wrong codes of all users.
    ///
    /// Far above what people mistype, because whoever spends it keeps everybody from using codes.
    let ofAll: Int
    /// The time in which attempts come back, in milliseconds.
    let window: Int64
  }

  /// Users who are remembered.
  private static let userCount = 16_384
  private static let all = Array("all".utf8)

  private let users: SourceLimiter
  private let everybody: SourceLimiter
  private let clock: any WallClock
  private let instruments: TenancyInstruments
  private let kind: CodeKind

  init(
    _ kind: CodeKind,
    _ limits: Limits,
    clock: any WallClock,
    random: any RandomSource,
    instruments: TenancyInstruments
  ) {
    users = SourceLimiter(
      limit: limits.ofUser,
      window: limits.window,
      sourceCount: Self.userCount,
      key: random.bytes(32)
    )
    everybody = SourceLimiter(
      limit: limits.ofAll,
      window: limits.window,
      sourceCount: 1024,
      key: random.bytes(32)
    )
    self.kind = kind
    self.clock = clock
    self.instruments = instruments
  }

  /// Runs `body`, which tries a code and throws `TenancyError.codeUnknown` when it is wrong.
  ///
  /// RESOURCE_EXHAUSTED, without running it, when the user or all users have tried too many.
  func trying<R: Sendable>(
    _ userID: String,
    _ body: () async throws -> R
  ) async throws -> R {
    let user = Array(userID.utf8)
    try take(user)
    do {
      let result = try await body()
      giveBack(user)
      return result
    } catch let error as RPCError where error.reason == TenancyError.codeUnknownReason {
      instruments.wrongCode(kind)
      throw error
    } catch {
      giveBack(user)
      throw error
    }
  }

  private func take(_ user: [UInt8]) throws(RPCError) {
    let now = clock.now
    if case .refused(let wait) = users.take(user, now: now) {
      instruments.refusedAttempt(kind, .user)
      throw TenancyError.tooManyCodeAttempts(wait: wait)
    }
    if case .refused(let wait) = everybody.take(Self.all, now: now) {
      users.giveBack(user)
      instruments.refusedAttempt(kind, .all)
      throw TenancyError.tooManyCodeAttempts(wait: wait)
    }
  }

  private func giveBack(_ user: [UInt8]) {
    users.giveBack(user)
    everybody.giveBack(Self.all)
  }
}

/// What a code is for, as metrics call it.
enum CodeKind: String, CaseIterable, Sendable {
  case invitation
  case pairing
}

/// Which limit of attempts was reached, as metrics call it.
enum CodeAttemptLimit: String, CaseIterable, Sendable {
  case user
  case all
}

extension TenancyError {
  static let codeUnknownReason = "CODE_UNKNOWN"

  /// Wrong, used, dead or expired: one answer, byte for byte.
  static let codeUnknown = RPCError(
    .notFound,
    reason: codeUnknownReason,
    domain: domain,
    message: "the code is wrong, was used or has expired; check it, or ask for a new one"
  )

  static func tooManyCodeAttempts(wait: Int64) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "TOO_MANY_CODE_ATTEMPTS",
      domain: domain,
      message: "too many wrong codes were tried; retry after the given delay",
      retryAfter: .milliseconds(wait)
    )
  }

  /// Whoever made an invitation or a code could not do itself what it stands for.
  static let issuerLacksRight = RPCError(
    .failedPrecondition,
    reason: "ISSUER_LACKS_RIGHT",
    domain: domain,
    message: "whoever issued this may no longer grant what it is for; ask for a new one"
  )
}
