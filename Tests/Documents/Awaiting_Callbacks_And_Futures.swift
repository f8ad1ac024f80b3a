/// What belongs to the main actor.
@MainActor final class Screen {
    var text = ""
    var fraction = 0.0
}
