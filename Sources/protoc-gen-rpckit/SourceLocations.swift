import CProtobufC

/// Comments and lines of a file's declarations, by path (descriptor.proto, `SourceCodeInfo`).
struct SourceLocations {
  private var comments: [[Int32]: String] = [:]
  private var lines: [[Int32]: Int] = [:]

  init(_ info: UnsafeMutablePointer<Google__Protobuf__SourceCodeInfo>?) {
    guard let info = unsafe info else { return }
    let locations = unsafe DescriptorPointers.list(info.pointee.location, info.pointee.n_location)
    for index in unsafe locations.indices {
      let location = unsafe locations[index]
      let path = unsafe DescriptorPointers.numbers(location.pointee.path, location.pointee.n_path)
      let span = unsafe DescriptorPointers.numbers(location.pointee.span, location.pointee.n_span)
      // Lines count from 0 there and from 1 in every editor.
      if let line = span.first { lines[path] = Int(line) + 1 }
      let leading = unsafe DescriptorPointers.text(location.pointee.leading_comments)
      let trailing = unsafe DescriptorPointers.text(location.pointee.trailing_comments)
      let comment = leading.isEmpty ? trailing : leading
      if !comment.isEmpty { comments[path] = comment }
    }
  }

  /// The comment above a declaration, or behind it; empty if there is none.
  func comment(_ path: [Int32]) -> String { comments[path] ?? "" }

  /// The line of a declaration, from 1; 1 when protoc did not say.
  func line(_ path: [Int32]) -> Int { lines[path] ?? 1 }
}
