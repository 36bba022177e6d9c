package io.github.whypause.logging;

import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;

/** A name in JMX under which the counters are found. */
final class JmxName {
    private static final String DOMAIN = "io.github.whypause.logging";
    private static final int MOST_OF_A_NAME = 100;

    private final ObjectName name;

    private JmxName(ObjectName name) {
        this.name = name;
    }

    /** Where JMX does not want it, the log works without. */
    static JmxName register(LogWriterCounters counters) {
        String quoted = ObjectName.quote(counters.getFile());
        for (int i = 1; i <= MOST_OF_A_NAME; i++) {
            try {
                String text = DOMAIN + ":type=CompressedLogWriter,name=" + quoted
                        + (i == 1 ? "" : ",number=" + i);
                ObjectName name = new ObjectName(text);
                ManagementFactory.getPlatformMBeanServer().registerMBean(counters, name);
                return new JmxName(name);
            } catch (InstanceAlreadyExistsException e) {
                // a log that is just being closed, or one in another class loader: the next number
            } catch (JMException | RuntimeException e) {
                break;
            }
        }
        return new JmxName(null);
    }

    void unregister() {
        if (name == null) {
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (JMException | RuntimeException e) {
            // it is gone already
        }
    }
}
