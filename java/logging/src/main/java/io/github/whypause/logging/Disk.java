package io.github.whypause.logging;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** All that a log asks of the file system. The tests have one that fails. */
class Disk {
    private static final Set<FileVisitOption> NO_LINKS = EnumSet.noneOf(FileVisitOption.class);

    /** Opens a file, and makes it where there is none. */
    LogFile open(Path file, Set<PosixFilePermission> permissions) throws IOException {
        boolean isNew = permissions != null && !Files.exists(file, LinkOption.NOFOLLOW_LINKS);
        LogFile opened = new LogFile(file);
        try {
            if (isNew) {
                Files.setPosixFilePermissions(file, permissions);
            }
            return opened;
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
    }

    /** Device and inode; {@code null} where there is no such file. */
    Object key(Path of) throws IOException {
        try {
            return Files.readAttributes(of, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    void createFolder(Path of) throws IOException {
        Path folder = of.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
    }

    boolean isTaken(Path name) {
        return Files.exists(name, LinkOption.NOFOLLOW_LINKS);
    }

    void move(Path from, Path to) throws IOException {
        Files.move(from, to);
    }

    /** Beside it, so that it is there under one name or the other. */
    void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    long lastModified(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toMillis();
    }

    boolean isEmpty(Path file) throws IOException {
        return Files.exists(file) && Files.size(file) == 0;
    }

    void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    void walk(Path folder, int depth, FileVisitor<Path> visitor) throws IOException {
        if (Files.isDirectory(folder)) {
            Files.walkFileTree(folder, NO_LINKS, depth, visitor);
        }
    }
}
