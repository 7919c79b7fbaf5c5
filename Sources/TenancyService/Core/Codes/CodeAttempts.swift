internal import RPCKit
internal import ServiceKit

/// Bounds how many wrong codes are tried: by one user, and by all together.
///
/// An attempt is taken before its code is looked at, and given back unless the code was wrong. So many
/// tries at once gain nothing, and who types a code correctly is never refused for having done so.
final class CodeAttempts: Sendable {
  /// How many, in how long.
  struct Limits: Sendable {
    /// Wrong codes of all users, and of one.
    let wrong: SharedBound
    /// Those of one user that others cannot take away by trying many.
    let kept: Int
    /// The time in which attempts come back, in milliseconds.
    let window: Int64
  }

  private let limiter: SharedLimiter
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
    limiter = SharedLimiter(limits.wrong, kept: limits.kept, window: limits.window) {
      random.bytes(32)
    }
    self.kind = kind
    self.clock = clock
    self.instruments = instruments
  }

  /// Runs `body`, which tries a code and throws `TenancyError.codeUnknown` when it is wrong.
  ///
  /// RESOURCE_EXHAUSTED, without running it, when the user has tried too many, or more than is kept for it
  /// after all users have.
  func trying<R: Sendable>(
    _ userID: String,
    _ body: () async throws -> R
  ) async throws -> R {
    let attempt = try take(userID)
    do {
      let result = try await body()
      limiter.giveBack(attempt)
      return result
    } catch let error as RPCError where error.reason == TenancyError.codeUnknownReason {
      instruments.wrongCode(kind)
      throw error
    } catch {
      limiter.giveBack(attempt)
      throw error
    }
  }

  private func take(_ userID: String) throws(RPCError) -> SharedLimiter.Attempt {
    switch limiter.take(Array(userID.utf8), now: clock.now) {
    case .taken(let attempt): return attempt
    case .refused(let limit, let wait):
      instruments.refusedAttempt(kind, limit == .share ? .user : .all)
      throw TenancyError.tooManyCodeAttempts(wait: wait)
    }
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
    message: "the issuer of this code or invitation may no longer grant its role; ask for a new one"
  )
}
