extension WriteTransaction {
  /// Whether the store keeps events.
  public var keepsEvents: Bool { eventRules != nil }

  /// Tells other systems of what the write does, in the same commit; nothing where the store keeps no events.
  ///
  /// For what is news and has no audit record of its own, or one that does not say all: `EventRule` serves the
  /// others. `scope` is the root of the tree that the object belongs to, and `userID` the person it is about.
  public func event(
    _ type: String,
    object: String,
    scope: String = "",
    userID: String = "",
    _ data: @autoclosure () -> EventData = EventData([:])
  ) throws(StoreError) {
    guard keepsEvents else { return }
    guard let author else { throw .statement("a write without an author has nothing to tell") }
    try append(
      Event(
        recordedAt: now,
        type: type,
        object: object,
        scope: scope,
        userID: userID,
        actor: author.actor.onBehalfOf ?? author.actor.name,
        requestID: author.requestID,
        data: data().text
      )
    )
  }
}
