import { createRequire } from 'node:module';

/** The library that reads what the fast reader leaves: everything unusual, and everything wrong. */
export type YamlLibrary = typeof import('yaml');

let library: YamlLibrary | undefined;

/**
 * Loads the library when it is first needed: it takes longer than a run of Ralph that does without. Loading a configuration is
 * synchronous, so this is a
 * `require`. The build keeps it apart for the library (`#library/*` in package.json) and puts it into the script of the command.
 */
export function loadYamlLibrary(): YamlLibrary {
  library ??= createRequire(import.meta.url)(RALPH_YAML_LIBRARY) as YamlLibrary;
  return library;
}
