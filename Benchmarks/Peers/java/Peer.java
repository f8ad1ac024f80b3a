import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** GETs with java.net.http.HttpClient. */
final class Peer {
    private static final int WIDTH = 64;

    private final HttpClient client;
    private final HttpRequest request;
    private final int size;

    private Peer(String url, int size) throws Exception {
        HttpClient.Builder builder = HttpClient.newBuilder();
        if (url.startsWith("https:")) {
            builder.sslContext(trusting(System.getenv("SSL_CERT_FILE")));
        } else {
            builder.version(HttpClient.Version.HTTP_1_1);
        }
        client = builder.build();
        request = HttpRequest.newBuilder(URI.create(url)).build();
        this.size = size;
    }

    public static void main(String[] arguments) throws Exception {
        String work = arguments[0];
        Peer peer = new Peer(arguments[1], work.equals("large") ? 100_000_000 : 13);
        if (work.equals("once")) {
            peer.get();
            return;
        }
        // Until the compiler has seen what is done often.
        peer.each(work.equals("large") ? 2 : 2000);
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            int count = Integer.parseInt(line);
            LongStream times = work.equals("get-64") ? LongStream.of(peer.together(count)) : peer.each(count);
            System.out.println(times.mapToObj(Long::toString).collect(Collectors.joining(" ")));
        }
        System.exit(0);
    }

    private static SSLContext trusting(String path) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (FileInputStream file = new FileInputStream(path)) {
            store.setCertificateEntry("own", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    private void get() throws Exception {
        check(client.send(request, HttpResponse.BodyHandlers.ofByteArray()));
    }

    private void check(HttpResponse<byte[]> response) {
        if (response.statusCode() != 200 || response.body().length != size) {
            throw new IllegalStateException(
                "the server answered " + response.statusCode() + " with " + response.body().length + " bytes");
        }
    }

    private LongStream each(int count) throws Exception {
        long[] times = new long[count];
        for (int done = 0; done < count; done++) {
            long start = System.nanoTime();
            get();
            times[done] = System.nanoTime() - start;
        }
        return LongStream.of(times);
    }

    private long together(int count) {
        AtomicInteger left = new AtomicInteger(count);
        long start = System.nanoTime();
        CompletableFuture.allOf(Stream.generate(() -> lane(left)).limit(WIDTH).toArray(CompletableFuture[]::new)).join();
        return System.nanoTime() - start;
    }

    /** One request after the other, as long as any are left. */
    private CompletableFuture<Void> lane(AtomicInteger left) {
        if (left.getAndDecrement() <= 0) return CompletableFuture.completedFuture(null);
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
            .thenAccept(this::check)
            .thenCompose(nothing -> lane(left));
    }
}
