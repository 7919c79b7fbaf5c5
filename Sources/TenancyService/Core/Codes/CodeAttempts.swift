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
  private let kind: CodeKind
  private let wrongCodes: CounterByLabel<CodeKind>
  private let refusals: MetricFamily<Counter>

  init(
    _ kind: CodeKind,
    _ limits: Limits,
    clock: any WallClock,
    random: any RandomSource,
    metrics: MetricRegistry
  ) {
    limiter = SharedLimiter(limits.wrong, kept: limits.kept, window: limits.window) {
      random.bytes(32)
    }
    self.kind = kind
    self.clock = clock
    wrongCodes = CounterByLabel(
      metrics,
      "gatehouse_tenancy_wrong_codes_total",
      help: "Wrong codes that were tried, by what they were for.",
      label: "kind"
    )
    refusals = metrics.counters(
      "gatehouse_tenancy_code_attempt_refusals_total",
      help: "Attempts refused because too many codes were wrong: the user's, or all.",
      labels: ["kind", "limit"]
    )
    for kind in CodeKind.allCases {
      for limit in CodeAttemptLimit.allCases {
        _ = refusals.series([kind.rawValue, limit.rawValue])
      }
    }
  }

  convenience init(_ kind: CodeKind, _ limits: Limits, _ core: TenancyCore) {
    self.init(kind, limits, clock: core.clock, random: core.random, metrics: core.metrics)
  }

  /// Runs `body`, which tries a code and throws `CodeError.unknown` when it is wrong.
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
    } catch let error as RPCError where error.reason == CodeError.unknownReason {
      wrongCodes.increment(kind)
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
      let reached: CodeAttemptLimit = limit == .share ? .user : .all
      refusals.series([kind.rawValue, reached.rawValue]).increment()
      throw CodeError.tooManyAttempts(wait: wait)
    }
  }
}

/// The kind of code, as metrics call it.
enum CodeKind: String, CaseIterable, Sendable {
  case invitation
  case pairing
  case claim
}

/// Which limit of attempts was reached, as metrics call it.
enum CodeAttemptLimit: String, CaseIterable, Sendable {
  case user
  case all
}

/// Codes that bring nothing.
enum CodeError {
  static let unknownReason = "CODE_UNKNOWN"

  /// Wrong, used, dead or expired: one answer, byte for byte.
  static let unknown = ErrorCatalog.tenancy.notFound(
    unknownReason,
    "the code is wrong, was used or has expired; check it, or ask for a new one"
  )

  static func tooManyAttempts(wait: Int64) -> RPCError {
    ErrorCatalog.tenancy.limited(
      "TOO_MANY_CODE_ATTEMPTS",
      "too many wrong codes were tried; retry after the given delay",
      retryAfter: .milliseconds(wait)
    )
  }

  /// The one who made an invitation or a code could not do itself what it stands for.
  static let issuerLacksRight = ErrorCatalog.tenancy.precondition(
    "ISSUER_LACKS_RIGHT",
    "the issuer of this code or invitation may no longer grant its role; ask for a new one"
  )
}
