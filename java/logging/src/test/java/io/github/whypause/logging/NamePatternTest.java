package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Paths;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class NamePatternTest {
    private static long at(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    @Test
    void names_are_made_and_read_back() {
        String[][] all = {
            // pattern, name of number 2, begin of the period, begin of the next
            {"logs/a-%d{yyyy-MM-dd, UTC}.%i.log.gz", "logs/a-2026-03-05.2.log.gz",
                "2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z"},
            {"a-%d{yyyy-MM-dd'T'HH, UTC}-%i.gz", "a-2026-03-05T17-2.gz",
                "2026-03-05T17:00:00Z", "2026-03-05T18:00:00Z"},
            {"a%d{yyyyMMdd_HHmm, UTC}_%i.gz", "a20260305_1718_2.gz",
                "2026-03-05T17:18:00Z", "2026-03-05T17:19:00Z"},
            {"a-%d{yyyy-MM, UTC}.%i.gz", "a-2026-03.2.gz",
                "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"},
            {"/var/%d{yyyy/MM/dd, UTC}/a.%i.gz", "/var/2026/03/05/a.2.gz",
                "2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z"},
            {"a-%date{yyyy-MM-dd, UTC}.%03i.gz", "a-2026-03-05.002.gz",
                "2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z"},
            // without a number, a second file gets one before its last extension
            {"a-%d{yyyy-MM-dd, UTC}.log.gz", "a-2026-03-05.log.2.gz",
                "2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z"},
            {"100%%-%d{yyyy-MM-dd, UTC}.%i.gz", "100%-2026-03-05.2.gz",
                "2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z"},
        };
        for (String[] one : all) {
            NamePattern pattern = new NamePattern(one[0]);
            long now = at("2026-03-05T17:18:19Z");
            long period = pattern.period(now);
            assertEquals(at(one[2]), period, one[0]);
            assertEquals(at(one[3]), pattern.nextPeriod(now), one[0]);
            assertEquals(Paths.get(one[1]), pattern.name(period, 2), one[0]);
            NamePattern.Named named = pattern.parse(one[1]);
            assertEquals(period, named.period, one[0]);
            assertEquals(2, named.index, one[0]);
        }
    }

    @Test
    void names_of_others_are_not_read() {
        NamePattern pattern = new NamePattern("logs/a-%d{yyyy-MM-dd}.%i.log.gz");
        String[] others = {"logs/a-2026-03-05.x.log.gz", "logs/b-2026-03-05.1.log.gz",
            "logs/a-2026-03-05.1.log", "logs/xa-2026-03-05.1.log.gz", "a-2026-03-05.1.log.gz",
            "logs/a-2026-03-05.1.log.gz.old", "logs/a-2026-03-05.-1.log.gz"};
        for (String other : others) {
            assertNull(pattern.parse(other), other);
        }
        assertNull(pattern.parse("logs/a-yesterday.1.log.gz"));
    }

    @Test
    void a_day_of_25_hours_has_one_file() {
        NamePattern pattern = new NamePattern("a-%d{yyyy-MM-dd, Europe/Berlin}.gz");
        long begin = at("2026-10-24T22:00:00Z");
        assertEquals(begin, pattern.period(at("2026-10-25T22:59:59Z")));
        assertEquals(at("2026-10-25T23:00:00Z"), pattern.nextPeriod(begin));
    }

    @Test
    void weeks_begin_on_monday() {
        NamePattern pattern = new NamePattern("a-%d{YYYY-ww, UTC}.%i.gz");
        assertEquals(at("2026-03-02T00:00:00Z"), pattern.period(at("2026-03-05T17:18:19Z")));
        assertEquals(at("2026-03-09T00:00:00Z"), pattern.nextPeriod(at("2026-03-05T17:18:19Z")));
        assertEquals(1, pattern.parse(pattern.name(at("2026-03-02T00:00:00Z"), 1).toString()).index);
    }

    @Test
    void only_one_date_says_when_and_others_repeat_a_part() {
        NamePattern pattern = new NamePattern("%d{yyyy-MM, aux}/a-%d{yyyy-MM-dd, UTC}.%i.gz");
        assertEquals(Paths.get("2026-03/a-2026-03-05.0.gz"),
                pattern.name(at("2026-03-05T00:00:00Z"), 0));
        assertEquals(at("2026-03-05T00:00:00Z"), pattern.parse("2026-03/a-2026-03-05.0.gz").period);
        assertEquals(2, pattern.depth());
    }

    @Test
    void what_cannot_be_read_is_told() {
        String[] wrong = {"a-%d{yyyy-QQQQQQQQ}.gz", "a-%d{yyyy}.gz", "a-%x.gz", "a-%d{yyyy-MM-dd, Moon/Crater}.gz"};
        for (String pattern : wrong) {
            String message = assertThrows(IllegalArgumentException.class, () -> new NamePattern(pattern))
                    .getMessage();
            assertTrue(message.contains("file name pattern `" + pattern + "`"), message);
        }
    }
}
