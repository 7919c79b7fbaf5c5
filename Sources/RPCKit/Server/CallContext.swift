/// One call as its handler sees it.
public final class CallContext: Sendable {}
