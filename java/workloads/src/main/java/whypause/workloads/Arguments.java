package whypause.workloads;

import java.util.HashMap;
import java.util.Map;

/**
 * The {@code key=value} arguments of a workload.
 *
 * <p>An argument that is not understood ends the program with exit code 2 and one line on
 * stderr, so that a misspelt option is never silently the default.
 */
final class Arguments {
    private final Map<String, String> values = new HashMap<String, String>();

    /**
     * Splits the arguments.
     *
     * @param args as given to {@code main}
     * @param known the keys that may occur
     */
    Arguments(String[] args, String... known) {
        for (String arg : args) {
            int equals = arg.indexOf('=');
            String key = equals < 0 ? arg : arg.substring(0, equals);
            if (equals < 0 || !contains(known, key)) {
                throw refuse("unknown argument `" + arg + "`");
            }
            values.put(key, arg.substring(equals + 1));
        }
    }

    /** The value of {@code key}, or {@code otherwise} where it was not given. */
    String text(String key, String otherwise) {
        String value = values.get(key);
        return value == null ? otherwise : value;
    }

    /** The value of {@code key} as a number that is not negative, or {@code otherwise}. */
    int number(String key, int otherwise) {
        String value = values.get(key);
        if (value == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below, like a negative number
        }
        throw refuse("`" + key + "` takes a number of 0 or more, not `" + value + "`");
    }

    /** Prints why and ends the program; the exception it returns only satisfies the compiler. */
    static IllegalStateException refuse(String why) {
        System.err.println("error: " + why);
        System.exit(2);
        return new IllegalStateException(why);
    }

    private static boolean contains(String[] known, String key) {
        for (String it : known) {
            if (it.equals(key)) {
                return true;
            }
        }
        return false;
    }
}
