package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;

/** Before JDK 22: mapped buffers, of which the cleaner is run by hand. */
abstract class CleanedLifetime extends Lifetime {
    private final List<ByteBuffer> mapped = new ArrayList<>();

    CleanedLifetime() {
        if (Cleaners.UNSUPPORTED != null) {
            throw new UnsupportedOperationException(Cleaners.UNSUPPORTED);
        }
    }

    abstract void checkOpen();

    @Override
    synchronized Pieces map(FileChannel channel, MapMode mode, long offset, long length)
            throws IOException {
        checkOpen();
        int before = mapped.size();
        MappedByteBuffer[] pieces = new MappedByteBuffer[Pieces.count(length)];
        try {
            for (int i = 0; i < pieces.length; i++) {
                long at = offset + Pieces.start(i);
                pieces[i] = channel.map(mode, at, Pieces.length(i, length));
                mapped.add(pieces[i]);
            }
        } catch (Throwable e) {
            // nobody has seen the first pieces
            Faults.take();
            release(before);
            throw e;
        }
        return new Pieces(pieces);
    }

    /** Releases all but the first few; all are tried, whatever happens to one. */
    final synchronized void release(int kept) {
        RuntimeException failed = null;
        while (mapped.size() > kept) {
            try {
                Cleaners.clean(mapped.remove(mapped.size() - 1));
            } catch (RuntimeException e) {
                failed = e;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}
