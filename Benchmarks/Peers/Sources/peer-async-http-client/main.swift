import PeerProtocol

Peer.serve(Requests.cases)
