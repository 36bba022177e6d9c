package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RingTest {
    private static byte[] poll(Ring ring) {
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        boolean some = ring.poll((bytes, offset, length) -> record.write(bytes, offset, length));
        return some ? record.toByteArray() : null;
    }

    @Test
    void records_of_many_threads_come_whole_once_and_in_order() throws Exception {
        int producers = 4;
        int each = 20_000;
        Ring ring = new Ring(8 << 10, new Memory());
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            int producer = p;
            Thread thread = new Thread(() -> {
                Random random = new Random(producer);
                for (int i = 0; i < each; i++) {
                    // some are longer than a quarter of the ring
                    byte[] record = new byte[8 + random.nextInt(i % 100 == 0 ? 6000 : 300)];
                    for (int at = 0; at < record.length; at++) {
                        record[at] = (byte) (i + producer);
                    }
                    ByteBuffer.wrap(record).putInt(producer).putInt(i);
                    while (ring.offer(record, 0, record.length) != Ring.Offer.TAKEN) {
                        Thread.yield();
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        int[] next = new int[producers];
        for (long left = (long) producers * each; left > 0;) {
            byte[] record = poll(ring);
            if (record == null) {
                Thread.yield();
                continue;
            }
            ByteBuffer buffer = ByteBuffer.wrap(record);
            int producer = buffer.getInt();
            int number = buffer.getInt();
            assertEquals(next[producer]++, number);
            while (buffer.hasRemaining()) {
                assertEquals((byte) (number + producer), buffer.get());
            }
            left--;
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, ring.used());
    }

    @Test
    void what_has_no_room_is_refused_and_room_comes_back() {
        Ring ring = new Ring(4096, new Memory());
        byte[] record = new byte[1000];
        for (int i = 0; i < 4; i++) {
            assertEquals(Ring.Offer.TAKEN, ring.offer(record, 0, record.length));
        }
        assertEquals(4096, ring.used());
        assertEquals(Ring.Offer.FULL, ring.offer(record, 0, 1));
        assertEquals(1000, poll(ring).length);
        assertEquals(Ring.Offer.TAKEN, ring.offer(record, 0, 1000));
    }

    @Test
    void large_records_take_no_more_than_the_ring_or_one_of_them() {
        Ring ring = new Ring(4096, new Memory());
        byte[] large = new byte[3000];
        assertEquals(Ring.Offer.TAKEN, ring.offer(large, 0, large.length));
        assertEquals(Ring.Offer.FULL, ring.offer(large, 0, large.length));
        assertEquals(3000, poll(ring).length);
        assertEquals(Ring.Offer.TAKEN, ring.offer(new byte[100_000], 0, 100_000));
        assertEquals(Ring.Offer.FULL, ring.offer(large, 0, large.length));
        assertEquals(100_000, poll(ring).length);
        assertEquals(Ring.Offer.TAKEN, ring.offer(large, 0, large.length));
    }

    @Test
    void a_closed_ring_gives_what_it_took_before() throws Exception {
        Ring ring = new Ring(1 << 16, new Memory());
        AtomicLong taken = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> {
                while (true) {
                    Ring.Offer offer = ring.offer(new byte[10], 0, 10);
                    if (offer == Ring.Offer.CLOSED) {
                        return;
                    }
                    taken.addAndGet(offer == Ring.Offer.TAKEN ? 1 : 0);
                }
            });
            threads.add(thread);
            thread.start();
        }
        long polled = 0;
        for (int i = 0; i < 5000; i++) {
            polled += poll(ring) == null ? 0 : 1;
        }
        ring.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(ring.isClosed());
        while (ring.head() < ring.end()) {
            polled += poll(ring) == null ? 0 : 1;
        }
        assertEquals(taken.get(), polled);
        assertFalse(ring.poll((bytes, offset, length) -> { }));
    }

    @Test
    void a_record_that_the_sink_could_not_take_is_gone_and_the_next_one_comes() {
        Ring ring = new Ring(4096, new Memory());
        for (int length : new int[] {100, 3000, 50}) {
            ring.offer(new byte[length], 0, length);
        }
        for (int i = 0; i < 2; i++) {
            assertThrows(OutOfMemoryError.class, () -> ring.poll((bytes, offset, length) -> {
                throw new OutOfMemoryError();
            }));
        }
        assertEquals(2, ring.records());
        assertEquals(3100, ring.recordBytes());
        assertEquals(50, poll(ring).length);
        assertEquals(0, ring.used());
        assertEquals(Ring.Offer.TAKEN, ring.offer(new byte[4000], 0, 4000));
    }

    @Test
    void without_memory_a_long_record_is_refused_and_the_ring_goes_on() {
        Ring ring = new Ring(4096, new Memory() {
            @Override
            byte[] copy(byte[] from, int offset, int length) {
                throw new OutOfMemoryError();
            }
        });
        assertEquals(Ring.Offer.FULL, ring.offer(new byte[3000], 0, 3000));
        assertEquals(Ring.Offer.TAKEN, ring.offer(new byte[10], 0, 10));
        assertEquals(10, poll(ring).length);
    }
}
