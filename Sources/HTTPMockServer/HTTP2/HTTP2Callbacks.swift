/// The callbacks of libnghttp2. Each calls the `HTTP2Session` that the library passes along.
enum HTTP2Callbacks {
    static func newSession(_ library: Nghttp2, _ user: Nghttp2.User) -> NativeObject? {
        var (callbacks, option, session): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
        guard library.newCallbacks(&callbacks) == 0, library.newOption(&option) == 0 else { return nil }
        defer {
            library.freeCallbacks(callbacks)
            library.freeOption(option)
        }
        library.setBegin(callbacks) { _, frame, user in tell(user) { $0.beginFields(HTTP2FrameHead(frame)) } }
        library.setField(callbacks) { _, frame, name, nameCount, value, valueCount, _, user in
            let field = HTTPHeaders.Field(name: text(name, nameCount), value: text(value, valueCount))
            return tell(user) { $0.add(field, HTTP2FrameHead(frame)) }
        }
        library.setFrame(callbacks) { _, frame, user in tell(user) { $0.received(HTTP2FrameHead(frame)) } }
        library.setData(callbacks) { _, _, stream, bytes, count, user in
            tell(user) { $0.received(Array(UnsafeBufferPointer(start: bytes, count: count)), stream) }
        }
        library.setClose(callbacks) { _, stream, _, user in tell(user) { $0.closed(stream) } }
        library.setInvalid(callbacks) { _, frame, code, user in
            tell(user) { $0.received(invalid: HTTP2FrameHead(frame), code) }
        }
        library.setManualWindows(option, 1)
        guard library.newServer(&session, callbacks, user, option) == 0 else { return nil }
        return NativeObject(session, free: library.free)
    }

    static let supply: Nghttp2.Supply = { _, stream, room, count, flags, _, user in
        session(user).supply(stream, UnsafeMutableRawBufferPointer(start: room, count: count), &flags.pointee)
    }
}

private func session(_ user: Nghttp2.User) -> HTTP2Session {
    Unmanaged<HTTP2Session>.fromOpaque(user).takeUnretainedValue()
}

private func tell(_ user: Nghttp2.User, _ event: (HTTP2Session) -> Void) -> CInt {
    event(session(user))
    return 0
}

private func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
    FieldOctets.text(UnsafeBufferPointer(start: bytes, count: count))
}
