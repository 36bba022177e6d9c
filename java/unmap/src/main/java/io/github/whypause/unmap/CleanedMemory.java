package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Before JDK 22: mapped buffers, of which the cleaner is run by hand. */
final class CleanedMemory extends Memory {
    private final List<ByteBuffer> mapped = new ArrayList<>();

    CleanedMemory() {
        if (Cleaners.UNSUPPORTED != null) {
            throw new UnsupportedOperationException(Cleaners.UNSUPPORTED);
        }
    }

    @Override
    Pieces map(FileChannel channel, MapMode mode, long offset, long length) throws IOException {
        int before = mapped.size();
        MappedByteBuffer[] pieces = new MappedByteBuffer[Pieces.count(length)];
        mapped.addAll(Collections.nCopies(pieces.length, null));
        try {
            for (int i = 0; i < pieces.length; i++) {
                long at = offset + Pieces.start(i);
                pieces[i] = channel.map(mode, at, Pieces.length(i, length));
                // the place is there already: nothing is mapped that is not in the list
                mapped.set(before + i, pieces[i]);
            }
        } catch (Throwable e) {
            // nobody has seen the first pieces
            Faults.take();
            release(before);
            throw e;
        }
        return new Pieces(pieces, offset);
    }

    @Override
    void release() {
        release(0);
    }

    /** Releases all but the first few; all are tried, whatever happens to one. */
    private void release(int kept) {
        RuntimeException failed = null;
        while (mapped.size() > kept) {
            ByteBuffer last = mapped.remove(mapped.size() - 1);
            try {
                if (last != null) {
                    Cleaners.clean(last);
                }
            } catch (RuntimeException e) {
                failed = e;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}
