/** Front door of `validation`: a configuration and the flow of its events, checked together. */
export { type CheckedConfig, type CheckRequest, checkConfig } from './check-config.ts';
