/** What `bench/gates.mjs` measures inside of a process. */
export { createGateRunner } from '../src/gates/index.ts';
export { createTreeReader } from '../src/workspace/snapshot/index.ts';
