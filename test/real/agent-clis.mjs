/**
 * What is known of each agent CLI, from the build. TypeScript takes it from `src/backends/index.ts`.
 */
export * from '../../dist/agent-clis.js';
