/// Appends an encoded message behind what its second argument writes for that size:
/// `Message.append` with the type of the message erased.
@usableFromInline
package typealias MessageAppending = (
  _ buffer: inout ByteBuffer, _ prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
) -> Void
