internal import RPCKit
internal import ServiceKit

/// The address by which a watching user is invited, as far as AuthService has said it.
final class AppMailbox: Sendable {
  private struct State {
    /// The last answer; nil before the first.
    var last: EmailAddress??
    /// Whether the answer still counts.
    var isKnown = false
    /// No question before then: the last one had no answer.
    var pauseEnd: MonotonicInstant?
    /// Whether a question had no answer.
    var hasFailed = false
  }

  /// The outcome of a question.
  enum Answer {
    /// Nobody was asked, or the address is the same.
    case same
    /// It is another address than before, or the first one that could be learned late.
    case other
    /// It is the first one.
    case first
  }

  /// Pause after a question without an answer.
  private static let pause = Duration.seconds(10)

  private let core: TenancyCore
  private let user: UserIdentity
  private let state = Lock(State())

  init(_ core: TenancyCore, _ user: UserIdentity) { (self.core, self.user) = (core, user) }

  /// The verified address; nil for none, and while it is not known.
  var address: EmailAddress? { state.withLock { $0.isKnown ? $0.last ?? nil : nil } }

  /// It may have changed.
  func forget() {
    state.withLock { state in
      state.isKnown = false
      state.pauseEnd = nil
    }
  }

  /// Asks for the address unless it is known, or was asked for in vain lately.
  func update(on loop: any EventLoop) async throws -> Answer {
    let isDue = state.withLock { !$0.isKnown && ($0.pauseEnd.map { $0 <= loop.now } ?? true) }
    guard isDue else { return .same }
    do {
      let address = try await core.verifiedAddress(of: user)
      return state.withLock { state in
        defer {
          state.last = .some(address)
          state.isKnown = true
        }
        guard let last = state.last else { return state.hasFailed ? .other : .first }
        return last?.key == address?.key ? .same : .other
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      state.withLock { state in
        state.pauseEnd = loop.now.advanced(by: Self.pause)
        state.hasFailed = true
      }
      return .same
    }
  }
}
