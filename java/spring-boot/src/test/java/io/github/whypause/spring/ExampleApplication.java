package io.github.whypause.spring;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** That of the README: nothing in it knows of the starter. */
@SpringBootApplication
public class ExampleApplication {
    private static final Logger LOG = LoggerFactory.getLogger(ExampleApplication.class);

    public static void main(String[] arguments) {
        SpringApplication.run(ExampleApplication.class, arguments);
    }

    @Bean
    CommandLineRunner hello() {
        return arguments -> LOG.info("an order of {} pieces", 7);
    }
}
