internal import AccessEngine
internal import RPCKit

/// A question that a part of the store answers: what some users may do, each on some entities.
struct PartQuestion: Sendable {
  let subjects: Set<String>
  let entities: Set<String>
}

/// The answer to a question that lacks trees.
enum PartAnswer: Sendable {
  /// A large tree is still to be read, and this is what the question rests on, at a revision that memory has reached.
  case part(Forest)
  /// Memory knows by now that nothing was lacking: there is no such entity.
  case settled
  /// The trees are to be waited for.
  case whole
}

/// Questions that need not wait for a large tree.
extension TenancyCore {
  /// Asks memory, or a part of the store in its place while a large tree is on its way; `body` must be short.
  ///
  /// Like `PermissionEngine.read` it throws UNAVAILABLE because of `TreesMissing` when trees have to be waited for, so
  /// it belongs inside of `retrying`. A part has the entities of the question, what is above and linked to them, and the
  /// roles of its subjects: `body` may decide on those, and list nothing.
  func ask<R: Sendable>(
    _ question: PartQuestion,
    _ body: (borrowing Forest, _ now: Int64) throws -> R
  ) async throws -> R {
    do {
      return try askMemory(body)
    } catch let error as RPCError {
      guard let lacking = error.cause as? TreesMissing else { throw error }
      switch try await loader.part(for: question, lacking: lacking.missing) {
      // The time is taken after the snapshot: what was granted just before it has begun.
      case .part(let forest): return try body(forest, clock.now)
      case .settled: return try askMemory(body)
      case .whole: throw error
      }
    }
  }

  private func askMemory<R: Sendable>(
    _ body: (borrowing Forest, _ now: Int64) throws -> R
  ) throws -> R {
    let now = clock.now
    return try engine.read { try body($0, now) }
  }
}
