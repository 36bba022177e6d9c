// Becomes another program as soon as it reads a line. Arguments: the program, and what it is given.
import java.lang.foreign.*;
import java.lang.invoke.MethodHandle;

public class Exec {
    public static void main(String[] args) throws Throwable {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor type = FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
        MethodHandle execv =
            linker.downcallHandle(linker.defaultLookup().find("execv").get(), type);
        Arena arena = Arena.global();
        MemorySegment given = arena.allocate(ValueLayout.ADDRESS, args.length + 1);
        for (int i = 0; i < args.length; i++) {
            given.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(args[i]));
        }
        System.out.println("ready");
        System.in.read();
        int failed = (int) execv.invoke(given.getAtIndex(ValueLayout.ADDRESS, 0), given);
        throw new IllegalStateException("execv: " + failed);
    }
}
