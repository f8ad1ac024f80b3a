/// The callbacks of libnghttp2. Each calls the `HTTP2Session` that the library passes along.
enum HTTP2Callbacks {
    private static let success: CInt = 0

    static func newSession(_ library: Nghttp2, _ user: UnsafeMutableRawPointer) -> NativeObject? {
        var (callbacks, option, session): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
        guard library.newCallbacks(&callbacks) == 0, library.newOption(&option) == 0 else { return nil }
        defer {
            library.freeCallbacks(callbacks)
            library.freeOption(option)
        }
        library.setBegin(callbacks, begin)
        library.setField(callbacks, field)
        library.setFrame(callbacks, frame)
        library.setData(callbacks, data)
        library.setClose(callbacks, close)
        library.setInvalid(callbacks, invalid)
        library.setManualWindows(option, 1)
        guard library.newServer(&session, callbacks, user, option) == 0 else { return nil }
        return NativeObject(session, free: library.free)
    }

    private static func session(_ user: UnsafeMutableRawPointer) -> HTTP2Session {
        Unmanaged<HTTP2Session>.fromOpaque(user).takeUnretainedValue()
    }

    private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
        FieldOctets.text(UnsafeBufferPointer(start: bytes, count: count))
    }

    private static let begin: Nghttp2.FrameEvent = { _, frame, user in
        if let frame, let user { session(user).beginFields(HTTP2FrameHead(frame)) }
        return success
    }

    private static let field: Nghttp2.FieldEvent = { _, frame, name, nameCount, value, valueCount, _, user in
        guard let frame, let user else { return success }
        let field = HTTPHeaders.Field(name: text(name, nameCount), value: text(value, valueCount))
        session(user).add(field, HTTP2FrameHead(frame))
        return success
    }

    private static let frame: Nghttp2.FrameEvent = { _, frame, user in
        if let frame, let user { session(user).received(HTTP2FrameHead(frame)) }
        return success
    }

    private static let data: Nghttp2.DataEvent = { _, _, stream, bytes, count, user in
        if let user { session(user).received(Array(UnsafeBufferPointer(start: bytes, count: count)), stream) }
        return success
    }

    private static let close: Nghttp2.CloseEvent = { _, stream, _, user in
        if let user { session(user).closed(stream) }
        return success
    }

    private static let invalid: Nghttp2.InvalidEvent = { _, frame, code, user in
        if let frame, let user { session(user).received(invalid: HTTP2FrameHead(frame), code) }
        return success
    }

    static let supply: Nghttp2.Supply = { _, stream, room, count, flags, _, user in
        guard let user, let flags else { return 0 }
        let room = UnsafeMutableRawBufferPointer(start: room, count: count)
        return session(user).supply(stream, room, &flags.pointee)
    }
}
