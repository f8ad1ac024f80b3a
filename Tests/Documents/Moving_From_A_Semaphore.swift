let stop = CancellationToken()
