package io.github.whypause.benchmarks;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;

/** Lines as a web server logs them, the same in each run: about 200 bytes, each one another. */
final class AccessLog {
    private static final String[] METHODS = {"GET", "GET", "GET", "GET", "POST", "PUT", "HEAD"};
    private static final int[] STATUSES = {200, 200, 200, 200, 200, 304, 301, 404, 500};
    private static final String[] FOLDERS = {"api/v1/orders", "api/v1/users", "api/v2/search", "static/js",
        "static/css", "images/products", "checkout/cart", "account/settings", "blog/2026/11"};
    private static final String[] AGENTS = {
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0 Safari/537.36",
        "Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/%1$d.0",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/%d.1 Safari/605.1.15",
        "okhttp/4.%d.0", "curl/8.%d.1", "python-requests/2.%d.0"
    };
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT).withZone(ZoneOffset.UTC);

    private AccessLog() {}

    static String[] lines(int count) {
        Random random = new Random(20261125);
        String[] agents = new String[200];
        for (int i = 0; i < agents.length; i++) {
            agents[i] = String.format(Locale.ROOT, AGENTS[random.nextInt(AGENTS.length)], 90 + random.nextInt(60));
        }
        String[] lines = new String[count];
        long millis = 1_795_000_000_000L;
        for (int i = 0; i < count; i++) {
            millis += random.nextInt(20);
            lines[i] = line(random, agents, millis);
        }
        return lines;
    }

    private static String line(Random random, String[] agents, long millis) {
        StringBuilder line = new StringBuilder(256);
        // some clients come often
        Random client = new Random(random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(500));
        line.append(1 + client.nextInt(223)).append('.').append(client.nextInt(256)).append('.')
                .append(client.nextInt(256)).append('.').append(client.nextInt(256));
        line.append(" - - [").append(TIME.format(Instant.ofEpochMilli(millis))).append("] \"");
        line.append(METHODS[random.nextInt(METHODS.length)]).append(" /")
                .append(FOLDERS[random.nextInt(FOLDERS.length)]).append('/').append(random.nextInt(100_000));
        if (random.nextInt(3) == 0) {
            line.append("?session=").append(Long.toHexString(random.nextLong()));
        }
        line.append(" HTTP/1.1\" ").append(STATUSES[random.nextInt(STATUSES.length)]).append(' ')
                .append(random.nextInt(50_000)).append(" \"https://www.example.org/")
                .append(FOLDERS[random.nextInt(FOLDERS.length)]).append("\" \"")
                .append(agents[(int) Math.min(Math.abs(random.nextGaussian()) * 50, 199)])
                .append("\" ").append(random.nextInt(900_000));
        return line.toString();
    }
}
