import { createRequire } from 'node:module';

/** The library that reads what the fast reader leaves: everything unusual, and everything wrong. */
export type YamlLibrary = typeof import('yaml');

let library: YamlLibrary | undefined;

/**
 * Loads the library when it is first needed: that takes longer than all the rest of a call that does without. It is required, not imported, because
 * a configuration is loaded synchronously. The build keeps it in a file apart (`#library/*` in package.json), and puts it into the script of the command.
 */
export function loadYamlLibrary(): YamlLibrary {
  library ??= createRequire(import.meta.url)(RALPH_YAML_LIBRARY) as YamlLibrary;
  return library;
}
