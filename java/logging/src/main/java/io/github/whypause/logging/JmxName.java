package io.github.whypause.logging;

import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;

/** A name in JMX under which the counters are found. */
final class JmxName {
    private static final String DOMAIN = "io.github.whypause.logging";
    private static final int MOST_OF_A_NAME = 100;
    private static final Runnable NOTHING = () -> { };

    private JmxName() {}

    /**
     * Where JMX does not want it, or is not there (a runtime without {@code java.management}), the log
     * works without.
     *
     * @return what takes it away again
     */
    static Runnable register(LogWriterCounters counters, boolean wanted) {
        if (!wanted) {
            return NOTHING;
        }
        try {
            // a class of its own: the JVM links it here, and not before
            return Registered.register(counters);
        } catch (LinkageError e) {
            return NOTHING;
        }
    }

    private static final class Registered {
        private Registered() {}

        static Runnable register(LogWriterCounters counters) {
            String quoted = ObjectName.quote(counters.getFile());
            for (int i = 1; i <= MOST_OF_A_NAME; i++) {
                try {
                    String text = DOMAIN + ":type=CompressedLogWriter,name=" + quoted
                            + (i == 1 ? "" : ",number=" + i);
                    ObjectName name = new ObjectName(text);
                    ManagementFactory.getPlatformMBeanServer().registerMBean(counters, name);
                    return () -> unregister(name);
                } catch (InstanceAlreadyExistsException e) {
                    // a log that is just being closed, or one in another class loader: the next number
                } catch (JMException | RuntimeException e) {
                    break;
                }
            }
            return NOTHING;
        }

        private static void unregister(ObjectName name) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            } catch (JMException | RuntimeException e) {
                // it is gone already
            }
        }
    }
}
