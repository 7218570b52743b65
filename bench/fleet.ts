/** What `bench/fleet.mjs` measures inside of a process. */
export { connectFleet } from '../src/fleet/index.ts';
