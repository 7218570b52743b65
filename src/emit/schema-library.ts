import { createRequire } from 'node:module';

/** The library that holds schemas against values. It builds no code, so it runs where that is forbidden. */
export type SchemaLibrary = typeof import('@cfworker/json-schema');

let library: SchemaLibrary | undefined;

/**
 * Loads the library when it is first needed: most teams have no schemas, and `ralph emit` is called often. Publishing is synchronous, so this is a
 * `require`. The build keeps it apart for the library (`#library/*` in package.json) and puts it into the script of the command.
 */
export function loadSchemaLibrary(): SchemaLibrary {
  library ??= createRequire(import.meta.url)(RALPH_SCHEMA_LIBRARY) as SchemaLibrary;
  return library;
}
