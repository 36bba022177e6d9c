/**
 * The log file of a Spring Boot application, compressed and without waits for a disk. There is nothing to
 * call: the starter is found by Spring Boot.
 */
package io.github.whypause.spring;
