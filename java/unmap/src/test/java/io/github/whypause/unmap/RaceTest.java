package io.github.whypause.unmap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RaceTest {
    private static final int FILES = 16;
    private static final int BYTES = 64 << 10;
    private static final int READERS = 6;
    private static final long MILLIS = 700;
    private static final long PATIENCE_MILLIS = 60000;

    @TempDir Path dir;

    /** A mapping, and the byte that its whole file consists of. */
    private static final class Filled {
        final MappedFile file;
        final byte value;

        Filled(MappedFile file, byte value) {
            this.file = file;
            this.value = value;
        }
    }

    /**
     * Threads read whatever is mapped at the moment, while another closes it and maps the next. A
     * read after the release would crash, or find bytes of the file that is mapped there now.
     */
    static final class Hammer {
        private static final AtomicReference<Filled> NOW = new AtomicReference<>();
        private static final AtomicLong READS = new AtomicLong();
        private static final AtomicLong REFUSED = new AtomicLong();
        private static volatile Throwable wrong;
        private static volatile boolean over;

        private Hammer() {}

        public static void main(String[] arguments) throws Exception {
            Path[] paths = new Path[FILES];
            for (int i = 0; i < FILES; i++) {
                byte[] bytes = new byte[BYTES];
                Arrays.fill(bytes, (byte) (i + 1));
                paths[i] = Files.write(Paths.get(arguments[0], "filled-" + i), bytes);
            }
            boolean grouped = arguments[1].equals("grouped");
            MappedFiles group = new MappedFiles();
            NOW.set(map(paths, 0, grouped, group));
            Thread[] readers = new Thread[READERS];
            for (int i = 0; i < READERS; i++) {
                readers[i] = new Thread(Hammer::read);
                readers[i].start();
            }
            long end = System.nanoTime() + MILLIS * 1000000;
            int closed = 0;
            // On a busy host it takes longer until there was a race at all.
            long far = end + PATIENCE_MILLIS * 1000000;
            while (wrong == null && (System.nanoTime() < end || !much(closed) && System.nanoTime() < far)) {
                long until = System.nanoTime() + closed % 7 * 20000;
                while (System.nanoTime() < until) {
                    Thread.yield();
                }
                MappedFile old = NOW.get().file;
                MappedFiles oldGroup = group;
                if (closed % 2 == 0) {
                    // the next is there already, and old readers are still in this one
                    group = new MappedFiles();
                    NOW.set(map(paths, closed + 1, grouped, group));
                }
                if (grouped) {
                    oldGroup.close();
                } else {
                    old.close();
                }
                if (closed % 2 != 0) {
                    group = new MappedFiles();
                    NOW.set(map(paths, closed + 1, grouped, group));
                }
                closed++;
            }
            over = true;
            for (Thread reader : readers) {
                reader.join();
            }
            if (wrong != null) {
                wrong.printStackTrace();
            }
            System.out.println(much(closed) && wrong == null ? "right"
                    : closed + " closed, " + READS + " reads, " + REFUSED + " refused");
        }

        private static boolean much(int closed) {
            return closed > 5 && READS.get() > 1000 && REFUSED.get() > 10;
        }

        private static Filled map(Path[] paths, int i, boolean grouped, MappedFiles group)
                throws Exception {
            Path path = paths[i % FILES];
            return new Filled(grouped ? group.open(path, MapMode.READ_WRITE)
                    : MappedFile.openShared(path, MapMode.READ_WRITE), (byte) (i % FILES + 1));
        }

        private static void read() {
            byte[] some = new byte[BYTES];
            for (int i = 0; !over; i++) {
                Filled now = NOW.get();
                try {
                    use(now, i, some);
                    READS.incrementAndGet();
                } catch (IllegalStateException e) {
                    REFUSED.incrementAndGet();
                } catch (Throwable e) {
                    wrong = e;
                }
            }
        }

        private static void use(Filled now, int i, byte[] some) {
            long at = i * 8L % BYTES;
            expect(now.value, now.file.get(at));
            expect(now.value, (byte) now.file.getLong(at));
            now.file.put(at, now.value);
            if (i % 16 == 0) {
                now.file.get(0, some, 0, BYTES);
                for (byte it : some) {
                    expect(now.value, it);
                }
            }
        }

        private static void expect(byte value, byte found) {
            if (value != found) {
                throw new AssertionError("read " + found + " of the file of " + value);
            }
        }
    }

    @Test
    void closingWhileOthersUseIt() throws Exception {
        Jvm jvm = Jvm.run(Collections.emptyList(), Hammer.class, dir, "single");
        assertEquals(0, jvm.exit, jvm.toString());
        assertEquals("right\n", jvm.out, jvm.toString());
    }

    @Test
    void closingAGroupWhileOthersUseIt() throws Exception {
        Jvm jvm = Jvm.run(Collections.emptyList(), Hammer.class, dir, "grouped");
        assertEquals(0, jvm.exit, jvm.toString());
        assertEquals("right\n", jvm.out, jvm.toString());
    }
}
