package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** What {@link Stress} does to a mapping: each kind of access, alone and in a loop. */
final class StressKinds {
    private static final long EACH_BYTE = 0x0101010101010101L;
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final int ROUNDS = 3000;

    private StressKinds() {}

    /** One access, which leaves the file as it was. */
    interface Kind {
        void at(Stress.Filled it, long position, byte[] some) throws IOException;
    }

    static Kind[] all() {
        return new Kind[] {
            (it, at, some) -> expect(it, it.file.get(at)),
            (it, at, some) -> it.file.put(at, it.value),
            (it, at, some) -> expect(it, it.file.getShort(at + 1)),
            (it, at, some) -> it.file.putShort(at + 1, (short) all(it)),
            (it, at, some) -> expect(it, it.file.getInt(at + 1)),
            (it, at, some) -> it.file.putInt(at + 1, (int) all(it)),
            (it, at, some) -> expect(it, it.file.getLong(at)),
            (it, at, some) -> it.file.putLong(at, all(it)),
            (it, at, some) -> expect(it, Float.floatToRawIntBits(it.file.getFloat(at + 1))),
            (it, at, some) -> it.file.putDouble(at, Double.longBitsToDouble(all(it))),
            (it, at, some) -> expect(it, it.file.getIntAcquire(at)),
            (it, at, some) -> it.file.putIntRelease(at, (int) all(it)),
            (it, at, some) -> expect(it, it.file.getLongAcquire(at)),
            (it, at, some) -> it.file.putLongRelease(at, all(it)),
            (it, at, some) -> expect(it, it.file.buffer(at, 9).order(LITTLE).getLong(1)),
            StressKinds::bulk,
            (it, at, some) -> {
                Arrays.fill(some, 0, 40, it.value);
                it.file.put(at, some, 0, 40);
            },
            (it, at, some) -> {
                if (at % 512 == 0) {
                    it.file.force();
                }
            },
        };
    }

    private static void bulk(Stress.Filled it, long at, byte[] some) {
        int length = at % 128 == 0 ? some.length : 40;
        it.file.get(length == 40 ? at : 0, some, 0, length);
        for (int i = 0; i < length; i++) {
            expect(it, some[i]);
        }
    }

    /** A method that is compiled while it runs, with the accesses within its loop. */
    static void loop(Stress.Filled it, long kind, int bytes, AtomicLong count) throws IOException {
        switch ((int) (kind % 5)) {
            case 0:
                longs(it, bytes);
                break;
            case 1:
                shorts(it, bytes);
                break;
            case 2:
                ints(it, bytes);
                break;
            case 3:
                single(it, bytes);
                break;
            default:
                bulks(it, bytes);
                break;
        }
        count.addAndGet(ROUNDS);
    }

    private static void longs(Stress.Filled it, int bytes) {
        for (int i = 0; i < ROUNDS; i++) {
            long at = i * 7L % (bytes - 8);
            expect(it, it.file.getLong(at));
            it.file.putLong(at, all(it));
        }
    }

    private static void shorts(Stress.Filled it, int bytes) {
        for (int i = 0; i < ROUNDS; i++) {
            long at = i * 7L % (bytes - 2);
            expect(it, it.file.getShort(at));
            it.file.putShort(at, (short) all(it));
        }
    }

    private static void ints(Stress.Filled it, int bytes) {
        for (int i = 0; i < ROUNDS; i++) {
            long at = i * 7L % (bytes - 4);
            expect(it, it.file.getInt(at));
            it.file.putInt(at, (int) all(it));
        }
    }

    private static void single(Stress.Filled it, int bytes) {
        for (int i = 0; i < ROUNDS; i++) {
            long at = i * 7L % bytes;
            expect(it, it.file.get(at));
            it.file.put(at, it.value);
        }
    }

    private static void bulks(Stress.Filled it, int bytes) {
        byte[] some = new byte[24];
        for (int i = 0; i < ROUNDS; i++) {
            long at = i * 7L % (bytes - 24);
            it.file.get(at, some, 0, 24);
            expect(it, some[i % 24]);
            it.file.put(at, some, 0, 24);
        }
    }

    private static long all(Stress.Filled it) {
        return it.value * EACH_BYTE;
    }

    private static void expect(Stress.Filled it, byte found) {
        if (it.value != found) {
            throw new AssertionError("read " + found + " of the file of " + it.value);
        }
    }

    private static void expect(Stress.Filled it, short found) {
        expect(it, found == (short) all(it), found);
    }

    private static void expect(Stress.Filled it, int found) {
        expect(it, found == (int) all(it), found);
    }

    private static void expect(Stress.Filled it, long found) {
        expect(it, found == all(it), found);
    }

    private static void expect(Stress.Filled it, boolean right, long found) {
        if (!right) {
            throw new AssertionError(
                    "read " + Long.toHexString(found) + " of the file of " + it.value);
        }
    }
}
