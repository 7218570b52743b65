/** Front door of `library`: configurations and teams for programs, without running anything. */

export { type GraphFormat, graph } from './graph.ts';
export { type ConfigSource, loadConfig, type TeamConfig } from './load-config.ts';
export { simulate } from './simulate.ts';
export { validate } from './validate.ts';
