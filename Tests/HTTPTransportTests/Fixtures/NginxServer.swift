import HTTPMockServer
import HTTPTesting

/// nginx with TLS, in front of a `MockServer` that answers and records requests.
final class NginxServer {
    /// The server behind it. Request heads have the additional fields `X-Client` (the subject of the client's
    /// certificate), `X-TLS` and `X-Protocol`.
    let origin: MockServer
    let port: Int
    private let reservation: ReservedPort
    private let directory: ScratchDirectory
    private let process: ServerProcess

    /// How the server listens.
    enum Listening: String {
        case tls = "ssl"
        case tlsWithHTTP2 = "ssl http2"
        case clear = ""
    }

    init(
        _ identity: Identity, listening: Listening = .tls, settings: [String] = [], origin: MockServer? = nil,
        address: String = "127.0.0.1"
    ) throws {
        guard let nginx = Program.nginx else { throw Program.Failure(description: Needs.nginxAdvice) }
        self.origin = try origin ?? MockServer { _ in .text("hello") }
        reservation = try ReservedPort()
        port = reservation.number
        directory = try ScratchDirectory()
        let server = Self.server(identity, "\(address):\(port) \(listening.rawValue)", settings, self.origin.url)
        try directory.write(Self.main(server), to: "nginx.conf")
        // It reports this right after it has opened its sockets.
        process = try ServerProcess(
            nginx, ["-p", directory.path + "/", "-c", "nginx.conf"], in: directory.path, readyAt: "event method")
    }

    // Before its directory is removed.
    deinit { process.stop() }

    /// Ends it; its port stays taken.
    func stop() { process.stop() }

    func url(_ target: String = "/", host: String = "localhost") -> String { "https://\(host):\(port)\(target)" }

    private static func main(_ server: String) -> String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        error_log stderr notice;
        events { worker_connections 256; }
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            client_max_body_size 16m;
            ssl_protocols TLSv1.2 TLSv1.3;
            \(server)
        }
        """
    }

    private static func server(_ identity: Identity, _ listen: String, _ settings: [String], _ origin: String) -> String
    {
        """
        server {
            listen \(listen);
            ssl_certificate \(identity.certificate);
            ssl_certificate_key \(identity.key);
            \(settings.map { $0.hasSuffix("}") ? $0 : $0 + ";" }.joined(separator: "\n    "))
            location / {
                proxy_pass \(origin);
                proxy_http_version 1.1;
                proxy_set_header Host $http_host;
                proxy_set_header X-Client $ssl_client_s_dn;
                proxy_set_header X-TLS $ssl_protocol;
                proxy_set_header X-Protocol $server_protocol;
            }
        }
        """
    }
}
