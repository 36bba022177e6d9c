package io.github.whypause.unmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few closes of each sort; {@code scripts/stress-unmap.sh} makes tens of thousands beside load. */
class RaceTest {
    private static final String CLOSES = "150";
    private static final String THREADS = "3";

    @TempDir Path dir;

    private void check(String how, String... flags) throws Exception {
        List<String> all = new ArrayList<>(Arrays.asList(flags));
        all.add("-XX:+UseSerialGC");
        Jvm jvm = Jvm.run(all, Stress.class, dir, how, CLOSES, "7", THREADS);
        assertEquals(0, jvm.exit, jvm.toString());
        assertTrue(jvm.out.startsWith(CLOSES + " closes, ") && jvm.out.endsWith("right\n"),
                jvm.toString());
    }

    @Test
    void closingWhileOthersUseIt() throws Exception {
        check("ours");
    }

    @Test
    void closingAGroupWhileOthersUseIt() throws Exception {
        check("group");
    }

    @Test
    void closingWhileOthersAreInterpreted() throws Exception {
        check("ours", "-Xint");
    }

    @Test
    void closingWhileOthersAreInCodeOfC1() throws Exception {
        check("ours", "-XX:TieredStopAtLevel=1");
    }

    @Test
    void closingWhileOthersAreInCodeOfC1ThatCallsTheCompilerOften() throws Exception {
        check("ours", "-XX:TieredStopAtLevel=3", "-XX:Tier3InvokeNotifyFreqLog=0",
                "-XX:Tier23InlineeNotifyFreqLog=0");
    }

    @Test
    void closingWhileOthersAreInCodeOfC2() throws Exception {
        check("ours", "-XX:-TieredCompilation");
    }
}
