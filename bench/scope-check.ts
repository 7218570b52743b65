/** What `scope-check.mjs` measures. */
export { createTreeWatch } from '../src/workspace/watch/index.ts';
