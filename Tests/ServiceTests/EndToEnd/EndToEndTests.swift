import Testing

/// The three programs as a deployment runs them: processes of their own, real sockets and stores.
///
/// One after the other, because each starts three processes and some measure time.
@Suite("The three services as programs", .serialized, .timeLimit(.minutes(5)))
struct EndToEndTests {}
