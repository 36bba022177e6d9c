package whypause.workloads;

import java.nio.charset.StandardCharsets;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;

/**
 * Makes lines of an access log as web servers write them: the combined format and the time that a
 * request took, some 200 bytes. Few clients and pages are asked for often and many seldom, so that
 * the lines compress as real ones do: to about a tenth.
 *
 * <p>The same seed gives the same lines but for their times. For one thread; makes no garbage but
 * once a second.
 */
final class AccessLines {
    private static final int CLIENTS = 20000;
    private static final byte[][] PAGES = all(
            "GET /feed HTTP/1.1", "GET /api/v2/messages?unread=true HTTP/1.1",
            "GET /static/js/vendor.8f3a51c2.js HTTP/1.1", "GET /static/css/main.1d20b7e9.css HTTP/1.1",
            "POST /api/v2/events HTTP/1.1", "GET /favicon.ico HTTP/1.1", "GET /notifications HTTP/1.1",
            "GET /health HTTP/1.1");
    private static final byte[][] BEFORE_ID = all(
            "GET /api/v2/profiles/", "GET /images/profile/", "GET /jobs/view/", "POST /api/v2/likes/",
            "GET /search/results/", "GET /company/");
    private static final byte[][] AFTER_ID = all(
            "?fields=name,headline,picture HTTP/1.1", "/200x200.jpg HTTP/1.1", "/ HTTP/1.1",
            "?source=feed HTTP/1.1", "?origin=global&page=1 HTTP/1.1", "/about HTTP/1.1");
    private static final byte[][] STATUS = all(
            "\" 200 ", "\" 200 ", "\" 200 ", "\" 200 ", "\" 200 ", "\" 200 ", "\" 200 ", "\" 304 ",
            "\" 304 ", "\" 302 ", "\" 404 ", "\" 204 ", "\" 200 ", "\" 200 ", "\" 200 ", "\" 500 ");
    private static final byte[][] REFERRERS = all(
            " \"https://www.example.com/feed/\" \"", " \"-\" \"", " \"https://www.example.com/\" \"",
            " \"https://www.example.com/jobs/\" \"", " \"https://search.example.net/\" \"",
            " \"https://www.example.com/mynetwork/\" \"");
    private static final byte[][] AGENTS = all(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                    + "Chrome/120.0.0.0 Safari/537.36",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 "
                    + "(KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like "
                    + "Gecko) Version/17.1 Safari/605.1.15",
            "Mozilla/5.0 (Linux; Android 13; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) "
                    + "Chrome/112.0.0.0 Mobile Safari/537.36",
            "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0",
            "curl/8.4.0", "Example-Mobile/9.28.7586 (iOS 17.2)");

    private final byte[] line = new byte[512];
    private final byte[][] clients = new byte[CLIENTS][];
    private long state;
    private int at;
    private long second = Long.MIN_VALUE;
    private byte[] time = {};

    /** @param seed what the lines follow from */
    AccessLines(int seed) {
        state = seed * 0x9e3779b97f4a7c15L | 1;
        for (int i = 0; i < CLIENTS; i++) {
            long a = random();
            clients[i] = ascii(10 + (a & 63) + "." + (a >> 8 & 255) + "." + (a >> 16 & 255) + "."
                    + (a >> 24 & 255) + " - - [");
        }
    }

    /** Where {@link #next} puts each line. */
    byte[] bytes() {
        return line;
    }

    /** Makes the next line, and answers how long it is. */
    int next() {
        at = 0;
        put(clients[seldom(CLIENTS)]);
        putTime();
        int page = seldom(PAGES.length + BEFORE_ID.length);
        if (page % 2 == 0 && page / 2 < BEFORE_ID.length) {
            put(BEFORE_ID[page / 2]);
            putNumber(100000 + seldom(1 << 20));
            put(AFTER_ID[page / 2]);
        } else {
            put(PAGES[page % PAGES.length]);
        }
        put(STATUS[(int) (random() & 15)]);
        putNumber(80 + seldom(1 << 16));
        put(REFERRERS[seldom(REFERRERS.length)]);
        put(AGENTS[seldom(AGENTS.length)]);
        line[at++] = '"';
        line[at++] = ' ';
        putNumber(1 + seldom(4000));
        line[at++] = '\n';
        return at;
    }

    private void putTime() {
        long now = System.currentTimeMillis() / 1000;
        if (now != second) {
            second = now;
            SimpleDateFormat format = new SimpleDateFormat("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT);
            time = ascii(format.format(new Date(now * 1000)) + "] \"");
        }
        put(time);
    }

    private void put(byte[] text) {
        System.arraycopy(text, 0, line, at, text.length);
        at += text.length;
    }

    private void putNumber(int number) {
        int digits = 1;
        for (int rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        at += digits;
        int rest = number;
        for (int i = 1; i <= digits; i++) {
            line[at - i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    /** A number below {@code most}; small ones far more often: the square of the square of chance. */
    private int seldom(int most) {
        double chance = (random() >>> 11) * 0x1.0p-53;
        double squared = chance * chance;
        return (int) (squared * squared * most);
    }

    /** Marsaglia's xorshift. */
    private long random() {
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        return state * 0x2545f4914f6cdd1dL;
    }

    private static byte[][] all(String... texts) {
        byte[][] all = new byte[texts.length][];
        for (int i = 0; i < texts.length; i++) {
            all[i] = ascii(texts[i]);
        }
        return all;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
