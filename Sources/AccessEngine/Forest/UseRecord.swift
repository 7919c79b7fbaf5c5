internal import Synchronization

/// A sample of the entities that questions were about, so that trees in use stay in memory.
///
/// A class, because a question only borrows its forest. One question of 32 is noted, so that noting costs next to
/// nothing; a tree that is asked about so rarely that none of its questions is noted is cheap to load again.
final class UseRecord: Sendable {
  private static let interval: UInt32 = 32
  /// Samples that are kept until somebody takes them.
  private static let countMax = 4096

  private let questionCount = Atomic<UInt32>(0)
  private let entities = Mutex<[UInt32]>([])

  /// A question is about an entity.
  @inline(__always)
  func note(_ entity: UInt32) {
    // Not one atomic step: the forest's lock is held, and elsewhere a sample more or less does no harm.
    let count = questionCount.load(ordering: .relaxed) &+ 1
    questionCount.store(count, ordering: .relaxed)
    if count % Self.interval == 0 { keep(entity) }
  }

  @inline(never)
  private func keep(_ entity: UInt32) {
    entities.withLock { entities in
      if entities.count < Self.countMax { entities.append(entity) }
    }
  }

  /// The samples since the last time.
  func take() -> [UInt32] {
    entities.withLock { entities in
      defer { entities.removeAll(keepingCapacity: true) }
      return entities
    }
  }
}
