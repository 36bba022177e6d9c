package io.github.whypause.unmap;

/**
 * Whether the JVM's own guard of a shared arena can be trusted.
 *
 * <p>JDK 22 and newer close a shared arena by a handshake: threads found in the middle of an access
 * are told to throw. But until JDK-8364167 was mended, such a thread may be stopped where it cannot
 * throw yet, as in a call of the compiler that counts invocations, and goes on with its access when
 * the memory is gone: the JVM crashes, or reads what is mapped there now. That needs a thread that
 * loses its CPU in between, so it happens on a busy machine.
 *
 * <p>The JVM does not say whether it has the mend, which is to wait, after the handshake, until each
 * of those threads has thrown. {@code ScopedMemoryAccess_closeScope} of 27.0.1 waits; that of 25.0.3
 * and 25.0.5 does not. Where a vendor puts it into an older one is not known here, and neither is
 * how other JVMs than HotSpot do it, or other compilers than its own. All those have {@link
 * GuardedLifetime}.
 */
final class SharedArenas {
    private static final int MENDED = 27;

    private SharedArenas() {}

    /** A class of its own, so that the rule can be tested without it. */
    static final class AreSafe {
        static final boolean HERE = in(Jdk.FEATURE, System.getProperty("java.version", ""),
                System.getProperty("java.vm.name", ""), System.getProperty("java.vm.version", ""));

        private AreSafe() {}
    }

    /**
     * Whether they can be trusted in a JVM with these properties.
     *
     * @param feature 25
     * @param version {@code java.version}, with a hyphen if it is a build before the release
     * @param name {@code java.vm.name}
     * @param build {@code java.vm.version}
     */
    static boolean in(int feature, String version, String name, String build) {
        boolean hotspot = name.startsWith("OpenJDK ") || name.startsWith("Java HotSpot(TM) ");
        return feature >= MENDED && hotspot
                && version.indexOf('-') < 0 && !version.isEmpty()
                && !build.contains("jvmci");
    }
}
