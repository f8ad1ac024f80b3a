import PeerProtocol

Peer.serve(NIOFutures.cases.merging(Combine.cases) { nio, _ in nio })
