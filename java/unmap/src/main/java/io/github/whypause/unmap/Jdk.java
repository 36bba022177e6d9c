package io.github.whypause.unmap;

/** The version of this JVM. */
final class Jdk {
    /** 8, 11, 17, 25. */
    static final int FEATURE = feature(System.getProperty("java.specification.version", "8"));

    private Jdk() {}

    private static int feature(String version) {
        String number = version.startsWith("1.") ? version.substring(2) : version;
        int dot = number.indexOf('.');
        return Integer.parseInt(dot < 0 ? number : number.substring(0, dot));
    }
}
