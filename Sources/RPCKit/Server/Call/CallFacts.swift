/// A call as it is when it begins, apart from its method.
package struct CallFacts {
  let id: CallID
  let metadata: Metadata
  /// How many bytes its request has.
  let requestByteCount: Int
  /// When it must be over; `distantFuture` without a deadline.
  let deadline: MonotonicInstant
  let received: MonotonicInstant

  package init(
    id: CallID,
    metadata: Metadata,
    requestByteCount: Int,
    deadline: MonotonicInstant,
    received: MonotonicInstant
  ) {
    self.id = id
    self.metadata = metadata
    self.requestByteCount = requestByteCount
    self.deadline = deadline
    self.received = received
  }
}
