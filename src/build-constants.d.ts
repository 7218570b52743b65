/** The version in package.json, written in by the build (scripts/build.mjs) and by the test runner (vitest.config.ts). */
declare const RALPH_VERSION: string;
/** The checksum of the bundle of all commands, so that compiled code of another one is never taken for it. */
declare const RALPH_BUNDLE_HASH: string;
/** How `yaml` is required: the part that the build keeps by itself, in the tests the package. */
declare const RALPH_YAML_LIBRARY: string;
/** Where the library for JSON Schema is found by whoever needs it. */
declare const RALPH_SCHEMA_LIBRARY: string;
