/// Questions that are asked before a transaction comes to them.
extension PostgresConnection: PipelinedConnection {
  #if DEBUG
  /// Every program that is built for tests looks whether writes have named their heads rightly.
  static let checksKnownByDefault = true
  #else
  static let checksKnownByDefault = false
  #endif

  func learn(_ questions: [StoreQuestion]) throws(StoreError) {
    finishEnding()
    var asked: [StoreQuestion] = []
    var statements: [PostedStatement] = []
    for question in questions {
      // What cannot be asked is refused to the write that asks it.
      guard let statement = try? statement(question) else { continue }
      asked.append(question)
      statements.append(statement)
    }
    let known = known ?? KnownAnswers()
    for (question, rows) in zip(asked, try sendPosted(with: statements)) {
      known.add(rows, to: question)
    }
    self.known = known
  }

  /// Stops the program when an answer is not what the store says now: a write before has changed it, whose heads do not
  /// say so.
  func requireCurrent(_ rows: PostgresRows, _ question: StoreQuestion) throws(StoreError) {
    let current = try answer(question)
    precondition(rows.hasSameRows(as: current), "not the answer of now: \(question)")
  }
}
