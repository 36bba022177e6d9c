package whypause.workloads;

import java.io.IOException;

/** A thread that does the same again and again until the program ends. */
abstract class Worker extends Thread {
    /** A thread that is not started yet. */
    Worker(String name) {
        super(name);
        setDaemon(true);
    }

    /** What it does again and again. */
    abstract void once() throws IOException, InterruptedException;

    @Override
    public void run() {
        try {
            while (true) {
                once();
            }
        } catch (InterruptedException e) {
            // asked to end
        } catch (IOException e) {
            // A load whose threads died would pass for a quiet one.
            System.err.println("error: " + getName() + ": " + e.getMessage());
            Runtime.getRuntime().halt(1);
        }
    }
}
