package io.github.whypause.logging;

import java.util.LinkedHashSet;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * The names in a configuration that was made for an appender of another kind: there only rolled files
 * are compressed, here all are, so {@code app.log} becomes {@code app.log.gz}.
 */
public final class LogNames {
    private static final String DEFAULT = "gz";
    /** What other appenders compress with. */
    private static final String[] OTHERS = {".zip", ".bz2", ".xz", ".deflate", ".pack200"};

    private final String file;
    private final String pattern;

    /**
     * Completes names.
     *
     * @param file of the log; may be {@code null}
     * @param pattern of rolled files, whose end says how both are compressed; may be {@code null}
     */
    public LogNames(String file, String pattern) {
        String known = knownExtension(pattern);
        known = known == null ? knownExtension(file) : known;
        String extension = "." + (known == null ? DEFAULT : known);
        this.file = withExtension(file, extension);
        this.pattern = withExtension(pattern, extension);
    }

    /**
     * The name of the log.
     *
     * @return with its extension; {@code null} where none was given
     */
    public String file() {
        return file;
    }

    /**
     * The names of rolled files.
     *
     * @return with their extension; {@code null} where none were given
     */
    public String pattern() {
        return pattern;
    }

    private static String withExtension(String name, String extension) {
        if (name == null || name.endsWith(extension)) {
            return name;
        }
        for (String other : OTHERS) {
            if (name.endsWith(other)) {
                return name.substring(0, name.length() - other.length()) + extension;
            }
        }
        return name + extension;
    }

    private static String knownExtension(String name) {
        if (name == null) {
            return null;
        }
        Set<String> known = new LinkedHashSet<>();
        for (Codec codec : ServiceLoader.load(Codec.class, Codec.class.getClassLoader())) {
            known.add(codec.extension());
        }
        // also where its jar is missing: then it is said that it is
        known.add("zst");
        for (String extension : known) {
            if (name.endsWith("." + extension)) {
                return extension;
            }
        }
        return null;
    }
}
