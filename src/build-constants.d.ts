/** The version in package.json, written in by the build (scripts/build.mjs) and by the test runner (vitest.config.ts). */
declare const RALPH_VERSION: string;
