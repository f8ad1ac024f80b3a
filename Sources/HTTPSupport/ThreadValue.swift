/// An object that a thread has while it runs an operation. Not a task-local value, because a task that starts on the thread
/// would inherit it.
package struct ThreadValue<Object: AnyObject>: Sendable {
    /// Nil if the process has used up its keys: no thread has an object then.
    private let key: pthread_key_t?

    package init() {
        var key = pthread_key_t()
        self.key = pthread_key_create(&key, nil) == 0 ? key : nil
    }

    package var current: Object? {
        guard let key, let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Runs `operation` with `object` as that of this thread; nil for none.
    package func run<Value>(with object: Object?, _ operation: () -> Value) -> Value {
        guard let key else { return operation() }
        let outer = pthread_getspecific(key)
        return withExtendedLifetime(object) {
            pthread_setspecific(key, object.map { Unmanaged.passUnretained($0).toOpaque() })
            defer { pthread_setspecific(key, outer) }
            return operation()
        }
    }
}
