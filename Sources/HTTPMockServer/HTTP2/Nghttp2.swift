import HTTPSupport

/// The functions of libnghttp2 for the server side. Their binary interface is stable since version 1.0.
struct Nghttp2: Sendable {
    typealias Session = OpaquePointer?
    typealias Frame = UnsafeRawPointer
    typealias User = UnsafeMutableRawPointer
    typealias FrameEvent = @convention(c) (Session, Frame, User) -> CInt
    typealias FieldEvent =
        @convention(c) (Session, Frame, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int, UInt8, User) -> CInt
    typealias DataEvent = @convention(c) (Session, UInt8, Int32, UnsafePointer<UInt8>?, Int, User) -> CInt
    typealias CloseEvent = @convention(c) (Session, Int32, UInt32, User) -> CInt
    typealias InvalidEvent = @convention(c) (Session, Frame, CInt, User) -> CInt
    typealias Supply =
        @convention(c) (
            Session, Int32, UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<UInt32>, UnsafeRawPointer?, User
        ) -> Int
    typealias New = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> CInt
    typealias Act = @convention(c) (Session) -> CInt

    let newCallbacks: New
    let freeCallbacks: NativeObject.Free
    let setBegin: @convention(c) (OpaquePointer?, FrameEvent?) -> Void
    let setField: @convention(c) (OpaquePointer?, FieldEvent?) -> Void
    let setFrame: @convention(c) (OpaquePointer?, FrameEvent?) -> Void
    let setData: @convention(c) (OpaquePointer?, DataEvent?) -> Void
    let setClose: @convention(c) (OpaquePointer?, CloseEvent?) -> Void
    let setInvalid: @convention(c) (OpaquePointer?, InvalidEvent?) -> Void
    let newOption: New
    let freeOption: NativeObject.Free
    let setManualWindows: @convention(c) (OpaquePointer?, CInt) -> Void
    let newServer: @convention(c) (UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?, User, OpaquePointer?) -> CInt
    let free: NativeObject.Free
    let receive: @convention(c) (Session, UnsafeRawPointer?, Int) -> Int
    let send: @convention(c) (Session, UnsafeMutablePointer<UnsafeRawPointer?>) -> Int
    let submitSettings: @convention(c) (Session, UInt8, UnsafeRawPointer?, Int) -> CInt
    let submitResponse: @convention(c) (Session, Int32, UnsafeRawPointer?, Int, UnsafeRawPointer?) -> CInt
    let submitHeaders: @convention(c) (Session, UInt8, Int32, UnsafeRawPointer?, UnsafeRawPointer?, Int, User?) -> CInt
    let submitTrailer: @convention(c) (Session, Int32, UnsafeRawPointer?, Int) -> CInt
    let submitReset: @convention(c) (Session, UInt8, Int32, UInt32) -> CInt
    let submitGoAway: @convention(c) (Session, UInt8, Int32, UInt32, UnsafeRawPointer?, Int) -> CInt
    let resume: @convention(c) (Session, Int32) -> CInt
    let consume: @convention(c) (Session, Int32, Int) -> CInt
    let wantsRead: Act
    let wantsWrite: Act
    let describe: @convention(c) (CInt) -> UnsafePointer<CChar>?

    static let shared: Nghttp2? = {
        SystemLibrary(anyOf: [
            "libnghttp2.so.14", "libnghttp2.14.dylib", "/opt/homebrew/opt/libnghttp2/lib/libnghttp2.14.dylib",
            "/usr/local/opt/libnghttp2/lib/libnghttp2.14.dylib",
        ]).flatMap { try? Nghttp2($0) }
    }()

    /// The library of this process.
    static func found() throws(MockServerError) -> Nghttp2 {
        guard let shared else {
            throw .missingLibrary(
                "libnghttp2",
                advice: "install it: apt-get install libnghttp2-14, apk add nghttp2-libs, dnf install libnghttp2, or "
                    + "brew install libnghttp2")
        }
        return shared
    }

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        newCallbacks = try library("nghttp2_session_callbacks_new")
        freeCallbacks = try library("nghttp2_session_callbacks_del")
        setBegin = try library("nghttp2_session_callbacks_set_on_begin_headers_callback")
        setField = try library("nghttp2_session_callbacks_set_on_header_callback")
        setFrame = try library("nghttp2_session_callbacks_set_on_frame_recv_callback")
        setData = try library("nghttp2_session_callbacks_set_on_data_chunk_recv_callback")
        setClose = try library("nghttp2_session_callbacks_set_on_stream_close_callback")
        setInvalid = try library("nghttp2_session_callbacks_set_on_invalid_frame_recv_callback")
        newOption = try library("nghttp2_option_new")
        freeOption = try library("nghttp2_option_del")
        setManualWindows = try library("nghttp2_option_set_no_auto_window_update")
        newServer = try library("nghttp2_session_server_new2")
        free = try library("nghttp2_session_del")
        receive = try library("nghttp2_session_mem_recv")
        send = try library("nghttp2_session_mem_send")
        submitSettings = try library("nghttp2_submit_settings")
        submitResponse = try library("nghttp2_submit_response")
        submitHeaders = try library("nghttp2_submit_headers")
        submitTrailer = try library("nghttp2_submit_trailer")
        submitReset = try library("nghttp2_submit_rst_stream")
        submitGoAway = try library("nghttp2_submit_goaway")
        resume = try library("nghttp2_session_resume_data")
        consume = try library("nghttp2_session_consume")
        wantsRead = try library("nghttp2_session_want_read")
        wantsWrite = try library("nghttp2_session_want_write")
        describe = try library("nghttp2_strerror")
    }
}
