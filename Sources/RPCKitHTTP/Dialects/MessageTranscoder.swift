package import RPCKit

/// Turns messages into JSON and back, by the names of their types.
package protocol MessageTranscoder: Sendable {
  /// The encoded message that a JSON text stands for; throws what to answer for one that stands for none.
  ///
  /// Called when the caller of a request was let in, on the loop or in the call's task, so it takes no longer than
  /// the size of a message allows.
  func protobuf(fromJSON json: [UInt8], type: String) throws(RPCError) -> [UInt8]

  /// The JSON text of an encoded message.
  func json(fromProtobuf protobuf: [UInt8], type: String) throws(RPCError) -> [UInt8]
}
