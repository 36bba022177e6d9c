package io.github.whypause.unmap;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Every way to read or write a mapping. */
final class Uses {
    /** One of them. */
    interface Use {
        void of(MappedFile file) throws Exception;
    }

    private Uses() {}

    static List<Use> reads() {
        return Arrays.<Use>asList(
                file -> file.get(0),
                file -> file.getShort(0),
                file -> file.getInt(0),
                file -> file.getLong(0),
                file -> file.getFloat(0),
                file -> file.withOrder(ByteOrder.LITTLE_ENDIAN).getDouble(0),
                file -> file.getIntAcquire(0),
                file -> file.getLongAcquire(0),
                file -> file.get(0, new byte[16], 0, 16));
    }

    static List<Use> writes() {
        return Arrays.<Use>asList(
                file -> file.put(0, (byte) 1),
                file -> file.putShort(0, (short) 1),
                file -> file.putInt(0, 1),
                file -> file.putLong(0, 1),
                file -> file.putFloat(0, 1),
                file -> file.withOrder(ByteOrder.LITTLE_ENDIAN).putDouble(0, 1),
                file -> file.putIntRelease(0, 1),
                file -> file.putLongRelease(0, 1),
                file -> file.put(0, new byte[16], 0, 16));
    }

    static List<Use> all() {
        List<Use> all = new ArrayList<>(reads());
        all.addAll(writes());
        all.add(MappedFile::force);
        return all;
    }
}
