/// A connection on which several questions cost as much time as one.
protocol PipelinedConnection: StoreConnection {
  /// The answers that questions find without asking the server; whatever this transaction changes ends them.
  var known: KnownAnswers? { get set }

  /// Asks questions in one round trip, behind everything that was posted, and adds the answers to those that are known.
  func learn(_ questions: [StoreQuestion]) throws(StoreError)
}
